/** `Payments` at Stripe, for `BILLING=stripe`. A billing reference is the id of a subscription, `sub_…`. */
import {
  type Bought,
  InvalidSignature,
  NoSubscription,
  PaymentDeclined,
  PaymentsUnavailable,
  SECOND,
} from "@mailroom/domain"
import { Payments, Settings } from "@mailroom/engine"
import { Clock, Data, Duration, Effect, Layer, Option, Redacted } from "effect"
import { createHash } from "node:crypto"
import { Stripe } from "stripe"
import { paymentEvent } from "./webhookEvents.js"

export interface StripePrice extends Bought {
  /** id of the price at Stripe, `price_…` */
  readonly id: string
}

type StripePrices = ReadonlyArray<StripePrice>

/** The id of the price of a plan and period; null when none is configured. */
const priceOf = (prices: StripePrices, { plan, period }: Bought): string | null =>
  prices.find((price) => price.plan === plan && price.period === period)?.id ?? null

/** The plan and period of a price; null for an old price or one of another product. */
const boughtWith = (prices: StripePrices, id: string | undefined): Bought | null => {
  const price = prices.find((one) => one.id === id)
  return price === undefined ? null : { plan: price.plan, period: price.period }
}

export interface StripeOptions {
  readonly secretKey: Redacted.Redacted
  /** secret of the webhook endpoint at Stripe, `whsec_…` */
  readonly webhookSecret: Redacted.Redacted
  /** a price for every plan and period on sale */
  readonly prices: StripePrices
  /** address of the API; default: Stripe's */
  readonly endpoint?: { readonly protocol: "http" | "https"; readonly host: string; readonly port: number }
  /** timeout of one attempt of a request; default: 10 seconds */
  readonly timeout?: Duration.DurationInput
  /** attempts after the first; default: 2 */
  readonly retries?: number
}

/** Seconds that a signature of a webhook event is valid. */
const SIGNATURE_TOLERANCE = 300

/** Statuses of a live subscription. Stripe still collects for `past_due`; it has given up on `unpaid`. */
const LIVE: ReadonlySet<string> = new Set(["active", "trialing", "past_due"])

/** A failed request to Stripe (docs.stripe.com/api/errors). */
class RequestFailure extends Data.TaggedError("RequestFailure")<{
  /** `missing`: the object does not exist; `declined`: the card was not charged; `away`: every other error */
  readonly kind: "missing" | "declined" | "away"
  /** fields for the log that find the request at Stripe. Not the message, which may contain keys and customers */
  readonly logFields: Readonly<Record<string, unknown>>
}> {}

const failureOf = (error: unknown): RequestFailure => {
  if (!(error instanceof Stripe.errors.StripeError))
    return new RequestFailure({ kind: "away", logFields: { type: "unknown" } })
  const { type, code, param, statusCode, requestId } = error
  const kind = statusCode === 404 ? "missing" : statusCode === 402 ? "declined" : "away"
  return new RequestFailure({ kind, logFields: { type, code, param, statusCode, requestId } })
}

/** Sends a request to Stripe. Logs a warning for the operator when the error is `away`. */
const request = <A>(what: string, send: () => Promise<A>): Effect.Effect<A, RequestFailure> =>
  Effect.tryPromise({ try: send, catch: failureOf }).pipe(
    Effect.tapError(({ kind, logFields }) =>
      kind === "away"
        ? Effect.annotateLogs(Effect.logWarning(`Stripe did not answer as it should: ${what}`), logFields)
        : Effect.void,
    ),
  )

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

  /** The subscription with its customer; none when Stripe has no subscription with this id. */
  const find = (reference: string): Effect.Effect<Option.Option<Stripe.Subscription>, PaymentsUnavailable> =>
    request("look up a subscription", () =>
      stripe.subscriptions.retrieve(reference, { expand: ["customer"] }),
    ).pipe(
      Effect.asSome,
      Effect.catchAll((failure) => (failure.kind === "missing" ? Effect.succeedNone : away())),
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
      const params: Stripe.Checkout.SessionCreateParams = {
        mode: "subscription",
        line_items: [{ price: wanted, quantity: 1 }],
        client_reference_id: id,
        ...(customer === null ? { customer_email: email } : { customer }),
        success_url: `${baseUrl}/dashboard?upgraded=true`,
        cancel_url: `${baseUrl}/dashboard/billing`,
        // Without `expires_at`: Stripe's default of 24 hours is also its maximum, by its clock and not ours.
      }
      // Stripe refuses a key with other parameters, and customer, price and address may change while the checkout is open.
      const digest = createHash("sha256").update(JSON.stringify(params)).digest("hex")
      const session = yield* request("open a checkout", () =>
        stripe.checkout.sessions.create(params, { idempotencyKey: `checkout-${id}-${digest}` }),
      ).pipe(Effect.mapError(away))
      if (session.url === null) return yield* away()
      return { url: session.url, expiresAt: session.expires_at * SECOND }
    }),

    portal: Effect.fn("StripePayments.portal")(function* (reference) {
      const customer = Option.getOrNull(Option.map(yield* find(reference), customerOf))
      if (customer === null) return yield* new NoSubscription()
      const returnUrl = `${baseUrl}/dashboard/billing`
      const { url } = yield* request("open the portal", () =>
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
      yield* request("change a subscription", () =>
        stripe.subscriptions.update(reference, {
          items: [{ id: item.id, price: to }],
          proration_behavior: "always_invoice",
          // A more expensive plan starts only when it is paid for.
          payment_behavior: "error_if_incomplete",
        }),
      ).pipe(Effect.mapError(refusedChange))
    }),

    cancel: Effect.fn("StripePayments.cancel")(function* (reference) {
      const subscription = Option.getOrNull(yield* find(reference))
      if (subscription === null || subscription.ended_at !== null) return
      // Only days that were paid for are credited.
      const paid = subscription.status === "active"
      yield* request("cancel a subscription", () =>
        stripe.subscriptions.cancel(reference, { prorate: paid, invoice_now: paid }),
      ).pipe(Effect.catchAll(({ kind }) => (kind === "missing" ? Effect.void : away())))
    }),

    subscription: (reference) =>
      Effect.map(
        find(reference),
        Option.map(({ status, items }) => ({
          live: LIVE.has(status),
          bought: boughtWith(prices, items.data[0]?.price.id),
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

const refusedChange = ({ kind }: RequestFailure) => {
  if (kind === "declined") return new PaymentDeclined()
  return kind === "missing" ? new NoSubscription() : away()
}

export const layer = (options: StripeOptions): Layer.Layer<Payments, never, Settings> =>
  Layer.effect(
    Payments,
    Effect.map(Settings, ({ baseUrl }) => make(options, baseUrl)),
  )
