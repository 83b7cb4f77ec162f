/** Suppressed addresses, which an account must not send to (spec: decisions.suppression.fields). */
import { Schema } from "effect"
import { described } from "../described.js"
import { AccountId, MailboxId, SuppressionId } from "../ids.js"
import { Instant, timestamp, Timestamp } from "../time.js"

export const SuppressionReason = Schema.Literal("BOUNCE", "COMPLAINT", "MANUAL").annotations({
  identifier: "SuppressionReason",
  description: "Why an address is suppressed",
})
export type SuppressionReason = typeof SuppressionReason.Type

export const SuppressionRecord = Schema.Struct({
  id: SuppressionId,
  accountId: AccountId,
  email: Schema.String,
  reason: SuppressionReason,
  createdAt: Instant,
})
export type SuppressionRecord = typeof SuppressionRecord.Type

/** An address that one mailbox must not send to, because its reader unsubscribed from the mailbox. */
export const MailboxSuppressionRecord = Schema.Struct({ ...SuppressionRecord.fields, mailboxId: MailboxId })
export type MailboxSuppressionRecord = typeof MailboxSuppressionRecord.Type

export const Suppression = Schema.Struct({
  id: described(SuppressionId, "id of the entry"),
  email: described(Schema.String, "the address, lower-case"),
  reason: described(SuppressionReason, "why it is suppressed"),
  mailboxId: Schema.optional(MailboxId).annotations({
    description: "the mailbox that must not send to the address; absent: no mailbox of the account may",
  }),
  createdAt: described(Timestamp, "time of the suppression"),
}).annotations({ identifier: "Suppression", description: "A suppressed address" })
export type Suppression = typeof Suppression.Type

export const viewSuppression = (record: SuppressionRecord | MailboxSuppressionRecord): Suppression => ({
  id: record.id,
  email: record.email,
  reason: record.reason,
  ...("mailboxId" in record && { mailboxId: record.mailboxId }),
  createdAt: timestamp(record.createdAt),
})
