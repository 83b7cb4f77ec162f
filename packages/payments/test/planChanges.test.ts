/** Changing the plan of an account that pays at Stripe (spec: decisions.upgrade.change-plan). */
import { describe, expect } from "@effect/vitest"
import type { Plan } from "@mailroom/domain"
import { AccountStore, Administration, Engine } from "@mailroom/engine"
import { Effect, Option } from "effect"
import { FakeStripe } from "./support/fakeStripe.js"
import {
  accountOf,
  as,
  becomes,
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
      `from ${from} to ${to} is immediate, here and at Stripe; the event of Stripe changes nothing more`,
      Effect.gen(function* () {
        const { subscriptionEvent } = yield* FakeStripe
        const reference = yield* paying(from)
        expect(yield* changePlan(to)).toMatchObject({ plan: to, state: "active" })
        expect((yield* subscriptionAt(reference)).price).toBe(
          to === "Scale" ? "price_scale_m" : "price_dev_m",
        )
        const { account } = yield* as()
        yield* receive(subscriptionEvent("customer.subscription.updated", reference))
        expect((yield* as()).account).toEqual(account)
      }),
    )

  /** Another change reaches Stripe right after ours. */
  const overtaken = replacing(({ payments, state }) => ({
    change: (reference, wanted) =>
      Effect.tap(payments.change(reference, wanted), () =>
        Effect.sync(() => {
          state.subscription(reference).price = "price_scale_m"
        }),
      ),
  }))

  ruleWith(overtaken)(
    "that another one overtakes ends with the plan at Stripe",
    Effect.gen(function* () {
      yield* paying("Developer")
      expect(yield* changePlan("Growth")).toMatchObject({ plan: "Scale" })
    }),
  )

  rule(
    "to Free ends the subscription; the event of its end is no lapse",
    Effect.gen(function* () {
      const { subscriptionEvent } = yield* FakeStripe
      const reference = yield* paying("Growth")
      expect(yield* changePlan("Free")).toMatchObject({ plan: "Free", billingPeriod: "monthly" })
      expect((yield* subscriptionAt(reference)).status).toBe("canceled")
      const { account } = yield* as()
      yield* receive(subscriptionEvent("customer.subscription.deleted", reference))
      expect((yield* as()).account).toEqual(account)
    }),
  )

  /** While the old subscription is being cancelled, another process handles the purchase of a new one. */
  const boughtMeanwhile = replacing(({ payments, accounts }) => ({
    cancel: (reference) =>
      Effect.gen(function* () {
        yield* payments.cancel(reference)
        const account = Option.getOrNull(yield* accounts.byBillingReference(reference))
        if (account !== null) yield* accounts.save({ ...account, plan: "Scale", billingReference: "sub_new" })
      }),
  }))

  ruleWith(boughtMeanwhile)(
    "to Free keeps a plan that was bought in the meantime",
    Effect.gen(function* () {
      yield* paying("Growth")
      expect(yield* changePlan("Free")).toMatchObject({ plan: "Scale", state: "active" })
    }),
  )

  rule(
    "that the card declines changes nothing",
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
    "of a subscription that Stripe has ended fails",
    Effect.gen(function* () {
      const { state } = yield* FakeStripe
      const reference = yield* paying()
      state.subscription(reference).status = "canceled"
      expect(yield* tagOf(changePlan("Growth"))).toBe("NoSubscription")
    }),
  )

  rule(
    "of a plan that was not bought at Stripe fails",
    Effect.gen(function* () {
      yield* paying()
      const accounts = yield* AccountStore
      const { account } = yield* as()
      yield* accounts.save({ ...account, billingReference: "0".repeat(64) })
      expect(yield* tagOf(changePlan("Growth"))).toBe("NoSubscription")
    }),
  )
})

/** The operator sets the plan of the account. */
const given = (plan: Plan) =>
  Effect.gen(function* () {
    const administration = yield* Administration
    return yield* administration.setPlan((yield* as()).account.id, plan)
  })

describe("a plan from the operator (spec: decisions.admin.plan)", () => {
  for (const plan of ["Free", "Developer", "Scale"] as const)
    rule(
      `${plan}, ends the subscription, so that the owner does not pay for it`,
      Effect.gen(function* () {
        const reference = yield* paying("Developer")
        expect(yield* given(plan)).toMatchObject({ plan, billingLinked: false })
        yield* Engine.settle
        expect((yield* subscriptionAt(reference)).status).toBe("canceled")
      }),
    )

  for (const plan of ["Free", "Scale"] as const)
    for (const [status, type] of [
      ["active", "customer.subscription.updated"],
      ["unpaid", "customer.subscription.updated"],
      ["canceled", "customer.subscription.deleted"],
    ] as const)
      rule(
        `${plan}, stays whatever Stripe reports about the subscription before: ${status}`,
        Effect.gen(function* () {
          const reference = yield* paying("Developer")
          const account = yield* given(plan)
          yield* becomes(reference, status, type)
          expect(yield* accountOf()).toEqual(account)
        }),
      )

  rule(
    "ends a lapse for good",
    Effect.gen(function* () {
      const reference = yield* paying("Developer")
      yield* becomes(reference, "unpaid")
      yield* given("Scale")
      yield* becomes(reference, "unpaid")
      expect(yield* accountOf()).toMatchObject({ plan: "Scale", state: "active" })
    }),
  )

  rule(
    "is replaced by what the owner buys afterwards",
    Effect.gen(function* () {
      yield* paying("Developer")
      yield* given("Free")
      const reference = yield* paying("Growth")
      yield* Engine.settle
      expect(yield* accountOf()).toMatchObject({ plan: "Growth", state: "active", billingLinked: true })
      expect((yield* subscriptionAt(reference)).status).toBe("active")
    }),
  )
})
