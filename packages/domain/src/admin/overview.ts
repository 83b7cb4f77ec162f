/** What an operator sees over all accounts (decisions §1, ADMIN_TOKEN; docs/decisions/0020). */
import { Schema } from "effect"
import { AccountId, MailboxId, MessageId } from "../ids.js"
import { STATS_COUNTED_TO } from "../limits.js"
import { Timestamp } from "../time.js"

/** Somebody reported a mail of ours as abuse. */
export const Complaint = Schema.Struct({
  accountId: AccountId,
  slug: Schema.String,
  mailboxId: MailboxId,
  messageId: MessageId,
  recipients: Schema.Array(Schema.String).annotations({ description: "who complained" }),
  at: Timestamp,
}).annotations({ identifier: "Complaint" })
export type Complaint = typeof Complaint.Type

const Counted = Schema.Int.pipe(Schema.between(0, STATS_COUNTED_TO))

/** Counting ends at `countedTo`: a number that has reached it means so many or more. */
export const Stats = Schema.Struct({
  countedTo: Schema.Literal(STATS_COUNTED_TO),
  accounts: Counted,
  suspendedAccounts: Counted,
  mailboxes: Counted,
  messagesToday: Counted.annotations({
    description: "in and out, made since midnight UTC and not deleted since",
  }),
  queuedMails: Counted.annotations({ description: "accepted, and not delivered yet" }),
  waitingDeliveries: Counted.annotations({ description: "webhook deliveries that wait for an attempt" }),
  waitingJobs: Counted.annotations({ description: "background work that waits" }),
}).annotations({ identifier: "Stats" })
export type Stats = typeof Stats.Type
