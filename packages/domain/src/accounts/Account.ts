/** An account: its owner, its plan and its usage (spec: decisions.account.fields). */
import { Either, Schema } from "effect"
import { described } from "../described.js"
import { BillingPeriod, Plan, plans } from "../billing/plans.js"
import { StorageFull } from "../errors.js"
import { AccountId } from "../ids.js"
import { normalizeAddress } from "../mailboxes/address.js"
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
    "State of an account: it can send in `trial` and, once the owner's address is verified, in `active`",
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
  /** entries of all its allow and block lists, those of its mailboxes included */
  listEntryCount: Schema.Int,
  /** whether the owner has paused all sends */
  sendingPaused: Schema.Boolean,
  /** when the owner was last mailed about reviews; of a notice that had nothing to tell, a time that delays no mail */
  reviewNoticedAt: Schema.NullOr(Instant),
  createdAt: Instant,
})
export type AccountRecord = typeof AccountRecord.Type

/** Whether an address is the owner's, and verified. Whether the sender is proven is another question. */
export const isOwnersMail = (
  { email, emailVerifiedAt }: Pick<AccountRecord, "email" | "emailVerifiedAt">,
  from: string,
): boolean => emailVerifiedAt !== null && normalizeAddress(from) === email

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
  listEntryCount: 0,
  sendingPaused: false,
  reviewNoticedAt: null,
})

export const Trial = Schema.Struct({
  active: described(Schema.Boolean, "whether the trial is running"),
  expired: described(Schema.Boolean, "whether its three days have passed"),
  exhausted: described(Schema.Boolean, "whether all its sends are used"),
  sendsUsed: described(Schema.Int, "sends so far"),
  sendsRemaining: described(Schema.Int, "remaining sends"),
  sendCap: described(Schema.Int, "sends of the trial"),
  receivesUsed: described(Schema.Int, "messages received so far"),
  receivesRemaining: described(Schema.Int, "remaining messages that will be visible"),
  receiveCap: described(Schema.Int, "received messages of the trial that are visible"),
  startedAt: described(Timestamp, "start: when the owner verified the address"),
  expiresAt: described(Timestamp, "end of the trial"),
}).annotations({ identifier: "Trial", description: "The card-free trial" })

/** The account as `GET /v1/account` shows it. */
export const Account = Schema.Struct({
  id: described(AccountId, "id of the account"),
  email: described(Schema.String, "the owner's address"),
  emailVerified: described(Schema.Boolean, "whether the owner has verified that address"),
  name: described(Schema.NullOr(Schema.String), "the owner's name; null for none"),
  slug: described(Schema.String, "the subdomain of the account's addresses"),
  plan: described(Plan, "current plan"),
  billingPeriod: described(BillingPeriod, "billing period"),
  state: described(AccountState, "state of the account"),
  suspended: described(Schema.Boolean, "whether the operator suspended it"),
  suspendedAt: described(Schema.NullOr(Timestamp), "start of the suspension; null while not suspended"),
  suspendedReason: described(
    Schema.NullOr(Schema.String),
    "reason of the suspension; null while not suspended",
  ),
  sendingPaused: described(
    Schema.Boolean,
    "whether the owner has paused all sends; scheduled ones wait meanwhile",
  ),
  storageUsedBytes: described(Schema.Int, "storage used by attachments and drafts, bytes"),
  storageLimitBytes: described(Schema.Int, "storage that the plan includes, bytes"),
  mailboxCount: described(Schema.Int, "number of mailboxes"),
  activeMailboxCount: described(Schema.Int, "number of ACTIVE mailboxes"),
  mailboxLimit: described(Schema.Int, "mailboxes that the plan allows"),
  sentToday: described(Schema.Int, "sends since midnight UTC, over all mailboxes"),
  sentThisMonth: described(Schema.Int, "sends since the first of the month UTC, over all mailboxes"),
  receivedToday: described(Schema.Int, "messages received since midnight UTC"),
  bouncedToday: described(Schema.Int, "bounced recipients since midnight UTC"),
  monthlyInboundCount: described(Schema.Int, "messages received in the current quota period"),
  monthlyInboundLimit: described(Schema.NullOr(Schema.Int), "limit of that period; null means unlimited"),
  monthlyInboundPercentage: described(Schema.Number, "used percentage of the inbound limit, to one decimal"),
  monthlyInboundResetAt: described(Timestamp, "start of the next month"),
  overLimitMessageCount: described(Schema.Int, "gated messages above the inbound limit"),
  billingLinked: described(Schema.Boolean, "whether the account has a subscription"),
  trial: described(
    Schema.NullOr(Trial),
    "the trial; null before verification, on a paid plan, and where nothing is sold",
  ),
  createdAt: described(Timestamp, "time of creation"),
}).annotations({
  identifier: "Account",
  description: "An account: its plan, limits and usage",
})
export type Account = typeof Account.Type

/** The account after so many bytes were added, or released when negative. `StorageFull` above the storage of its plan. */
export const takeStorage = <A extends Pick<AccountRecord, "plan" | "storageUsedBytes">>(
  account: A,
  bytes: number,
): Either.Either<A, StorageFull> => {
  const usedBytes = account.storageUsedBytes
  const limitBytes = plans[account.plan].storageBytes
  return bytes > 0 && usedBytes + bytes > limitBytes
    ? Either.left(new StorageFull({ usedBytes, limitBytes }))
    : Either.right(releaseStorage(account, -bytes))
}

/** The account after attachments of this many bytes were deleted. */
export const releaseStorage = <A extends Pick<AccountRecord, "storageUsedBytes">>(
  account: A,
  bytes: number,
): A => ({ ...account, storageUsedBytes: Math.max(0, account.storageUsedBytes - bytes) })

type Suspension = Pick<AccountRecord, "suspendedAt" | "suspendedReason">

/** Suspension by the operator. Suspending a suspended account keeps the time of the first suspension and takes the new reason. */
export const suspendAccount = <A extends Suspension>(account: A, reason: string, now: Instant): A => ({
  ...account,
  suspendedAt: account.suspendedAt ?? now,
  suspendedReason: reason,
})

export const unsuspendAccount = <A extends Suspension>(account: A): A => ({
  ...account,
  suspendedAt: null,
  suspendedReason: null,
})
