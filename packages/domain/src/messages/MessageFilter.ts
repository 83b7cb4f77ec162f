/** What a list of messages can be narrowed to, and which messages match: the plain meaning, which every index is held to. */
import { Schema } from "effect"
import { type ClaimCondition, type MessageClaim, meetsClaimCondition } from "../claims/messageClaim.js"
import type { ThreadId } from "../ids.js"
import { ADDRESS_MAX_LENGTH, domainOf, normalizeAddress } from "../mailboxes/address.js"
import { HEADER_TEXT_MAX_LENGTH } from "../limits.js"
import type { Instant } from "../time.js"
import { normalForm, truncated } from "../unicode.js"
import type { Direction } from "./Message.js"

/** One address, or all addresses at one domain (not its subdomains). Normalized, see `normalizeAddress`. */
export type AddressPattern =
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "domain"; readonly domain: string }

/** All conditions must hold; null, or no label, matches any message. */
export interface MessageFilter {
  readonly direction: Direction | null
  readonly threadId: ThreadId | null
  /** labels that the message must have, all of them */
  readonly labels: ReadonlyArray<string>
  readonly unread: boolean | null
  /** the From header */
  readonly from: AddressPattern | null
  /** the To and Cc headers, and the envelope recipient of received messages */
  readonly to: AddressPattern | null
  /** a part of the subject, in any case */
  readonly subject: string | null
  readonly hasAttachment: boolean | null
  /** stored at this time or later */
  readonly since: Instant | null
  /** stored earlier than this time */
  readonly before: Instant | null
  readonly claim: ClaimCondition | null
}

/** The filter that every message matches. */
export const anyMessage: MessageFilter = {
  direction: null,
  threadId: null,
  labels: [],
  unread: null,
  from: null,
  to: null,
  subject: null,
  hasAttachment: null,
  since: null,
  before: null,
  claim: null,
}

/** Whether a filter asks only for direction, thread and earliest time: such a list is a range of one index. */
export const isRangeFilter = (filter: MessageFilter): boolean => {
  const { unread, from, to, subject, hasAttachment, before, claim, labels } = filter
  return (
    labels.length === 0 &&
    [unread, from, to, subject, hasAttachment, before, claim].every((value) => value === null)
  )
}

/** `desc`: newest first. */
export const ListOrder = Schema.Literal("desc", "asc").annotations({
  identifier: "ListOrder",
  description: "desc for newest first, asc for oldest first",
})
export type ListOrder = typeof ListOrder.Type

/** What a filter reads of a message. */
export interface FilteredMessage {
  readonly direction: Direction
  readonly threadId: ThreadId
  readonly labels: ReadonlyArray<string>
  /** null while unread */
  readonly readAt: Instant | null
  readonly fromAddress: string
  readonly toAddresses: ReadonlyArray<string>
  readonly ccAddresses: ReadonlyArray<string>
  /** the envelope recipient; null or absent when it is not known */
  readonly deliveredTo?: string | null | undefined
  readonly subject: string
  readonly hasAttachments: boolean
  readonly createdAt: Instant
  /** null or absent while nobody has claimed it */
  readonly claim?: MessageClaim | null | undefined
}

/** Addresses of one message that `to` is compared with. A mail may have thousands, and each is an entry of an index. */
export const ADDRESSEES_MAX = 100

/** Reads `ada@example.org` or `@example.org`; null for anything else. */
export const parseAddressPattern = (text: string): AddressPattern | null => {
  const address = normalizeAddress(text)
  if (address.length > ADDRESS_MAX_LENGTH || !/^[^\s@]*@[^\s@]+$/.test(address)) return null
  return address.startsWith("@") ? { kind: "domain", domain: address.slice(1) } : { kind: "address", address }
}

/**
 * The form in which subjects are compared, and stored for it: of their first 4,096 UTF-16 units. Upper case first: it turns
 * `ß` into `SS`. Every sigma is the one inside of words, because a part of a subject may end where the word goes on.
 * Postgres stores no NUL.
 */
export const foldSubject = (subject: string): string =>
  normalForm(truncated(subject, HEADER_TEXT_MAX_LENGTH).replaceAll("\0", "\u{fffd}"), "NFC")
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")

/** The normalized addresses that `to` is compared with, each once: the envelope recipient first, at most `ADDRESSEES_MAX`. */
export const addresseesOf = ({
  toAddresses,
  ccAddresses,
  deliveredTo,
}: Pick<FilteredMessage, "toAddresses" | "ccAddresses" | "deliveredTo">): ReadonlyArray<string> => [
  ...new Set(
    [...(typeof deliveredTo === "string" ? [deliveredTo] : []), ...toAddresses, ...ccAddresses]
      .slice(0, ADDRESSEES_MAX)
      .map(normalizeAddress),
  ),
]

const matchesAddress = (pattern: AddressPattern, address: string): boolean =>
  pattern.kind === "address" ? address === pattern.address : domainOf(address) === pattern.domain

export const matchesFilter = (filter: MessageFilter, message: FilteredMessage): boolean => {
  const { from, to, subject } = filter
  return (
    (filter.direction === null || message.direction === filter.direction) &&
    (filter.threadId === null || message.threadId === filter.threadId) &&
    (filter.unread === null || (message.readAt === null) === filter.unread) &&
    (filter.hasAttachment === null || message.hasAttachments === filter.hasAttachment) &&
    (filter.since === null || message.createdAt >= filter.since) &&
    (filter.before === null || message.createdAt < filter.before) &&
    (filter.claim === null ||
      meetsClaimCondition(filter.claim, message.direction === "INBOUND", message.claim ?? null)) &&
    filter.labels.every((label) => message.labels.includes(label)) &&
    (from === null || matchesAddress(from, normalizeAddress(message.fromAddress))) &&
    (to === null || addresseesOf(message).some((address) => matchesAddress(to, address))) &&
    (subject === null || foldSubject(message.subject).includes(foldSubject(subject)))
  )
}
