/** An account: its owner, its plan and its usage (spec: decisions.account.fields). */
import { Schema } from "effect"
import { described } from "../described.js"
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

/** The stored account. Its state is not stored: `accountState` derives it from these fields and the time. */
export const AccountRecord = Schema.Struct({
  id: AccountId,
  email: Schema.String,
  name: Schema.NullOr(Schema.String),
  slug: Schema.String,
  passwordHash: Schema.String,
  plan: Plan,
  billingPeriod: BillingPeriod,
  /** when a subscription ended unpaid */
  lapsed: Schema.Boolean,
  billingReference: Schema.NullOr(Schema.String),
  /** the plan that the signup intends to buy */
  intentPlan: Schema.NullOr(Plan),
  intentPeriod: Schema.NullOr(BillingPeriod),
  emailVerifiedAt: Schema.NullOr(Instant),
  /** when the welcome mail was requested; there is only one */
  welcomedAt: Schema.NullOr(Instant),
  /** first call of post-verify-target after verification */
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
  /** the month whose cap gated them: they unlock when the next month begins; null when only a purchase unlocks them */
  overLimitMonth: Schema.NullOr(Schema.String),
  /** whether unlocked messages are still being added to lists and threads */
  unlocking: Schema.Boolean,
  storageUsedBytes: Schema.Int,
  createdAt: Instant,
})
export type AccountRecord = typeof AccountRecord.Type

/** The fields that signup sets. */
export type OpenedAccount = Pick<
  AccountRecord,
  "id" | "email" | "name" | "slug" | "passwordHash" | "intentPlan" | "intentPeriod" | "createdAt"
>

/** A new account: unverified, on Free, without usage. */
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
  active: described(Schema.Boolean, "whether the trial runs"),
  expired: described(Schema.Boolean, "whether its three days are over"),
  exhausted: described(Schema.Boolean, "whether its sends are used up"),
  sendsUsed: described(Schema.Int, "sends so far"),
  sendsRemaining: described(Schema.Int, "sends that are left"),
  sendCap: described(Schema.Int, "sends in all"),
  receivesUsed: described(Schema.Int, "mails received so far"),
  receivesRemaining: described(Schema.Int, "mails that can still be received"),
  receiveCap: described(Schema.Int, "mails in all"),
  startedAt: described(Timestamp, "when it began: when the owner verified"),
  expiresAt: described(Timestamp, "when it ends"),
}).annotations({ identifier: "Trial", description: "The card-free trial" })

/** The account as `GET /v1/account` shows it. */
export const Account = Schema.Struct({
  id: described(AccountId, "id of the account"),
  email: described(Schema.String, "the owner's address"),
  emailVerified: described(Schema.Boolean, "whether the owner has verified that address"),
  name: described(Schema.NullOr(Schema.String), "the owner's name; null when none was given"),
  slug: described(Schema.String, "the subdomain of the account's addresses"),
  plan: described(Plan, "the plan it is on"),
  billingPeriod: described(BillingPeriod, "how it is billed"),
  state: described(AccountState, "what it may do now"),
  suspended: described(Schema.Boolean, "whether the operator suspended it"),
  suspendedAt: described(Schema.NullOr(Timestamp), "since when; null while it is not suspended"),
  suspendedReason: described(Schema.NullOr(Schema.String), "why; null while it is not suspended"),
  storageUsedBytes: described(Schema.Int, "what attachments take, bytes"),
  storageLimitBytes: described(Schema.Int, "what they may take on the plan, bytes"),
  mailboxCount: described(Schema.Int, "how many mailboxes there are"),
  activeMailboxCount: described(Schema.Int, "how many of them are ACTIVE"),
  mailboxLimit: described(Schema.Int, "how many the plan allows"),
  sentToday: described(Schema.Int, "sends since midnight UTC, over all mailboxes"),
  sentThisMonth: described(Schema.Int, "sends since the first of the month, UTC"),
  receivedToday: described(Schema.Int, "mails received since midnight UTC"),
  bouncedToday: described(Schema.Int, "recipients who could not be reached, since midnight UTC"),
  monthlyInboundCount: described(Schema.Int, "mails received since the first of the month, UTC"),
  monthlyInboundLimit: described(Schema.NullOr(Schema.Int), "null is unlimited"),
  monthlyInboundPercentage: described(Schema.Number, "how much of the inbound limit that is, to a tenth"),
  monthlyInboundResetAt: described(Timestamp, "when the month turns"),
  overLimitMessageCount: described(Schema.Int, "messages above the inbound limit, which are hidden"),
  billingLinked: described(Schema.Boolean, "whether there is a customer with the payment provider"),
  trial: described(
    Schema.NullOr(Trial),
    "the card-free trial; null before the owner verified, on a paid plan, and where nothing is sold",
  ),
  createdAt: described(Timestamp, "when it was opened"),
}).annotations({
  identifier: "Account",
  description: "An account: what it bought, what it may and what it has used",
})
export type Account = typeof Account.Type

/** The account after attachments of this many bytes were deleted. */
export const releaseStorage = <A extends Pick<AccountRecord, "storageUsedBytes">>(
  account: A,
  bytes: number,
): A => ({ ...account, storageUsedBytes: Math.max(0, account.storageUsedBytes - bytes) })
