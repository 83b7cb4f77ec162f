/** Webhook events of Stripe: their signature and their meaning (docs.stripe.com/webhooks). */
import { describe, expect } from "@effect/vitest"
import { MINUTE } from "@mailroom/domain"
import { Payments } from "@mailroom/engine"
import { Effect, TestClock } from "effect"
import { aCheckout } from "./payments.contract.js"
import { FakeStripe } from "./support/fakeStripe.js"
import { NOON, tagOf } from "./support/mailroom.js"
import { buy, rule } from "./support/stripe.js"

describe("a webhook event of Stripe", () => {
  const read = (notice: { readonly body: string; readonly signature: string }) =>
    Effect.flatMap(Payments, ({ event }) => event(notice))

  rule(
    "of a paid checkout names the checkout and the subscription",
    Effect.gen(function* () {
      const { checkout } = yield* Payments
      const { pay, completed, notice } = yield* FakeStripe
      const request = yield* aCheckout()
      const { url } = yield* checkout(request)
      const reference = pay(url)
      const event = { kind: "completed", id: request.id, reference }
      expect(yield* read(completed(url))).toEqual(event)
      const later = { client_reference_id: request.id, payment_status: "paid", subscription: reference }
      expect(yield* read(notice("checkout.session.async_payment_succeeded", later))).toEqual(event)
      const free = { ...later, payment_status: "no_payment_required" }
      expect(yield* read(notice("checkout.session.completed", free))).toEqual(event)
    }),
  )

  for (const type of ["updated", "deleted", "paused", "resumed"])
    rule(
      `that a subscription is ${type} names it`,
      Effect.gen(function* () {
        const { subscriptionEvent } = yield* FakeStripe
        const reference = yield* buy()
        expect(yield* read(subscriptionEvent(`customer.subscription.${type}`, reference))).toEqual({
          kind: "subscription",
          reference,
        })
      }),
    )

  for (const [version, invoice] of [
    ["today's", { parent: { subscription_details: { subscription: "sub_1" } } }],
    ["the former", { subscription: "sub_1" }],
  ] as const)
    rule(
      `of a paid invoice, in ${version} version, names its subscription`,
      Effect.gen(function* () {
        const { notice } = yield* FakeStripe
        expect(yield* read(notice("invoice.paid", invoice))).toEqual({
          kind: "subscription",
          reference: "sub_1",
        })
      }),
    )

  for (const [what, type, object] of [
    ["a checkout that is not paid for yet", "checkout.session.completed", "unpaid"],
    ["a checkout of something else", "checkout.session.completed", "payment"],
    ["an invoice without a subscription", "invoice.paid", "invoice"],
    ["anything else", "customer.created", "customer"],
  ] as const)
    rule(
      `of ${what} is ignored`,
      Effect.gen(function* () {
        const { notice } = yield* FakeStripe
        const objects = {
          unpaid: { client_reference_id: "id", payment_status: "unpaid", subscription: "sub_1" },
          payment: { client_reference_id: null, payment_status: "paid", subscription: null },
          invoice: { parent: null },
          customer: { id: "cus_1" },
        }
        expect(yield* read(notice(type, objects[object]))).toEqual({ kind: "ignored" })
      }),
    )

  rule(
    "is accepted for five minutes",
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { notice } = yield* FakeStripe
      const fresh = notice("customer.created", {})
      yield* TestClock.adjust(5 * MINUTE)
      expect(yield* read(fresh)).toEqual({ kind: "ignored" })
      yield* TestClock.adjust("1 second")
      expect(yield* tagOf(read(fresh))).toBe("InvalidSignature")
    }),
  )

  rule(
    "is refused when its body was changed or another secret signed it",
    Effect.gen(function* () {
      const { notice } = yield* FakeStripe
      const { body, signature } = notice("customer.created", { id: "cus_1" })
      expect(yield* tagOf(read({ body: body.replace("cus_1", "cus_2"), signature }))).toBe("InvalidSignature")
      expect(yield* tagOf(read(notice("customer.created", {}, "whsec_other")))).toBe("InvalidSignature")
    }),
  )
})
