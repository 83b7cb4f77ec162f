/** `Payments` at Stripe: the requests that it sends, and the meaning of the answers. */
import { describe, expect } from "@effect/vitest"
import { DAY } from "@mailroom/domain"
import { type CheckoutRequest, Payments, Settings } from "@mailroom/engine"
import type { StripeOptions } from "@mailroom/payments"
import { testSettings } from "@mailroom/testing"
import { Effect, Layer, Option, TestClock } from "effect"
import { aCheckout, Owners, paymentsContract } from "./payments.contract.js"
import { atStripe, FakeStripe } from "./support/fakeStripe.js"
import { NOON, tagOf } from "./support/mailroom.js"
import { buy, rule, world } from "./support/stripe.js"
import { OLD_PRICE, PRICES } from "./support/stripeState.js"

const owners = Layer.effect(
  Owners,
  Effect.map(FakeStripe, ({ pay }) => ({ pay: (_, url) => Effect.sync(() => pay(url)) })),
)

paymentsContract("StripePayments", Layer.provideMerge(owners, world()))

const last = Effect.map(FakeStripe, ({ requests }) => requests().at(-1))

describe("a checkout", () => {
  rule(
    "is for a subscription at the price of plan and period, and is created once",
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { checkout } = yield* Payments
      const request = yield* aCheckout({ plan: "Growth", period: "annual" })
      const { url, expiresAt } = yield* checkout(request)
      expect(url).toMatch(/^https:\/\/checkout\.stripe\.com\//)
      expect(expiresAt).toBe(NOON + DAY)
      expect(yield* last).toMatchObject({
        method: "POST",
        path: "/v1/checkout/sessions",
        params: {
          mode: "subscription",
          "line_items[0][price]": "price_growth_y",
          "line_items[0][quantity]": "1",
          client_reference_id: request.id,
          customer_email: "owner@acme.dev",
          success_url: "http://mailroom.test/dashboard?upgraded=true",
          cancel_url: "http://mailroom.test/dashboard/billing",
        },
        headers: { "idempotency-key": expect.stringMatching(`^checkout-${request.id}-[0-9a-f]{64}$`) },
      })
    }),
  )

  rule(
    "does not send the token to Stripe",
    Effect.gen(function* () {
      const { checkout } = yield* Payments
      const { requests } = yield* FakeStripe
      const request = yield* aCheckout()
      yield* checkout(request)
      expect(JSON.stringify(requests())).not.toContain(request.token)
    }),
  )

  rule(
    "is for the old customer when the account bought before",
    Effect.gen(function* () {
      const { state } = yield* FakeStripe
      const reference = yield* buy()
      const again = yield* buy({ reference })
      expect(state.subscription(again).customer).toBe(state.subscription(reference).customer)
      expect((yield* last)?.params).not.toHaveProperty("customer_email")
    }),
  )

  for (const [what, forget] of [
    ["was deleted at Stripe", true],
    ["bought somewhere else before", false],
  ] as const)
    rule(
      `is for a new customer when the old one ${what}`,
      Effect.gen(function* () {
        const { state } = yield* FakeStripe
        const first = yield* buy()
        const customer = state.customers.get(state.subscription(first).customer)
        if (customer !== undefined) customer.deleted = forget
        const again = yield* buy({ reference: forget ? first : "0".repeat(64) })
        expect(state.subscription(again).customer).not.toBe(state.subscription(first).customer)
      }),
    )
})

describe("a checkout whose terms at Stripe have changed", () => {
  /** Opens the checkout in a process with these settings. */
  const openUnder = (request: CheckoutRequest, options: Partial<StripeOptions>, baseUrl?: string) =>
    Effect.flatMap(Payments, ({ checkout }) => checkout(request)).pipe(
      Effect.provide(Layer.fresh(atStripe(options))),
      Effect.provideService(Settings, { ...testSettings, ...(baseUrl !== undefined && { baseUrl }) }),
    )
  const annual = PRICES.filter(({ period }) => period === "annual")
  const renewed = [{ plan: "Developer", period: "monthly", id: OLD_PRICE }, ...annual] as const

  rule(
    "has a new page, and each page stays for its terms",
    Effect.gen(function* () {
      const request = yield* aCheckout()
      const before = yield* openUnder(request, {})
      const terms = [
        openUnder(request, { prices: renewed }),
        openUnder(request, {}, "https://mail.acme.dev"),
      ] as const
      const after = yield* Effect.all(terms)
      expect(new Set([before, ...after].map(({ url }) => url)).size).toBe(3)
      expect(yield* Effect.all(terms)).toEqual(after)
      expect(yield* openUnder(request, {})).toEqual(before)
    }),
  )

  rule(
    "has a new page when its customer was deleted",
    Effect.gen(function* () {
      const { checkout } = yield* Payments
      const { state } = yield* FakeStripe
      const reference = yield* buy()
      const request = yield* aCheckout({ reference })
      const before = yield* checkout(request)
      for (const customer of state.customers.values()) customer.deleted = true
      expect((yield* checkout(request)).url).not.toBe(before.url)
    }),
  )
})

