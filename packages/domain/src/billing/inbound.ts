/**
 * The inbound gate: what an arriving message costs, whether it may be seen, and what the quota headers say
 * (spec, Inbound message gating, Inbound limits, Quota headers; decisions §3).
 */
import { Schema } from "effect"
import { described } from "../described.js"
import type { AccountRecord, AccountState } from "../accounts/Account.js"
import { TRIAL_RECEIVES } from "../limits.js"
import {
  addTo,
  countIn,
  dayOf,
  type Instant,
  monthOf,
  nextMonth,
  timestamp,
  Timestamp,
  windowIn,
} from "../time.js"
import { plans } from "./plans.js"

/** Why a stored message is hidden: the month's cap, which its turn lifts, or the trial's, which only a purchase does. */
export const InboundGate = Schema.Literal("INBOUND_LIMIT_EXCEEDED", "INBOUND_TRIAL_LIMIT_EXCEEDED")
export type InboundGate = typeof InboundGate.Type

export interface InboundQuota {
  readonly current: number
  /** null is unlimited */
  readonly limit: number | null
}

type InboundFacts = Pick<
  AccountRecord,
  "plan" | "receivedMonth" | "receivedDay" | "trialReceives" | "overLimitCount" | "overLimitMonth"
>

/** In the trial the count starts at verification; otherwise it is the calendar month's, over all mailboxes. */
export const inboundQuota = (account: InboundFacts, state: AccountState, now: Instant): InboundQuota => {
  const trialNumbers = state === "trial" || (state === "payment_required" && account.plan === "Free")
  return trialNumbers
    ? { current: account.trialReceives, limit: TRIAL_RECEIVES }
    : { current: countIn(account.receivedMonth, monthOf(now)), limit: plans[account.plan].inboundPerMonth }
}

/** The gate of the next message to arrive, or null when it will be visible. */
export const inboundGate = (account: InboundFacts, state: AccountState, now: Instant): InboundGate | null => {
  // What arrives after the trial waits for the purchase, however few the receives it used.
  if (state === "payment_required") return "INBOUND_TRIAL_LIMIT_EXCEEDED"
  const { current, limit } = inboundQuota(account, state, now)
  if (limit === null || current < limit) return null
  return state === "trial" ? "INBOUND_TRIAL_LIMIT_EXCEEDED" : "INBOUND_LIMIT_EXCEEDED"
}

/**
 * The account after one message arrived. Gated messages count too: they were received. Precondition: what an earlier
 * month gated is unlocked (`monthTurned` is false), for this may name another month in `overLimitMonth`.
 */
export const countReceived = <A extends InboundFacts>(
  account: A,
  state: AccountState,
  gate: InboundGate | null,
  now: Instant,
): A => ({
  ...account,
  receivedDay: addTo(account.receivedDay, dayOf(now), 1),
  receivedMonth: addTo(account.receivedMonth, monthOf(now), 1),
  trialReceives: state === "trial" ? account.trialReceives + 1 : account.trialReceives,
  overLimitCount: gate === null ? account.overLimitCount : account.overLimitCount + 1,
  overLimitMonth:
    gate === "INBOUND_LIMIT_EXCEEDED"
      ? windowIn(account.receivedMonth, monthOf(now))
      : account.overLimitMonth,
})

/** Whether the month that gated messages is over, so that they unlock in place. */
export const monthTurned = (account: Pick<AccountRecord, "overLimitMonth">, now: Instant): boolean =>
  account.overLimitMonth !== null && account.overLimitMonth < monthOf(now)

/** Percent of the cap in use, to one decimal, rounded down: 100 means that the cap is reached. 0 when unlimited. */
export const quotaPercentage = ({ current, limit }: InboundQuota): number =>
  limit === null ? 0 : Math.floor((current * 1000) / limit) / 10

/** `X-Service-Inbound-Warning` (spec, Quota headers). */
export type InboundWarning = "approaching" | "near" | "reached"

export const inboundWarning = ({ current, limit }: InboundQuota): InboundWarning | null => {
  if (limit === null) return null
  const share = current / limit
  if (share >= 1) return "reached"
  if (share >= 0.8) return "near"
  return share >= 0.5 ? "approaching" : null
}

/** `account.inbound_usage` of events and `limitHint` of lists; only from 50 % on (spec, Events, rule 3). */
export const InboundUsage = Schema.Struct({
  current: described(Schema.Int, "mails received this month"),
  limit: described(Schema.NullOr(Schema.Int), "mails that the plan takes in a month; null is unlimited"),
  percentage: described(Schema.Number, "how much of the limit is used, to a tenth"),
  reset_date: described(Timestamp, "when the month turns"),
  status: described(Schema.Literal("approaching", "near", "limit_reached"), "from 50, 80 and 100 percent on"),
}).annotations({
  identifier: "InboundUsage",
  description: "How much of the inbound quota is used, from 50 percent on",
})
export type InboundUsage = typeof InboundUsage.Type

export const inboundUsage = (quota: InboundQuota, now: Instant): InboundUsage | null => {
  const warning = inboundWarning(quota)
  return warning === null ? null : usage(quota, warning === "reached" ? "limit_reached" : warning, now)
}

/** The usage of a stub: whatever the numbers, the limit is what stands in the way. */
export const reachedUsage = (quota: InboundQuota, now: Instant): InboundUsage =>
  usage(quota, "limit_reached", now)

const usage = (quota: InboundQuota, status: InboundUsage["status"], now: Instant): InboundUsage => ({
  current: quota.current,
  limit: quota.limit,
  percentage: quotaPercentage(quota),
  reset_date: timestamp(nextMonth(now)),
  status,
})
