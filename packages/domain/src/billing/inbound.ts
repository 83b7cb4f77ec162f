/**
 * The inbound limit: how an arriving message counts, whether it is visible or gated, and the quota headers
 * (docs/specification/states.md, Gated messages).
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

/** Why a message is gated: the monthly cap, which the next month or a purchase lifts, or the trial's cap, which only a purchase lifts. */
export const InboundGate = Schema.Literal("INBOUND_LIMIT_EXCEEDED", "INBOUND_TRIAL_LIMIT_EXCEEDED")
export type InboundGate = typeof InboundGate.Type

export interface InboundQuota {
  readonly current: number
  /** null means unlimited */
  readonly limit: number | null
}

type InboundFacts = Pick<
  AccountRecord,
  "plan" | "receivedMonth" | "receivedDay" | "trialReceives" | "overLimitCount" | "overLimitMonth"
>

/** The inbound quota over all mailboxes: in the trial since verification, else of the calendar month. */
export const inboundQuota = (account: InboundFacts, state: AccountState, now: Instant): InboundQuota => {
  const trialNumbers = state === "trial" || (state === "payment_required" && account.plan === "Free")
  return trialNumbers
    ? { current: account.trialReceives, limit: TRIAL_RECEIVES }
    : { current: countIn(account.receivedMonth, monthOf(now)), limit: plans[account.plan].inboundPerMonth }
}

/** The gate of the next message that arrives; null when it will be visible. */
export const inboundGate = (account: InboundFacts, state: AccountState, now: Instant): InboundGate | null => {
  // While payment is required, every message is gated, even if the trial had receives left.
  if (state === "payment_required") return "INBOUND_TRIAL_LIMIT_EXCEEDED"
  const { current, limit } = inboundQuota(account, state, now)
  if (limit === null || current < limit) return null
  return state === "trial" ? "INBOUND_TRIAL_LIMIT_EXCEEDED" : "INBOUND_LIMIT_EXCEEDED"
}

/**
 * The account after one more message. Gated messages count too. Precondition: messages gated in an earlier month are
 * unlocked (`monthTurned` is false), because this function may overwrite `overLimitMonth`.
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

/** Whether the month that gated messages has ended, so that they unlock. */
export const monthTurned = (account: Pick<AccountRecord, "overLimitMonth">, now: Instant): boolean =>
  account.overLimitMonth !== null && account.overLimitMonth < monthOf(now)

/** Used percentage of the cap, rounded down to one decimal: 100 means that the cap is reached. 0 without a cap. */
export const quotaPercentage = ({ current, limit }: InboundQuota): number =>
  limit === null ? 0 : Math.floor((current * 1000) / limit) / 10

/** `X-Service-Inbound-Warning` (docs/specification/errors.md, Quota headers). */
export type InboundWarning = "approaching" | "near" | "reached"

export const inboundWarning = ({ current, limit }: InboundQuota): InboundWarning | null => {
  if (limit === null) return null
  const share = current / limit
  if (share >= 1) return "reached"
  if (share >= 0.8) return "near"
  return share >= 0.5 ? "approaching" : null
}

/** `account.inbound_usage` of events and `limitHint` of lists; null below 50% (spec: events.rule-3). */
export const InboundUsage = Schema.Struct({
  current: described(Schema.Int, "messages received this month"),
  limit: described(
    Schema.NullOr(Schema.Int),
    "messages that the plan includes in a month; null means unlimited",
  ),
  percentage: described(Schema.Number, "used percentage of the limit, to one decimal"),
  reset_date: described(Timestamp, "start of the next month"),
  status: described(Schema.Literal("approaching", "near", "limit_reached"), "from 50, 80 and 100 percent on"),
}).annotations({
  identifier: "InboundUsage",
  description: "Usage of the inbound quota, from 50 percent on",
})
export type InboundUsage = typeof InboundUsage.Type

export const inboundUsage = (quota: InboundQuota, now: Instant): InboundUsage | null => {
  const warning = inboundWarning(quota)
  return warning === null ? null : usage(quota, warning === "reached" ? "limit_reached" : warning, now)
}

/** The usage in a stub, always with the status `limit_reached` (spec: events.rule-2). */
export const reachedUsage = (quota: InboundQuota, now: Instant): InboundUsage =>
  usage(quota, "limit_reached", now)

const usage = (quota: InboundQuota, status: InboundUsage["status"], now: Instant): InboundUsage => ({
  current: quota.current,
  limit: quota.limit,
  percentage: quotaPercentage(quota),
  reset_date: timestamp(nextMonth(now)),
  status,
})
