/** What the operator sees of all accounts (docs/decisions/0020). */
import { Schema } from "effect"
import { described } from "../described.js"
import { AccountId, MailboxId, MessageId } from "../ids.js"
import { STATS_COUNTED_TO } from "../limits.js"
import { SendingStopReason } from "../reputation/sendingHealth.js"
import { Timestamp } from "../time.js"

/** A recipient reported a mail of this service as spam. */
export const Complaint = Schema.Struct({
  accountId: AccountId,
  slug: Schema.String,
  mailboxId: MailboxId,
  messageId: MessageId,
  recipients: described(Schema.Array(Schema.String), "recipients who complained"),
  at: Timestamp,
}).annotations({ identifier: "Complaint" })
export type Complaint = typeof Complaint.Type

/** A mailbox whose sending the service stopped. */
export const StoppedMailbox = Schema.Struct({
  accountId: AccountId,
  slug: Schema.String,
  mailboxId: MailboxId,
  address: described(Schema.String, "full address of the mailbox"),
  at: described(Timestamp, "when its sending was stopped"),
  reason: SendingStopReason,
}).annotations({ identifier: "StoppedMailbox" })
export type StoppedMailbox = typeof StoppedMailbox.Type

const Counted = Schema.Int.pipe(Schema.between(0, STATS_COUNTED_TO))

/** Counting stops at `countedTo`: a number that equals it means "this many or more". */
export const Stats = Schema.Struct({
  countedTo: Schema.Literal(STATS_COUNTED_TO),
  accounts: Counted,
  suspendedAccounts: Counted,
  mailboxes: Counted,
  stoppedMailboxes: described(Counted, "mailboxes whose sending is stopped"),
  messagesToday: described(Counted, "messages in and out since midnight UTC that still exist"),
  queuedMails: described(Counted, "accepted mails that are not delivered yet"),
  waitingDeliveries: described(Counted, "webhook deliveries waiting for an attempt"),
  waitingJobs: described(Counted, "background jobs waiting"),
}).annotations({ identifier: "Stats" })
export type Stats = typeof Stats.Type
