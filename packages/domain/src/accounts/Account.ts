/** An account: who owns mailboxes, what it bought and what it has used (spec, Account / user; decisions §2, §3). */
import { Schema } from "effect"
import { BillingPeriod, Plan } from "../billing/plans.js"
import { AccountId } from "../ids.js"
import { Instant, noCount, Timestamp, WindowCount } from "../time.js"

export const AccountState = Schema.Literal(
  "unverified",
  "trial",
  "payment_required",
  "active",
  "suspended",
).annotations({
  identifier: "AccountState",
  description:
    "Where an account stands: sending starts with `trial`, and ends with `payment_required` and `suspended`",
})
export type AccountState = typeof AccountState.Type

/** The account as it is stored. Its state is not: it follows from these facts and the time (`accountState`). */
export const AccountRecord = Schema.Struct({
  id: AccountId,
  email: Schema.String,
  name: Schema.NullOr(Schema.String),
  slug: Schema.String,
  passwordHash: Schema.String,
  plan: Plan,
  billingPeriod: BillingPeriod,
  /** a subscription that ended unpaid */
  lapsed: Schema.Boolean,
  billingReference: Schema.NullOr(Schema.String),
  /** what the signup said it would buy */
  intentPlan: Schema.NullOr(Plan),
  intentPeriod: Schema.NullOr(BillingPeriod),
  emailVerifiedAt: Schema.NullOr(Instant),
  /** when the owner's welcome mail was asked for: there is one only */
  welcomedAt: Schema.NullOr(Instant),
  /** when it was first asked where the verified owner goes */
  onboardedAt: Schema.NullOr(Instant),
  suspendedAt: Schema.NullOr(Instant),
  suspendedReason: Schema.NullOr(Schema.String),
  trialSends: Schema.Int,
  trialReceives: Schema.Int,
  sentDay: WindowCount,
  sentMonth: WindowCount,
  receivedDay: WindowCount,
  receivedMonth: WindowCount,
  bouncedDay: WindowCount,
  /** inbound messages stored but gated, over all mailboxes */
  overLimitCount: Schema.Int,
  /** the month whose cap gated them; they unlock when another one begins; null when only a purchase unlocks them */
  overLimitMonth: Schema.NullOr(Schema.String),
  /** unlocked messages are still being put into lists and threads */
  unlocking: Schema.Boolean,
  storageUsedBytes: Schema.Int,
  createdAt: Instant,
})
export type AccountRecord = typeof AccountRecord.Type

/** What whoever opens an account decides about it. */
export type OpenedAccount = Pick<
  AccountRecord,
  "id" | "email" | "name" | "slug" | "passwordHash" | "intentPlan" | "intentPeriod" | "createdAt"
>

/** An account that was just opened: its email is not verified, nothing is bought, nothing is used. */
export const newAccount = (opened: OpenedAccount): AccountRecord => ({
  ...opened,
  plan: "Free",
  billingPeriod: "monthly",
  lapsed: false,
  billingReference: null,
  emailVerifiedAt: null,
  welcomedAt: null,
  onboardedAt: null,
  suspendedAt: null,
  suspendedReason: null,
  trialSends: 0,
  trialReceives: 0,
  sentDay: noCount,
  sentMonth: noCount,
  receivedDay: noCount,
  receivedMonth: noCount,
  bouncedDay: noCount,
  overLimitCount: 0,
  overLimitMonth: null,
  unlocking: false,
  storageUsedBytes: 0,
})

export const Trial = Schema.Struct({
  active: Schema.Boolean,
  expired: Schema.Boolean,
  exhausted: Schema.Boolean,
  sendsUsed: Schema.Int,
  sendsRemaining: Schema.Int,
  sendCap: Schema.Int,
  receivesUsed: Schema.Int,
  receivesRemaining: Schema.Int,
  receiveCap: Schema.Int,
  startedAt: Timestamp,
  expiresAt: Timestamp,
}).annotations({ identifier: "Trial", description: "The card-free trial (spec, Account and key gating)" })

/** The account as `GET /v1/account` shows it. */
export const Account = Schema.Struct({
  id: AccountId,
  email: Schema.String,
  emailVerified: Schema.Boolean,
  name: Schema.NullOr(Schema.String),
  slug: Schema.String,
  plan: Plan,
  billingPeriod: BillingPeriod,
  state: AccountState,
  suspended: Schema.Boolean,
  suspendedAt: Schema.NullOr(Timestamp),
  suspendedReason: Schema.NullOr(Schema.String),
  storageUsedBytes: Schema.Int,
  storageLimitBytes: Schema.Int,
  mailboxCount: Schema.Int,
  activeMailboxCount: Schema.Int,
  mailboxLimit: Schema.Int,
  sentToday: Schema.Int,
  sentThisMonth: Schema.Int,
  receivedToday: Schema.Int,
  bouncedToday: Schema.Int,
  monthlyInboundCount: Schema.Int,
  monthlyInboundLimit: Schema.NullOr(Schema.Int).annotations({ description: "null is unlimited" }),
  monthlyInboundPercentage: Schema.Number,
  monthlyInboundResetAt: Timestamp,
  overLimitMessageCount: Schema.Int,
  billingLinked: Schema.Boolean,
  trial: Schema.NullOr(Trial),
  createdAt: Timestamp,
}).annotations({
  identifier: "Account",
  description: "An account: what it bought, what it may and what it has used",
})
export type Account = typeof Account.Type

/** The account after so many bytes of attachments are gone. */
export const releaseStorage = <A extends Pick<AccountRecord, "storageUsedBytes">>(
  account: A,
  bytes: number,
): A => ({ ...account, storageUsedBytes: Math.max(0, account.storageUsedBytes - bytes) })
