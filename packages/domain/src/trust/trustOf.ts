/** The rule that decides how far a received message can be believed (docs/specification/senders.md, docs/decisions/0067). */
import { domainOf, normalizeAddress } from "../mailboxes/address.js"
import { type HeaderMap, isProvenAuthor, type SenderResults } from "../messages/Message.js"
import { normalForm } from "../unicode.js"
import { isLookalike, isWithin } from "./lookalike.js"
import { type FamiliarityReason, SuspicionReason, type Trust } from "./Trust.js"

/** Reasons that the content alone gives. The parser finds them. */
export type ContentReason = Extract<SuspicionReason, "hidden_text" | "invisible_characters" | "text_differs">

/** What the mailbox has to do with the author. */
export interface TrustRelations {
  /** verified address of the account's owner; null while it is not verified */
  readonly owner: string | null
  /** domains that others may imitate: those of the platform, of the mailbox, and those that the mailbox wrote to */
  readonly knownDomains: ReadonlyArray<string>
  /** whether this mailbox wrote to the author before */
  readonly isWrittenTo: boolean
  /** whether an allow list of the mailbox or the account has the author */
  readonly isAllowListed: boolean
}

/** The parts of a mail that the rule reads. */
export interface TrustContent {
  readonly fromAddress: string
  readonly fromName: string | null
  /** all addresses of Reply-To */
  readonly replyTo: ReadonlyArray<string>
  readonly headers: HeaderMap
  readonly contentReasons: ReadonlyArray<ContentReason>
}

/** Characters of a display name that are read, without those that nobody sees. */
const NAME_MAX_LENGTH = 500
/** Letters of the longest name below a country's domain that belongs to nobody, such as `co.uk` and `com.au`. */
const PUBLIC_LABEL_MAX_LENGTH = 3
const COUNTRY_LABEL_LENGTH = 2

