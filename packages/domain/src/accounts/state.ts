/**
 * The state of an account, derived from its fields and the time, so that no background job has to change it
 * (docs/specification/states.md).
 */
import { plans } from "../billing/plans.js"
import { inboundQuota, quotaPercentage } from "../billing/inbound.js"
import { TRIAL_DURATION, TRIAL_RECEIVES, TRIAL_SENDS } from "../limits.js"
import { countIn, dayOf, type Instant, monthOf, nextMonth, timestamp, timestampOrNull } from "../time.js"
import type { Account, AccountRecord, AccountState } from "./Account.js"

/** Where accounts pay; `none`: no trial, and nobody has to pay. */
export type BillingMode = "simulated" | "stripe" | "none"

type TrialFacts = Pick<AccountRecord, "emailVerifiedAt" | "trialSends" | "trialReceives">

export const trialExpiresAt = (verifiedAt: Instant): Instant => verifiedAt + TRIAL_DURATION

/** The trial is spent when its sends are used or its days are over, whichever comes first. */
export const trialSpent = (account: TrialFacts, now: Instant): boolean =>
  account.trialSends >= TRIAL_SENDS ||
  (account.emailVerifiedAt !== null && now >= trialExpiresAt(account.emailVerifiedAt))

/** Why an account has to pay before it can go on. */
export type PaymentReason = "the plan has lapsed" | "the trial's sends are used up" | "the trial is over"

/** Why the account is in the state `payment_required`, if it is. */
export const paymentReason = (account: Pick<AccountRecord, "lapsed" | "trialSends">): PaymentReason => {
  if (account.lapsed) return "the plan has lapsed"
  return account.trialSends >= TRIAL_SENDS ? "the trial's sends are used up" : "the trial is over"
}

export type StateFacts = TrialFacts & Pick<AccountRecord, "plan" | "lapsed" | "suspendedAt">

export const accountState = (account: StateFacts, billing: BillingMode, now: Instant): AccountState =>
  account.suspendedAt === null ? stateBehindSuspension(account, billing, now) : "suspended"

/**
 * The state without a suspension. Mail accepted before a suspension is still delivered, and counted and gated by this
 * state.
 */
export const stateBehindSuspension = (
  account: StateFacts,
  billing: BillingMode,
  now: Instant,
): Exclude<AccountState, "suspended"> => {
  if (account.lapsed && billing !== "none") return "payment_required"
  // An account may pay before verification (spec: decisions.upgrade.before-verification).
  if (account.plan !== "Free") return "active"
  if (account.emailVerifiedAt === null) return "unverified"
  if (billing === "none") return "active"
  return trialSpent(account, now) ? "payment_required" : "trial"
}

const viewTrial = (account: AccountRecord, billing: BillingMode, now: Instant): Account["trial"] => {
  const startedAt = account.emailVerifiedAt
  if (startedAt === null || billing === "none" || account.plan !== "Free") return null
  const expiresAt = trialExpiresAt(startedAt)
  return {
    active: accountState(account, billing, now) === "trial",
    expired: now >= expiresAt,
    exhausted: account.trialSends >= TRIAL_SENDS,
    sendsUsed: account.trialSends,
    sendsRemaining: Math.max(0, TRIAL_SENDS - account.trialSends),
    sendCap: TRIAL_SENDS,
    receivesUsed: account.trialReceives,
    receivesRemaining: Math.max(0, TRIAL_RECEIVES - account.trialReceives),
    receiveCap: TRIAL_RECEIVES,
    startedAt: timestamp(startedAt),
    expiresAt: timestamp(expiresAt),
  }
}

/** Numbers of an account's mailboxes. */
export interface MailboxCounts {
  readonly total: number
  /** not paused: these count towards the plan's limit, the suspended ones too */
  readonly unpaused: number
  /** ACTIVE */
  readonly active: number
}

export const noMailboxes: MailboxCounts = { total: 0, unpaused: 0, active: 0 }

/** The fields of `GET /v1/account`. */
export const viewAccount = (
  account: AccountRecord,
  mailboxes: MailboxCounts,
  billing: BillingMode,
  now: Instant,
): Account => {
  const limits = plans[account.plan]
  const state = accountState(account, billing, now)
  const quota = inboundQuota(account, state, now)
  return {
    id: account.id,
    email: account.email,
    emailVerified: account.emailVerifiedAt !== null,
    name: account.name,
    slug: account.slug,
    plan: account.plan,
    billingPeriod: account.billingPeriod,
    state,
    suspended: account.suspendedAt !== null,
    suspendedAt: timestampOrNull(account.suspendedAt),
    suspendedReason: account.suspendedReason,
    sendingPaused: account.sendingPaused,
    storageUsedBytes: account.storageUsedBytes,
    storageLimitBytes: limits.storageBytes,
    mailboxCount: mailboxes.total,
    activeMailboxCount: mailboxes.active,
    mailboxLimit: limits.mailboxes,
    sentToday: countIn(account.sentDay, dayOf(now)),
    sentThisMonth: countIn(account.sentMonth, monthOf(now)),
    receivedToday: countIn(account.receivedDay, dayOf(now)),
    bouncedToday: countIn(account.bouncedDay, dayOf(now)),
    monthlyInboundCount: quota.current,
    monthlyInboundLimit: quota.limit,
    monthlyInboundPercentage: quotaPercentage(quota),
    monthlyInboundResetAt: timestamp(nextMonth(now)),
    overLimitMessageCount: account.overLimitCount,
    billingLinked: account.billingReference !== null,
    trial: viewTrial(account, billing, now),
    createdAt: timestamp(account.createdAt),
  }
}
