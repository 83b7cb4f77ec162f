/** Failures of Stripe, as the port `Payments` reports them. */
import { describe, expect } from "@effect/vitest"
import { Payments } from "@mailroom/engine"
import { Effect, HashMap, Logger, Redacted } from "effect"
import { aCheckout } from "./payments.contract.js"
import { FakeStripe, type Mood, SECRET_KEY } from "./support/fakeStripe.js"
import { tagOf } from "./support/mailroom.js"
import { buy, rule } from "./support/stripe.js"

/** Every request to Stripe. */
const asked = Effect.gen(function* () {
  const { checkout, portal, change, cancel, subscription } = yield* Payments
  const request = yield* aCheckout()
  const reference = yield* buy()
  return [
    Effect.asVoid(checkout(request)),
    Effect.asVoid(portal(reference)),
    change(reference, { plan: "Growth", period: "monthly" }),
    cancel(reference),
    Effect.asVoid(subscription(reference)),
  ]
})

describe("when Stripe is away", () => {
  for (const mood of ["down", "failing", "busy", "silent"] satisfies ReadonlyArray<Mood>)
    rule(
      `(${mood}) nothing works and nothing changes`,
      Effect.gen(function* () {
        const { feel, state } = yield* FakeStripe
        const calls = yield* asked
        const before = JSON.stringify([...state.subscriptions, ...state.sessions])
        feel(mood)
        const tags = yield* Effect.forEach(calls, tagOf, { concurrency: "unbounded" })
        expect(tags).toEqual(calls.map(() => "PaymentsUnavailable"))
        expect(JSON.stringify([...state.subscriptions, ...state.sessions])).toBe(before)
      }),
      { timeout: "1 second" },
    )

  rule(
    "for a moment, a request is sent again with the same idempotency key",
    Effect.gen(function* () {
      const { checkout } = yield* Payments
      const { feel, requests, state } = yield* FakeStripe
      feel("failing", 1)
      yield* checkout(yield* aCheckout())
      const [first, second, ...more] = requests().map(({ headers }) => headers["idempotency-key"])
      expect([second, more]).toEqual([first, []])
      expect(state.sessions.size).toBe(1)
    }),
    { retries: 1 },
  )

  rule(
    "because the key is wrong, the log says so without the key",
    Effect.gen(function* () {
      const { checkout } = yield* Payments
      const lines: Array<string> = []
      const logger = Logger.make(({ message, annotations }) => {
        lines.push(JSON.stringify([message, ...HashMap.toEntries(annotations)]))
      })
      const request = yield* aCheckout()
      const tag = yield* Effect.provide(
        tagOf(checkout(request)),
        Logger.replace(Logger.defaultLogger, logger),
      )
      expect(tag).toBe("PaymentsUnavailable")
      expect(lines.join()).toContain("401")
      for (const secret of [SECRET_KEY, "sk_", request.token, request.email])
        expect(lines.join()).not.toContain(secret)
    }),
    { secretKey: Redacted.make("sk_test_another_key") },
  )
})
