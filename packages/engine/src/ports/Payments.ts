/** The payment provider. */
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
  /** the checkout's name at the provider, which repeats it in `PaymentEvent`; grants no access */
  readonly id: string
  /** secret of the checkout link, for a provider whose checkout page is our own */
  readonly token: string
  readonly email: string
  readonly plan: PaidPlan
  readonly period: BillingPeriod
  readonly expiresAt: Instant
  /** the account's previous subscription, by which the provider finds the customer; null: none */
  readonly reference: string | null
}

/** A webhook request of the provider: the raw body and its signature. */
export interface PaymentNotice {
  readonly body: string
  readonly signature: string
}

/**
 * What a notice is about. It carries no state, because notices come late, twice and out of order
 * (`Payments.subscription`).
 */
export type PaymentEvent =
  /** the checkout `id` was paid; `reference` is its new subscription */
  | { readonly kind: "completed"; readonly id: string; readonly reference: string }
  /** a subscription changed */
  | { readonly kind: "subscription"; readonly reference: string }
  | { readonly kind: "ignored" }

/**
 * A `reference` is the provider's id of an account's subscription. `PaymentsUnavailable`: the provider does not answer or
 * refuses our credentials; nothing was changed as far as this service can tell.
 */
export class Payments extends Context.Tag("@mailroom/Payments")<
  Payments,
  {
    /**
     * Opens a checkout and returns the page for the owner, open until `expiresAt`. Idempotent for one `id`, unless its price
     * or its customer has changed at the provider: then another page opens, and both can be paid.
     */
    readonly checkout: (
      request: CheckoutRequest,
    ) => Effect.Effect<{ readonly url: string; readonly expiresAt: Instant }, PaymentsUnavailable>
    /** A page where the owner sees invoices and changes the payment details, also of an ended subscription. */
    readonly portal: (
      reference: string,
    ) => Effect.Effect<{ readonly url: string }, NoSubscription | PaymentsUnavailable>
    /** Changes the plan or period of a live subscription at once, prorated by the day. */
    readonly change: (
      reference: string,
      wanted: Bought,
    ) => Effect.Effect<void, NoSubscription | PaymentDeclined | PaymentsUnavailable>
    /** Ends a subscription at once. Succeeds for one that ended before or does not exist. */
    readonly cancel: (reference: string) => Effect.Effect<void, PaymentsUnavailable>
    /** The current state of a subscription; none when it does not exist or the provider has no subscriptions. */
    readonly subscription: (
      reference: string,
    ) => Effect.Effect<Option.Option<Subscription>, PaymentsUnavailable>
    /** Verifies the signature of a notice and reads it. */
    readonly event: (notice: PaymentNotice) => Effect.Effect<PaymentEvent, InvalidSignature>
  }
>() {}
