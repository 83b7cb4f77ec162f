/** A checkout: one offer to buy a plan, open for 24 hours, completed once (docs/specification/channels.md). */
import { Schema } from "effect"
import { AccountId } from "../ids.js"
import { Instant } from "../time.js"
import { BillingPeriod, PaidPlan } from "./plans.js"

export const CheckoutRecord = Schema.Struct({
  /** SHA-256 of the token in the checkout URL */
  tokenHash: Schema.String,
  accountId: AccountId,
  plan: PaidPlan,
  period: BillingPeriod,
  expiresAt: Instant,
  completedAt: Schema.NullOr(Instant),
})
export type CheckoutRecord = typeof CheckoutRecord.Type

export type CheckoutState = "open" | "completed" | "expired"

export const checkoutState = (checkout: CheckoutRecord, now: Instant): CheckoutState => {
  if (checkout.completedAt !== null) return "completed"
  return now >= checkout.expiresAt ? "expired" : "open"
}
