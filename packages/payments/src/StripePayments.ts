/** `Payments` at Stripe (decisions §1, BILLING=stripe). A reference is the id of a subscription, `sub_…`. */
import {
  type Bought,
  InvalidSignature,
  NoSubscription,
  PaymentDeclined,
  PaymentsUnavailable,
  SECOND,
} from "@mailroom/domain"
import { Payments, Settings } from "@mailroom/engine"
import { Clock, Duration, Effect, Layer, Option, Redacted } from "effect"
import { Stripe } from "stripe"
import { paymentEvent } from "./notices.js"
import { priceOf, soldBy, type StripePrices } from "./prices.js"
import { asking, type StripeRefusal } from "./refusals.js"

export interface StripeOptions {
  readonly secretKey: Redacted.Redacted
  /** of the webhook endpoint that leads here, `whsec_…` */
  readonly webhookSecret: Redacted.Redacted
  /** one for every plan and period that is sold */
  readonly prices: StripePrices
  /** where the API is. Default: Stripe's own */
  readonly endpoint?: { readonly protocol: "http" | "https"; readonly host: string; readonly port: number }
  /** one attempt of one request. Default 10 seconds */
  readonly timeout?: Duration.DurationInput
  /** attempts after the first. Default 2 */
  readonly retries?: number
}

/** How old a signature may be, in seconds. */
const SIGNATURE_TOLERANCE = 300

/** Stripe goes on collecting what is `past_due`; `unpaid` is where it gave up. */
const LIVE: ReadonlySet<string> = new Set(["active", "trialing", "past_due"])

const away = () => new PaymentsUnavailable()

/** The customer of a subscription; null when it was deleted at Stripe. */
const customerOf = ({ customer }: Stripe.Subscription): string | null => {
  if (typeof customer === "string") return customer
  return customer.deleted === true ? null : customer.id
}

const make = (options: StripeOptions, baseUrl: string): Payments["Type"] => {
  const { prices } = options
  const stripe = new Stripe(Redacted.value(options.secretKey), {
    ...options.endpoint,
    timeout: Duration.toMillis(options.timeout ?? "10 seconds"),
    maxNetworkRetries: options.retries ?? 2,
    telemetry: false,
  })

  /** The subscription with its customer; none when Stripe knows none of this name. */
  const find = (reference: string): Effect.Effect<Option.Option<Stripe.Subscription>, PaymentsUnavailable> =>
    asking("look up a subscription", () =>
      stripe.subscriptions.retrieve(reference, { expand: ["customer"] }),
    ).pipe(
      Effect.asSome,
      Effect.catchAll((refusal) => (refusal.kind === "missing" ? Effect.succeedNone : away())),
    )

  const price = (bought: Bought): Effect.Effect<string> => {
    const id = priceOf(prices, bought)
    return id === null
      ? Effect.dieMessage(`no price for ${bought.plan}, ${bought.period}`)
      : Effect.succeed(id)
  }

  return {
    checkout: Effect.fn("StripePayments.checkout")(function* ({ id, email, plan, period, reference }) {
      const wanted = yield* price({ plan, period })
      const known = reference === null ? Option.none() : yield* find(reference)
      const customer = Option.getOrNull(Option.map(known, customerOf))
      const session = yield* asking("open a checkout", () =>
        stripe.checkout.sessions.create(
          {
            mode: "subscription",
            line_items: [{ price: wanted, quantity: 1 }],
            client_reference_id: id,
            ...(customer === null ? { customer_email: email } : { customer }),
            success_url: `${baseUrl}/dashboard?upgraded=true`,
            cancel_url: `${baseUrl}/dashboard/billing`,
            // No `expires_at`: Stripe's own 24 hours are also the most it takes, by its clock and not by ours.
          },
          { idempotencyKey: `checkout-${id}` },
        ),
      ).pipe(Effect.mapError(away))
      if (session.url === null) return yield* away()
      return { url: session.url, expiresAt: session.expires_at * SECOND }
    }),

    portal: Effect.fn("StripePayments.portal")(function* (reference) {
      const customer = Option.getOrNull(Option.map(yield* find(reference), customerOf))
      if (customer === null) return yield* new NoSubscription()
      const returnUrl = `${baseUrl}/dashboard/billing`
      const { url } = yield* asking("open the portal", () =>
        stripe.billingPortal.sessions.create({ customer, return_url: returnUrl }),
      ).pipe(Effect.mapError(away))
      return { url }
    }),

    change: Effect.fn("StripePayments.change")(function* (reference, wanted) {
      const to = yield* price(wanted)
      const subscription = Option.getOrNull(yield* find(reference))
      const item = subscription?.items.data[0]
      if (subscription === null || item === undefined || !LIVE.has(subscription.status))
        return yield* new NoSubscription()
      yield* asking("change a subscription", () =>
        stripe.subscriptions.update(reference, {
          items: [{ id: item.id, price: to }],
          proration_behavior: "always_invoice",
          // A plan that costs more begins when it is paid for, or not at all.
          payment_behavior: "error_if_incomplete",
        }),
      ).pipe(Effect.mapError(refusedChange))
    }),

    cancel: Effect.fn("StripePayments.cancel")(function* (reference) {
      const subscription = Option.getOrNull(yield* find(reference))
      if (subscription === null || subscription.ended_at !== null) return
      // Days that were not paid for are not given back.
      const paid = subscription.status === "active"
      yield* asking("cancel a subscription", () =>
        stripe.subscriptions.cancel(reference, { prorate: paid, invoice_now: paid }),
      ).pipe(Effect.catchAll(({ kind }) => (kind === "missing" ? Effect.void : away())))
    }),

    subscription: (reference) =>
      Effect.map(
        find(reference),
        Option.map(({ status, items }) => ({
          live: LIVE.has(status),
          bought: soldBy(prices, items.data[0]?.price.id),
        })),
      ),

    event: ({ body, signature }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.try({
          try: () =>
            stripe.webhooks.constructEvent(
              body,
              signature,
              Redacted.value(options.webhookSecret),
              SIGNATURE_TOLERANCE,
              undefined,
              now,
            ),
          catch: () => new InvalidSignature(),
        }),
      ).pipe(Effect.map(paymentEvent)),
  }
}

const refusedChange = ({ kind }: StripeRefusal) => {
  if (kind === "declined") return new PaymentDeclined()
  return kind === "missing" ? new NoSubscription() : away()
}

export const layer = (options: StripeOptions): Layer.Layer<Payments, never, Settings> =>
  Layer.effect(
    Payments,
    Effect.map(Settings, ({ baseUrl }) => make(options, baseUrl)),
  )
