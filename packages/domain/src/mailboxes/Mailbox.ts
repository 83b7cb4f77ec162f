/** Mailboxes: as stored, and as the API shows them (spec: decisions.mailbox.fields). */
import { Schema } from "effect"
import { described } from "../described.js"
import { plans, type Plan } from "../billing/plans.js"
import { AccountId, DomainId, MailboxId } from "../ids.js"
import { SendingStopped, sendingStopped, SendingStopReason } from "../reputation/sendingHealth.js"
import type { Scope } from "../keys/ApiKey.js"
import { countIn, dayOf, Instant, monthOf, timestamp, Timestamp, WindowCount } from "../time.js"
import { MailboxPolicies, policyFields } from "./policies.js"

/** Spelled as clients see them (spec: decisions.mailbox.status-case). */
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
  /** sends in the current minute, for the velocity limit */
  sentMinute: WindowCount,
  overLimitCount: Schema.Int,
  sendingStoppedAt: Schema.NullOr(Instant),
  sendingStopReason: Schema.NullOr(SendingStopReason),
  policies: MailboxPolicies,
  createdAt: Instant,
  updatedAt: Instant,
})
export type MailboxRecord = typeof MailboxRecord.Type

export const Mailbox = Schema.Struct({
  id: described(MailboxId, "id of the mailbox"),
  domainId: described(Schema.NullOr(DomainId), "custom domain of the address; null on the platform domain"),
  address: described(Schema.String, "the local part"),
  fullAddress: described(Schema.String, "the full address"),
  displayName: described(
    Schema.NullOr(Schema.String),
    "display name in the From header of sent mail; null for none",
  ),
  status: described(MailboxStatus, "ACTIVE, paused or suspended"),
  mailServerProvisioned: described(Schema.Boolean, "whether it can receive; true seconds after creation"),
  dailySendCount: described(Schema.Int, "sends since midnight UTC"),
  dailySendLimit: described(Schema.Int, "sends that the plan allows in a day"),
  monthlySendCount: described(Schema.Int, "sends since the first of the month, UTC"),
  monthlySendLimit: described(
    Schema.NullOr(Schema.Int),
    "sends that the plan allows in a month; null means unlimited",
  ),
  receivedThisMonth: described(Schema.Int, "mails received since the first of the month, UTC"),
  pausedByBilling: described(Schema.Boolean, "whether it is paused because the plan has no room for it"),
  suspendedReason: described(
    Schema.NullOr(Schema.String),
    "reason of the suspension; null while it is not suspended",
  ),
  sendingStopped: described(
    Schema.NullOr(SendingStopped),
    "why it must not send; null while it may. It still receives, and `POST …/resume-sending` ends it",
  ),
  ...policyFields,
  createdAt: described(Timestamp, "time of creation"),
  updatedAt: described(Timestamp, "time of the last change of its settings"),
}).annotations({
  identifier: "Mailbox",
  description: "A mailbox: its address, settings and usage. A scoped key does not see its policies",
})
export type Mailbox = typeof Mailbox.Type

/** A display name without spaces around it; null for one that is blank, which names nobody. */
export const displayNameOf = (text: string | null): string | null => {
  const name = text?.trim() ?? ""
  return name === "" ? null : name
}

/** The mailbox as a caller with this scope sees it: a scoped key does not see the policies. */
export const viewMailbox = (mailbox: MailboxRecord, plan: Plan, now: Instant, scope: Scope): Mailbox => ({
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
  sendingStopped: sendingStopped(mailbox),
  ...(scope === null && mailbox.policies),
  createdAt: timestamp(mailbox.createdAt),
  updatedAt: timestamp(mailbox.updatedAt),
})
