/**
 * How a filtered list is read. A term is a condition of a filter that an index finds: `from:ada@example.org`,
 * `to:@example.org`, `label:urgent`. The index holds the terms of every message, each in the order of the messages. A list
 * reads one index, its driver, and checks the other conditions of the messages that it finds there (docs/decisions/0060).
 */
import type { ClaimCondition } from "../claims/messageClaim.js"
import type { ThreadId } from "../ids.js"
import { domainOf, normalizeAddress } from "../mailboxes/address.js"
import {
  type AddressPattern,
  addresseesOf,
  type FilteredMessage,
  type MessageFilter,
} from "./MessageFilter.js"
import type { Direction } from "./Message.js"

type Side = "from" | "to"

const addressTerm = (side: Side, address: string): string => `${side}:${address}`
const domainTerm = (side: Side, domain: string): string => `${side}:@${domain}`
const labelTerm = (label: string): string => `label:${label}`
const ATTACHMENT_TERM = "has:attachment"

const addressTerms = (side: Side, addresses: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known = addresses.filter((address) => address !== "")
  return [
    ...known.map((address) => addressTerm(side, address)),
    ...new Set(known.map((address) => domainTerm(side, domainOf(address)))),
  ]
}

export const labelTerms = (labels: ReadonlyArray<string>): ReadonlyArray<string> => labels.map(labelTerm)

/** What the terms of a message are made of. */
export type TermSource = Pick<
  FilteredMessage,
  "labels" | "fromAddress" | "toAddresses" | "ccAddresses" | "deliveredTo" | "hasAttachments"
>

/** The terms of a message, each once. */
export const termsOf = (message: TermSource): ReadonlyArray<string> => [
  ...addressTerms("from", [normalizeAddress(message.fromAddress)]),
  ...addressTerms("to", addresseesOf(message)),
  ...labelTerms([...new Set(message.labels)]),
  ...(message.hasAttachments ? [ATTACHMENT_TERM] : []),
]

const patternTerm = (side: Side, pattern: AddressPattern): string =>
  pattern.kind === "address" ? addressTerm(side, pattern.address) : domainTerm(side, pattern.domain)

/** The index that a list reads. */
export type Driver =
  | { readonly kind: "thread"; readonly threadId: ThreadId }
  | { readonly kind: "term"; readonly term: string }
  | { readonly kind: "claim"; readonly claim: ClaimCondition }
  | { readonly kind: "unread" }
  | { readonly kind: "direction"; readonly direction: Direction }
  | { readonly kind: "all" }

export interface ListPlan {
  readonly driver: Driver
  /** terms that each message must have besides that of the driver */
  readonly terms: ReadonlyArray<string>
  /** terms that no message may have */
  readonly absent: ReadonlyArray<string>
}

/**
 * The plan of a filter. The driver is the condition that usually matches the fewest messages: a thread, then an address,
 * a label, a domain, a claim, unread, an attachment, a direction.
 */
export const planOf = (filter: MessageFilter): ListPlan => {
  const patterns = (["from", "to"] as const).flatMap((side) => {
    const pattern = filter[side]
    return pattern === null ? [] : [{ kind: pattern.kind, term: patternTerm(side, pattern) }]
  })
  const ofKind = (wanted: AddressPattern["kind"]) =>
    patterns.filter(({ kind }) => kind === wanted).map(({ term }) => term)
  const selective = [...ofKind("address"), ...labelTerms([...new Set(filter.labels)]), ...ofKind("domain")]
  const attachment = filter.hasAttachment === true ? [ATTACHMENT_TERM] : []
  const absent = filter.hasAttachment === false ? [ATTACHMENT_TERM] : []
  const [first, ...others] = selective
  if (filter.threadId !== null)
    return {
      driver: { kind: "thread", threadId: filter.threadId },
      terms: [...selective, ...attachment],
      absent,
    }
  if (first !== undefined)
    return { driver: { kind: "term", term: first }, terms: [...others, ...attachment], absent }
  if (filter.claim !== null)
    return { driver: { kind: "claim", claim: filter.claim }, terms: attachment, absent }
  if (filter.unread === true) return { driver: { kind: "unread" }, terms: attachment, absent }
  if (filter.hasAttachment === true)
    return { driver: { kind: "term", term: ATTACHMENT_TERM }, terms: [], absent }
  const { direction } = filter
  return {
    driver: direction === null ? { kind: "all" } : { kind: "direction", direction },
    terms: [],
    absent,
  }
}

/** Whether a plan reads terms or subjects, which a background job adds to messages of earlier versions. */
export const readsTerms = ({ driver, terms, absent }: ListPlan, { subject }: MessageFilter): boolean =>
  driver.kind === "term" || terms.length > 0 || absent.length > 0 || subject !== null
