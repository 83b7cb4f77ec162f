/**
 * Allow and block lists of addresses: who may write to a mailbox, and whom it may write to (docs/specification/senders.md,
 * docs/decisions/0064). A list belongs to an account, or to one of its mailboxes.
 */
import { Either, ParseResult, Schema } from "effect"
import { described } from "../described.js"
import { AccountId, ListEntryId, MailboxId } from "../ids.js"
import { LIST_REASON_MAX_LENGTH, LIST_WILDCARD_LABELS_MAX } from "../limits.js"
import { isEmailAddress, normalizeAddress } from "../mailboxes/address.js"
import { atMostCharacters, oneLine } from "../messages/oneLine.js"
import { Instant, timestamp, Timestamp } from "../time.js"

/** `receive`: senders of mail to a mailbox. `send`: recipients of mail from it. */
export const ListDirection = Schema.Literal("receive", "send")
export type ListDirection = typeof ListDirection.Type

export const ListKind = Schema.Literal("allow", "block")
export type ListKind = typeof ListKind.Type

/** What an entry matches, from the most to the least specific. */
const shapes = [
  // one address; `*@example.org` is one, but its author means the domain
  (text: string) => (isEmailAddress(text) && !text.startsWith("*") ? normalizeAddress(text) : null),
  // all addresses at one domain
  (text: string) =>
    text.startsWith("@") && isEmailAddress(`a${text}`) ? normalizeAddress(`a${text}`).slice(1) : null,
  // all addresses at the subdomains of a domain
  (text: string) => {
    if (!text.startsWith("@*.") || !isEmailAddress(`a@${text.slice(3)}`)) return null
    const domain = normalizeAddress(`a@${text.slice(3)}`).slice(2)
    return domain.split(".").length > LIST_WILDCARD_LABELS_MAX ? null : `@*.${domain}`
  },
]

/** The stored form of an entry; null for text that is none. */
const normalizeEntry = (text: string): string | null => {
  for (const shape of shapes) {
    const entry = shape(text.trim())
    if (entry !== null) return entry
  }
  return null
}

const ENTRY_MEANING =
  "an address, `@example.org` for all addresses at a domain, or `@*.example.org` for all at its subdomains"

/** Normalized like an address: lower case, domains in A-labels. A wildcard has at most `LIST_WILDCARD_LABELS_MAX` labels. */
export const ListEntryText = Schema.transformOrFail(
  Schema.String.annotations({ jsonSchema: { type: "string", maxLength: 260, description: ENTRY_MEANING } }),
  Schema.String,
  {
    strict: true,
    decode: (text, _, ast) =>
      Either.fromNullable(normalizeEntry(text), () => new ParseResult.Type(ast, text)),
    encode: (entry) => ParseResult.succeed(entry),
  },
).annotations({ description: "ada@example.org, @example.org or @*.example.org" })

export const ListEntryReason = Schema.String.pipe(atMostCharacters(LIST_REASON_MAX_LENGTH), oneLine)

export const ListEntryRecord = Schema.Struct({
  id: ListEntryId,
  accountId: AccountId,
  /** the account or the mailbox whose list it is on */
  ownerId: Schema.Union(AccountId, MailboxId),
  direction: ListDirection,
  kind: ListKind,
  entry: Schema.String,
  reason: Schema.NullOr(Schema.String),
  createdAt: Instant,
})
export type ListEntryRecord = typeof ListEntryRecord.Type

export const ListEntry = Schema.Struct({
  id: described(ListEntryId, "id of the entry"),
  entry: described(Schema.String, ENTRY_MEANING),
  reason: described(Schema.NullOr(Schema.String), "why it is on the list; null when nobody said"),
  createdAt: described(Timestamp, "time of the addition"),
}).annotations({ identifier: "ListEntry", description: "An entry of an allow list or a block list" })
export type ListEntry = typeof ListEntry.Type

export const viewListEntry = ({ id, entry, reason, createdAt }: ListEntryRecord): ListEntry => ({
  id,
  entry,
  reason,
  createdAt: timestamp(createdAt),
})
