/** Where an account pays. */
import type {
  BillingPeriod,
  Bought,
  Instant,
  InvalidSignature,
  NoSubscription,
  PaidPlan,
  PaymentDeclined,
  PaymentsUnavailable,
  Subscription,
} from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export interface CheckoutRequest {
  /** names the checkout to the provider, and grants nothing: it comes back when the checkout completes */
  readonly id: string
  /** unguessable; opens the page where it is our own */
  readonly token: string
  readonly email: string
  readonly plan: PaidPlan
  readonly period: BillingPeriod
  readonly expiresAt: Instant
  /** what the account paid under before, so that the provider recognises who comes back; null the first time */
  readonly reference: string | null
}

/** What the provider tells us by itself, with the raw body that its signature is for. */
export interface PaymentNotice {
  readonly body: string
  readonly signature: string
}

/** What a notice is about. What is so now is asked for: notices come late, twice and out of order. */
export type PaymentEvent =
  /** the checkout `id` was paid for; `reference` is the subscription it began */
  | { readonly kind: "completed"; readonly id: string; readonly reference: string }
  | { readonly kind: "subscription"; readonly reference: string }
  | { readonly kind: "ignored" }

/**
 * A payment provider. A `reference` is its name for the subscription of an account. `PaymentsUnavailable`: the provider
 * is away or refuses us; as far as can be known nothing was changed.
 */
export class Payments extends Context.Tag("@mailroom/Payments")<
  Payments,
  {
    /** Opens a checkout, once for each `id`, and returns the page to hand to the owner, open until `expiresAt`. */
    readonly checkout: (
      request: CheckoutRequest,
    ) => Effect.Effect<{ readonly url: string; readonly expiresAt: Instant }, PaymentsUnavailable>
    /** A page where the owner sees invoices and changes the payment details; for an ended subscription too. */
    readonly portal: (
      reference: string,
    ) => Effect.Effect<{ readonly url: string }, NoSubscription | PaymentsUnavailable>
    /** Moves a live subscription to another plan or period at once, the difference settled by the day. */
    readonly change: (
      reference: string,
      wanted: Bought,
    ) => Effect.Effect<void, NoSubscription | PaymentDeclined | PaymentsUnavailable>
    /** Ends a subscription at once; nothing is left to do when it ended before, or never was. */
    readonly cancel: (reference: string) => Effect.Effect<void, PaymentsUnavailable>
    /** A subscription as it is now; none when the provider knows none, or keeps none. */
    readonly subscription: (
      reference: string,
    ) => Effect.Effect<Option.Option<Subscription>, PaymentsUnavailable>
    /** Reads a notice, once its signature has proved where it comes from. */
    readonly event: (notice: PaymentNotice) => Effect.Effect<PaymentEvent, InvalidSignature>
  }
>() {}