describe("a subscription", () => {
  for (const [status, live] of [
    ["active", true],
    ["trialing", true],
    ["past_due", true],
    ["unpaid", false],
    ["canceled", false],
    ["incomplete", false],
    ["incomplete_expired", false],
    ["paused", false],
  ] as const)
    rule(
      `that is ${status} is ${live ? "live" : "not live"}`,
      Effect.gen(function* () {
        const { subscription } = yield* Payments
        const { state } = yield* FakeStripe
        const reference = yield* buy({ plan: "Scale" })
        state.subscription(reference).status = status
        expect(yield* subscription(reference)).toEqual(
          Option.some({ live, bought: { plan: "Scale", period: "monthly" } }),
        )
      }),
    )

  rule(
    "at an old price has no known plan",
    Effect.gen(function* () {
      const { subscription } = yield* Payments
      const { state } = yield* FakeStripe
      const reference = yield* buy()
      state.subscription(reference).price = OLD_PRICE
      expect(yield* subscription(reference)).toEqual(Option.some({ live: true, bought: null }))
    }),
  )
})

describe("a change", () => {
  rule(
    "moves the subscription to the other price, prorated at once, and happens only when paid",
    Effect.gen(function* () {
      const { change } = yield* Payments
      const { state } = yield* FakeStripe
      const reference = yield* buy()
      yield* change(reference, { plan: "Scale", period: "monthly" })
      expect(state.subscription(reference).price).toBe("price_scale_m")
      expect(yield* last).toMatchObject({
        method: "POST",
        path: `/v1/subscriptions/${reference}`,
        params: { proration_behavior: "always_invoice", payment_behavior: "error_if_incomplete" },
      })
    }),
  )

  rule(
    "that the card declines fails, and changes nothing",
    Effect.gen(function* () {
      const { change } = yield* Payments
      const { feel, state } = yield* FakeStripe
      const reference = yield* buy()
      feel("declining")
      expect(yield* tagOf(change(reference, { plan: "Scale", period: "monthly" }))).toBe("PaymentDeclined")
      expect(state.subscription(reference).price).toBe("price_dev_m")
    }),
  )

  rule(
    "needs a live subscription",
    Effect.gen(function* () {
      const { change, cancel } = yield* Payments
      const reference = yield* buy()
      yield* cancel(reference)
      for (const gone of [reference, "sub_nothing"])
        expect(yield* tagOf(change(gone, { plan: "Scale", period: "monthly" }))).toBe("NoSubscription")
    }),
  )
})

describe("a cancellation", () => {
  for (const [status, credit] of [
    ["active", "true"],
    ["past_due", "false"],
    ["unpaid", "false"],
  ] as const)
    rule(
      `of a subscription that is ${status} is immediate, ${credit === "true" ? "with" : "without"} a credit for the days left`,
      Effect.gen(function* () {
        const { cancel } = yield* Payments
        const { state } = yield* FakeStripe
        const reference = yield* buy()
        state.subscription(reference).status = status
        yield* cancel(reference)
        expect(state.subscription(reference).status).toBe("canceled")
        expect(yield* last).toMatchObject({
          method: "DELETE",
          params: { prorate: credit, invoice_now: credit },
        })
      }),
    )
})

describe("the portal", () => {
  rule(
    "belongs to the customer, and links back",
    Effect.gen(function* () {
      const { portal } = yield* Payments
      const { state } = yield* FakeStripe
      const reference = yield* buy()
      const { customer } = state.subscription(reference)
      expect((yield* portal(reference)).url).toBe(`https://billing.stripe.com/p/session/${customer}`)
      expect((yield* last)?.params).toEqual({
        customer,
        return_url: "http://mailroom.test/dashboard/billing",
      })
    }),
  )

  rule(
    "does not exist without a subscription or a customer",
    Effect.gen(function* () {
      const { portal } = yield* Payments
      const { state } = yield* FakeStripe
      const reference = yield* buy()
      state.customers.set(state.subscription(reference).customer, { id: "cus_gone", deleted: true })
      for (const gone of [reference, "sub_nothing"]) expect(yield* tagOf(portal(gone))).toBe("NoSubscription")
    }),
  )
})
