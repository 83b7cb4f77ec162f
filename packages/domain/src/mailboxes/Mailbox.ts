/** Mailboxes (spec, Mailbox; decisions §2). */
import { Schema } from "effect"
import { plans, type Plan } from "../billing/plans.js"
import { AccountId, DomainId, MailboxId } from "../ids.js"
import { countIn, dayOf, Instant, monthOf, timestamp, Timestamp, WindowCount } from "../time.js"

/** Written as the specification writes them. */
export const MailboxStatus = Schema.Literal("ACTIVE", "paused", "suspended").annotations({
  identifier: "MailboxStatus",
  description: "Only an ACTIVE mailbox can send; a paused one still receives",
})
export type MailboxStatus = typeof MailboxStatus.Type

export const MailboxRecord = Schema.Struct({
  id: MailboxId,
  accountId: AccountId,
  domainId: Schema.NullOr(DomainId),
  localPart: Schema.String,
  fullAddress: Schema.String,
  displayName: Schema.NullOr(Schema.String),
  status: MailboxStatus,
  pausedByBilling: Schema.Boolean,
  suspendedReason: Schema.NullOr(Schema.String),
  provisioned: Schema.Boolean,
  sentDay: WindowCount,
  sentMonth: WindowCount,
  receivedMonth: WindowCount,
  /** sends in the running minute, for the velocity gate */
  sentMinute: WindowCount,
  overLimitCount: Schema.Int,
  createdAt: Instant,
  updatedAt: Instant,
})
export type MailboxRecord = typeof MailboxRecord.Type

export const Mailbox = Schema.Struct({
  id: MailboxId,
  domainId: Schema.NullOr(DomainId),
  address: Schema.String.annotations({ description: "the local part" }),
  fullAddress: Schema.String,
  displayName: Schema.NullOr(Schema.String),
  status: MailboxStatus,
  mailServerProvisioned: Schema.Boolean,
  dailySendCount: Schema.Int,
  dailySendLimit: Schema.Int,
  monthlySendCount: Schema.Int,
  monthlySendLimit: Schema.NullOr(Schema.Int).annotations({ description: "null is unlimited" }),
  receivedThisMonth: Schema.Int,
  pausedByBilling: Schema.Boolean,
  suspendedReason: Schema.NullOr(Schema.String),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}).annotations({
  identifier: "Mailbox",
  description: "A mailbox: its address, its settings and what it has used",
})
export type Mailbox = typeof Mailbox.Type

export const viewMailbox = (mailbox: MailboxRecord, plan: Plan, now: Instant): Mailbox => ({
  id: mailbox.id,
  domainId: mailbox.domainId,
  address: mailbox.localPart,
  fullAddress: mailbox.fullAddress,
  displayName: mailbox.displayName,
  status: mailbox.status,
  mailServerProvisioned: mailbox.provisioned,
  dailySendCount: countIn(mailbox.sentDay, dayOf(now)),
  dailySendLimit: plans[plan].sendsPerDay,
  monthlySendCount: countIn(mailbox.sentMonth, monthOf(now)),
  monthlySendLimit: plans[plan].sendsPerMonth,
  receivedThisMonth: countIn(mailbox.receivedMonth, monthOf(now)),
  pausedByBilling: mailbox.pausedByBilling,
  suspendedReason: mailbox.suspendedReason,
  createdAt: timestamp(mailbox.createdAt),
  updatedAt: timestamp(mailbox.updatedAt),
})
