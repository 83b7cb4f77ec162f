/** Retries of failed webhook deliveries (docs/specification/channels.md). */
import { describe, expect } from "@effect/vitest"
import { type AttemptResult, HOUR, MINUTE, SECOND } from "@mailroom/domain"
import { Engine } from "@mailroom/engine"
import { Effect, TestClock } from "effect"
import { accepted, aMail, received, receivedMany } from "./support/arrivals.js"
import { rule } from "./support/mailroom.js"
import { unverified } from "./support/owners.js"
import {
  answered,
  answers,
  countTo,
  requestsTo,
  stored,
  subscribe,
  URL_ONE,
  URL_TWO,
} from "./support/webhooks.js"

const DELAYS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR]

/** Advances the clock, then runs the due attempts. */
const after = (millis: number) => Effect.zipRight(TestClock.adjust(millis), Engine.settle)

/** A webhook whose receiver gives this answer, and one event for it. */
const failing = (first: AttemptResult, ...rest: ReadonlyArray<AttemptResult>) =>
  Effect.gen(function* () {
    const owner = yield* unverified()
    const made = yield* subscribe(owner)
    yield* answers(URL_ONE, first, ...rest)
    yield* received(owner.address)
    return { owner, made }
  })

/** Makes all attempts that a delivery has left. */
const exhaust = Effect.forEach(DELAYS, (delay) => after(delay * 1.1), { discard: true })

describe("a delivery that fails", () => {
  for (const [what, jitter, share] of [
    ["as soon as jitter allows", 0, 0.9],
    ["without jitter", 0.5, 1],
  ] as const)
    rule(
      `is tried again after 1 min, 5 min, 30 min, 2 h, 12 h, ${what}, then no more`,
      Effect.gen(function* () {
        const { owner, made } = yield* failing(answered(500))
        let attempts = 1
        for (const delay of DELAYS) {
          yield* after(delay * share - 1)
          expect(yield* countTo(URL_ONE)).toBe(attempts)
          yield* after(1)
          expect(yield* countTo(URL_ONE)).toBe(++attempts)
        }
        yield* after(48 * HOUR)
        expect(yield* countTo(URL_ONE)).toBe(6)
        expect(yield* stored(owner, made)).toMatchObject({ status: "ACTIVE", failureCount: 1 })
      }).pipe(Effect.withRandomFixed([jitter])),
    )

  rule(
    "is retried within 10 % of the delay, for each random number",
    Effect.gen(function* () {
      yield* failing(answered(500))
      let attempts = 1
      for (const delay of DELAYS) {
        yield* after(delay * 0.9 - 1)
        expect(yield* countTo(URL_ONE)).toBe(attempts)
        yield* after(delay * 0.2 + 1)
        expect(yield* countTo(URL_ONE)).toBe(++attempts)
      }
    }),
  )

  for (const [what, result] of [
    ["a redirect", answered(302)],
    ["a refusal", answered(404)],
    ["no answer", { kind: "unreachable", reason: "connection refused" }],
  ] as const)
    rule(
      `is tried again after ${what}, under the same id, signed anew`,
      Effect.gen(function* () {
        yield* failing(result, answered(204))
        yield* after(2 * MINUTE)
        const requests = yield* requestsTo(URL_ONE)
        const header = (name: string) => new Set(requests.map(({ headers }) => headers[name])).size
        expect(requests).toHaveLength(2)
        expect([header("X-Service-Delivery-Id"), header("webhook-timestamp")]).toEqual([1, 2])
        expect(header("webhook-signature")).toBe(2)
        yield* after(48 * HOUR)
        expect(yield* countTo(URL_ONE)).toBe(2)
      }),
    )

  rule(
    "waits for the Retry-After of the receiver, a day at most",
    Effect.gen(function* () {
      yield* failing(answered(429, 600), answered(503, 30 * 24 * 3600), answered(200))
      yield* after(600 * SECOND - 1)
      expect(yield* countTo(URL_ONE)).toBe(1)
      yield* after(1)
      expect(yield* countTo(URL_ONE)).toBe(2)
      yield* after(24 * HOUR - 1)
      expect(yield* countTo(URL_ONE)).toBe(2)
      yield* after(1)
      expect(yield* countTo(URL_ONE)).toBe(3)
    }),
  )

  rule(
    "waits for the schedule at least, for each Retry-After",
    Effect.gen(function* () {
      yield* failing(answered(503, 1), answered(200))
      yield* after(54 * SECOND - 1)
      expect(yield* countTo(URL_ONE)).toBe(1)
    }),
  )
})

describe("a receiver that answers 410", () => {
  rule(
    "ends its webhook and its waiting deliveries at once, and no other webhook",
    Effect.gen(function* () {
      const { owner, made } = yield* failing(answered(500), answered(410), answered(200))
      yield* subscribe(owner, { url: URL_TWO })
      yield* after(2 * MINUTE)
      expect(yield* stored(owner, made)).toMatchObject({ status: "FAILED" })
      yield* received(owner.address, { subject: "Later" })
      yield* after(48 * HOUR)
      expect(yield* countTo(URL_ONE)).toBe(2)
      expect(yield* countTo(URL_TWO)).toBe(1)
    }),
  )

  rule(
    "fails the deliveries that wait at its webhook",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* answers(URL_ONE, answered(500), answered(410), answered(200))
      yield* receivedMany(owner.address, 5)
      yield* after(48 * HOUR)
      expect(yield* countTo(URL_ONE)).toBe(2)
      expect(yield* stored(owner, made)).toMatchObject({ status: "FAILED" })
    }),
  )
})

describe("ten deliveries in a row that used up all attempts", () => {
  rule(
    "end the webhook, and its waiting deliveries fail",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* answers(URL_ONE, answered(500))
      yield* receivedMany(owner.address, 9)
      yield* exhaust
      expect(yield* stored(owner, made)).toMatchObject({ status: "ACTIVE", failureCount: 9 })
      yield* receivedMany(owner.address, 1, "Tenth")
      yield* exhaust
      expect(yield* stored(owner, made)).toMatchObject({ status: "FAILED", failureCount: 10 })
      yield* accepted(owner.address, aMail({ subject: "Later" }))
      yield* after(48 * HOUR)
      expect(yield* countTo(URL_ONE)).toBe(10 * 6)
    }),
  )

  rule(
    "are counted from zero after a success",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* answers(URL_ONE, answered(500))
      yield* receivedMany(owner.address, 9)
      yield* exhaust
      yield* answers(URL_ONE, answered(200), answered(500))
      yield* received(owner.address, { subject: "Good" })
      expect((yield* stored(owner, made)).failureCount).toBe(0)
      yield* receivedMany(owner.address, 9, "More")
      yield* exhaust
      expect(yield* stored(owner, made)).toMatchObject({ status: "ACTIVE", failureCount: 9 })
    }),
  )
})
