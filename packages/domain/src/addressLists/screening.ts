/** Which senders a mailbox refuses at RCPT TO (spec: senders.refuse.550). */
import type { AccountId, MailboxId } from "../ids.js"
import { normalizeAddress } from "../mailboxes/address.js"
import type { ReceivePolicy } from "../mailboxes/policies.js"
import type { ListVerdict } from "./listVerdict.js"

/** What decides about senders, of a mailbox whose `onBlocked` is `refuse`. */
export interface Screening {
  readonly accountId: AccountId
  readonly mailboxId: MailboxId
  readonly receivePolicy: ReceivePolicy
  readonly listEntryCount: number
  /** the owner's address; null while it is not verified */
  readonly ownerEmail: string | null
}

/** Whether the refusal needs no list: nothing blocks the null return path, nor a sender of an open mailbox without lists. */
export const needsNoScreening = (
  { receivePolicy, listEntryCount }: Screening,
  envelopeFrom: string,
): boolean => envelopeFrom === "" || (receivePolicy === "open" && listEntryCount === 0)

/**
 * Whether a mailbox refuses mail from an envelope sender. Nothing proves the sender yet, so its allow entries count here;
 * delivery judges the mail again.
 */
export const isRefusedSender = (
  { receivePolicy, ownerEmail }: Screening,
  verdict: ListVerdict,
  envelopeFrom: string,
): boolean => {
  if (verdict !== "none") return verdict === "block"
  return receivePolicy === "allowlisted" && normalizeAddress(envelopeFrom) !== ownerEmail
}