const namedAddress = /[^\s@<>()[\]"',;:\\]{1,64}@[\p{L}\p{N}.-]{1,253}\.\p{L}{2,}/gu

/**
 * Whether two domains belong to one organization, without a list of public suffixes: one is below the other, or they share
 * three labels, or two that are not like `co.uk`.
 */
export const isSameOrganization = (one: string, other: string): boolean => {
  if (isWithin(one, other) || isWithin(other, one)) return true
  const [labels, others] = [one.split(".").reverse(), other.split(".").reverse()]
  const differs = labels.findIndex((label, index) => label !== others[index])
  const shared = differs === -1 ? labels.length : differs
  if (shared !== 2) return shared > 2
  const [top = "", second = ""] = labels
  return top.length > COUNTRY_LABEL_LENGTH || second.length > PUBLIC_LABEL_MAX_LENGTH
}

/** Shows the characters after it from right to left (UAX #9 §2.2). */
const RIGHT_TO_LEFT_OVERRIDE = "\u202e"

/**
 * A display name as people see it: other forms of letters, at signs and dots as plain ones (NFKC, and the full stops of
 * RFC 3490 §3.1), without characters that have no width; reversed, too, where it is shown so.
 */
const shownNames = (name: string): ReadonlyArray<string> => {
  const visible = name
    .replace(/[\p{Cf}\p{DI}]+/gu, "")
    .replace(/\s+/gu, " ")
    .slice(0, NAME_MAX_LENGTH)
  const shown = normalForm(visible, "NFKC").replaceAll("。", ".")
  return name.includes(RIGHT_TO_LEFT_OVERRIDE) ? [shown, Array.from(shown).reverse().join("")] : [shown]
}

const addressesIn = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.flatMap((shown) => shown.match(namedAddress) ?? []).map(normalizeAddress)

/**
 * Without the spaces of `olga @ owner . dev` and `o l g a @ o w n e r . d e v`. Such a text may be none of an address, so it
 * counts for the owner's alone.
 */
const closedUp = (name: string): string =>
  name.replace(/(?<=(?:^|\s)\S)\s(?=\S(?:\s|$))/gu, "").replace(/\s*([@.])\s*/gu, "$1")

const textsOf = (headers: HeaderMap, name: string): ReadonlyArray<string> => [headers[name] ?? []].flat()

/** The address to which members of the list post (RFC 2369 §3.4). */
const isListAddress = (headers: HeaderMap, address: string): boolean =>
  textsOf(headers, "list-post").some((field) => field.toLowerCase().includes(`<mailto:${address}`))

/**
 * Whether a list wrote itself into From in place of the author, as lists do so that DMARC passes: a proven sender whose
 * display name ends in `via …`, with a List-Id, and with the author in Reply-To or X-Original-From.
 */
const isListFor = (author: string, content: TrustContent, isProven: boolean): boolean =>
  isProven &&
  / via /i.test(content.fromName ?? "") &&
  textsOf(content.headers, "list-id").length > 0 &&
  ["reply-to", "x-original-from"].some((name) =>
    textsOf(content.headers, name).some((field) => field.toLowerCase().includes(author)),
  )

const showsAnotherAddress = (
  content: TrustContent,
  relations: TrustRelations,
  isProven: boolean,
): boolean => {
  if (content.fromName === null) return false
  const from = normalizeAddress(content.fromAddress)
  const names = shownNames(content.fromName)
  const shown = addressesIn(names)
  const { owner } = relations
  if (owner !== null && from !== owner && [...shown, ...addressesIn(names.map(closedUp))].includes(owner))
    return true
  return shown.some(
    (address) =>
      !isSameOrganization(domainOf(address), domainOf(from)) && !isListFor(address, content, isProven),
  )
}

/** Whether one of the addresses that a reply goes to is elsewhere. */
const isForeignReplyTo = ({ replyTo, fromAddress, headers }: TrustContent): boolean => {
  const from = domainOf(normalizeAddress(fromAddress))
  return replyTo
    .map(normalizeAddress)
    .some((address) => !isSameOrganization(domainOf(address), from) && !isListAddress(headers, address))
}

const isAgainstPolicy = ({ dmarc, dmarcPolicy }: SenderResults): boolean =>
  dmarc === "fail" && (dmarcPolicy === "quarantine" || dmarcPolicy === "reject")

/** Why the mail is suspicious, in a fixed order; empty when it is not. */
const suspicionsOf = (
  authentication: SenderResults,
  relations: TrustRelations,
  content: TrustContent,
): ReadonlyArray<SuspicionReason> => {
  const isProven = isProvenAuthor(authentication, content.fromAddress)
  const domain = domainOf(normalizeAddress(content.fromAddress))
  const found: Readonly<Record<SuspicionReason, boolean>> = {
    dmarc_fail: isAgainstPolicy(authentication),
    display_name_address: showsAnotherAddress(content, relations, isProven),
    lookalike_domain: isLookalike(domain, [
      ...relations.knownDomains,
      ...(relations.owner === null ? [] : [domainOf(relations.owner)]),
    ]),
    hidden_text: content.contentReasons.includes("hidden_text"),
    invisible_characters: content.contentReasons.includes("invisible_characters"),
    text_differs: content.contentReasons.includes("text_differs"),
    foreign_reply_to: !isProven && isForeignReplyTo(content),
  }
  return SuspicionReason.literals.filter((reason) => found[reason])
}

/**
 * The trust of a received mail. A reason for suspicion outweighs everything else: a proven sender, even the owner, may pass
 * on text of others that hides something.
 */
export const trustOf = (
  authentication: SenderResults,
  relations: TrustRelations,
  content: TrustContent,
): Trust => {
  const suspicions = suspicionsOf(authentication, relations, content)
  if (suspicions.length > 0) return { level: "suspicious", reasons: suspicions }
  if (!isProvenAuthor(authentication, content.fromAddress)) return { level: "unverified", reasons: [] }
  if (relations.owner !== null && normalizeAddress(content.fromAddress) === relations.owner)
    return { level: "owner", reasons: [] }
  const familiarities: ReadonlyArray<FamiliarityReason> = [
    ...(relations.isWrittenTo ? (["written_to"] as const) : []),
    ...(relations.isAllowListed ? (["allow_listed"] as const) : []),
  ]
  return familiarities.length > 0
    ? { level: "known", reasons: familiarities }
    : { level: "verified", reasons: [] }
}
