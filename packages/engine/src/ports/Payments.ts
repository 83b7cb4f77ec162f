/** Where an account pays. */
import type { BillingPeriod, Instant, PaidPlan } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export interface CheckoutRequest {
  /** unguessable; comes back when the checkout completes */
  readonly token: string
  readonly email: string
  readonly plan: PaidPlan
  readonly period: BillingPeriod
  readonly expiresAt: Instant
}

export class Payments extends Context.Tag("@mailroom/Payments")<
  Payments,
  {
    /** Opens a checkout and returns the page to hand to the owner. */
    readonly checkout: (request: CheckoutRequest) => Effect.Effect<{ readonly url: string }>
  }
>() {}
