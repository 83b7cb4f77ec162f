/** Another plan for an account that pays at Stripe (decisions §3, Upgrading). */
import { describe, expect } from "@effect/vitest"
import { AccountStore } from "@mailroom/engine"
import { Effect, Option } from "effect"
import { FakeStripe } from "./support/fakeStripe.js"
import {
  accountOf,
  as,
  changePlan,
  paying,
  receive,
  replacing,
  rule,
  ruleWith,
  subscriptionAt,
  tagOf,
} from "./support/mailroom.js"

describe("changing the plan", () => {
  for (const [from, to] of [
    ["Developer", "Scale"],
    ["Scale", "Developer"],
  ] as const)
    rule(
      `from ${from} to ${to} is at once, here and at Stripe; what Stripe tells of it changes nothing more`,
      Effect.gen(function* () {
        const { told } = yield* FakeStripe
        const reference = yield* paying(from)
        expect(yield* changePlan(to)).toMatchObject({ plan: to, state: "active" })
        expect((yield* subscriptionAt(reference)).price).toBe(
          to === "Scale" ? "price_scale_m" : "price_dev_m",
        )
        const { account } = yield* as()
        yield* receive(told("customer.subscription.updated", reference))
        expect((yield* as()).account).toEqual(account)
      }),
    )

  /** Another change gets to Stripe right after ours. */
  const overtaken = replacing(({ payments, state }) => ({
    change: (reference, wanted) =>
      Effect.tap(payments.change(reference, wanted), () =>
        Effect.sync(() => {
          state.subscription(reference).price = "price_scale_m"
        }),
      ),
  }))

  ruleWith(overtaken)(
    "that another one overtakes ends with what Stripe has",
    Effect.gen(function* () {
      yield* paying("Developer")
      expect(yield* changePlan("Growth")).toMatchObject({ plan: "Scale" })
    }),
  )

  rule(
    "to Free ends the subscription; that Stripe tells of the end is no lapse",
    Effect.gen(function* () {
      const { told } = yield* FakeStripe
      const reference = yield* paying("Growth")
      expect(yield* changePlan("Free")).toMatchObject({ plan: "Free", billingPeriod: "monthly" })
      expect((yield* subscriptionAt(reference)).status).toBe("canceled")
      const { account } = yield* as()
      yield* receive(told("customer.subscription.deleted", reference))
      expect((yield* as()).account).toEqual(account)
    }),
  )

  /** While the old subscription is cancelled, another process takes in that a new one was bought. */
  const boughtMeanwhile = replacing(({ payments, accounts }) => ({
    cancel: (reference) =>
      Effect.gen(function* () {
        yield* payments.cancel(reference)
        const account = Option.getOrNull(yield* accounts.byBillingReference(reference))
        if (account !== null) yield* accounts.save({ ...account, plan: "Scale", billingReference: "sub_new" })
      }),
  }))

  ruleWith(boughtMeanwhile)(
    "to Free takes nothing away that was bought in the meantime",
    Effect.gen(function* () {
      yield* paying("Growth")
      expect(yield* changePlan("Free")).toMatchObject({ plan: "Scale", state: "active" })
    }),
  )

  rule(
    "that the card does not pay for leaves everything as it was",
    Effect.gen(function* () {
      const { feel } = yield* FakeStripe
      const reference = yield* paying()
      const before = [yield* accountOf(), yield* subscriptionAt(reference)]
      feel("declining")
      expect(yield* tagOf(changePlan("Scale"))).toBe("PaymentDeclined")
      expect([yield* accountOf(), yield* subscriptionAt(reference)]).toEqual(before)
    }),
  )

  rule(
    "of what Stripe ended already is no change",
    Effect.gen(function* () {
      const { state } = yield* FakeStripe
      const reference = yield* paying()
      state.subscription(reference).status = "canceled"
      expect(yield* tagOf(changePlan("Growth"))).toBe("NoSubscription")
    }),
  )

  rule(
    "of what was not bought at Stripe is no change",
    Effect.gen(function* () {
      yield* paying()
      const accounts = yield* AccountStore
      const { account } = yield* as()
      yield* accounts.save({ ...account, billingReference: "0".repeat(64) })
      expect(yield* tagOf(changePlan("Growth"))).toBe("NoSubscription")
    }),
  )
})
