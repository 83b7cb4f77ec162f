/** The addresses that a mailbox has exchanged mail with. */
import { Schema } from "effect"
import { MailboxId } from "../ids.js"
import { ADDRESS_MAX_LENGTH, normalizeAddress } from "../mailboxes/address.js"
import { isProvenAuthor, type MessageContent } from "../messages/Message.js"
import { Instant } from "../time.js"

/** What a mailbox has to do with an address; at least one of the times is set. */
export const Correspondent = Schema.Struct({
  mailboxId: MailboxId,
  /** normalized */
  address: Schema.String,
  /** when the first mail that `provenAuthor` wrote was delivered here; null without one. Quarantined mail does not count */
  heardAt: Schema.NullOr(Instant),
  /** when the first mail of this mailbox to the address was sent; null without one */
  writtenAt: Schema.NullOr(Instant),
  /** when a person first approved a mail to the address; null without approval */
  approvedAt: Schema.NullOr(Instant),
})
export type Correspondent = typeof Correspondent.Type

/**
 * The form in which an address is remembered; null for text that is no address: without an @, longer than 254 characters,
 * or with spaces or control characters.
 */
export const correspondentAddress = (address: string): string | null => {
  const normalized = normalizeAddress(address)
  return normalized.length <= ADDRESS_MAX_LENGTH &&
    /^[^\0-\u0020\u007f]+@[^\0-\u0020\u007f]+$/.test(normalized)
    ? normalized
    : null
}

/**
 * The address that wrote a received message; null when its domain is not proven (`Authentication.verifiedDomain`), or for a
 * text that is no address. Anybody can write any address into From. A mailbox under `review_new` sends to those who wrote to
 * it, so a forged mail must not make its author known (spec: drafts.review.heard).
 */
export const provenAuthor = ({
  fromAddress,
  authentication,
}: Pick<MessageContent, "fromAddress" | "authentication">): string | null => {
  const address = correspondentAddress(fromAddress)
  return address !== null && authentication !== null && isProvenAuthor(authentication, address)
    ? address
    : null
}
