/** While Stripe is away, nothing changes and nothing is lost. */
import { describe, expect } from "@effect/vitest"
import type { Plan } from "@mailroom/domain"
import { Billing, Engine } from "@mailroom/engine"
import { Effect, TestClock } from "effect"
import { FakeStripe } from "./support/fakeStripe.js"
import {
  accountOf,
  as,
  changePlan,
  checkout,
  pay,
  paying,
  receive,
  rule,
  subscriptionAt,
  tagOf,
} from "./support/mailroom.js"

describe("while Stripe is away", () => {
  const plans: ReadonlyArray<Plan> = ["Growth", "Free"]

  rule(
    "no purchase, change, cancellation or portal works, and the account stays as it is",
    Effect.gen(function* () {
      const { feel } = yield* FakeStripe
      const billing = yield* Billing
      expect((yield* as("other")).account.plan).toBe("Free")
      yield* paying()
      const before = yield* accountOf()
      feel("failing")
      for (const plan of plans) expect(yield* tagOf(changePlan(plan))).toBe("PaymentsUnavailable")
      expect(yield* tagOf(billing.portal(yield* as()))).toBe("PaymentsUnavailable")
      const wanted = { plan: "Growth", period: "monthly" } as const
      expect(yield* tagOf(billing.upgrade(yield* as("other"), wanted))).toBe("PaymentsUnavailable")
      expect(yield* accountOf()).toEqual(before)
    }),
  )

  rule(
    "a webhook event is refused, so that Stripe sends it again",
    Effect.gen(function* () {
      const stripe = yield* FakeStripe
      const url = yield* checkout()
      stripe.pay(url)
      stripe.feel("failing", 1)
      expect(yield* tagOf(receive(stripe.completed(url)))).toBe("PaymentsUnavailable")
      expect((yield* accountOf()).plan).toBe("Free")
      yield* receive(stripe.completed(url))
      expect((yield* accountOf()).plan).toBe("Developer")
    }),
  )

  rule(
    "a checkout that failed does not stand in the way of the next one, and counts if it is paid",
    Effect.gen(function* () {
      const stripe = yield* FakeStripe
      const url = yield* checkout()
      stripe.feel("failing", 1)
      expect(yield* tagOf(checkout())).toBe("PaymentsUnavailable")
      yield* TestClock.adjust("1 second")
      const next = yield* checkout()
      expect(stripe.state.sessionAt(next).reference).not.toBe(stripe.state.sessionAt(url).reference)
      yield* TestClock.adjust("23 hours")
      yield* pay(url)
      expect((yield* accountOf()).plan).toBe("Developer")
    }),
  )

  rule(
    "a cancellation waits until Stripe is back",
    Effect.gen(function* () {
      const { feel } = yield* FakeStripe
      const [first, second] = [yield* checkout("Developer"), yield* checkout("Growth")]
      const reference = yield* pay(first)
      yield* pay(second)
      feel("failing")
      yield* Engine.settle
      expect((yield* subscriptionAt(reference)).status).toBe("active")
      feel("well")
      yield* TestClock.adjust("10 seconds")
      yield* Engine.settle
      expect((yield* subscriptionAt(reference)).status).toBe("canceled")
    }),
  )
})
