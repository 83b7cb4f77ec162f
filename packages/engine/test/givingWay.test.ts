/** Accepting mail that pours in comes before delivering it (docs/decisions/0002). */
import { describe, expect, it } from "@effect/vitest"
import { Engine, MailSpool } from "@mailroom/engine"
import { Clock, Effect, Fiber, Layer, Option, Stream, TestClock } from "effect"
import { AcceptRate } from "../src/inbound/AcceptRate.js"
import { accepted, aMail, envelopeTo } from "./support/arrivals.js"
import { rule } from "./support/mailroom.js"
import { paying } from "./support/owners.js"
import { arrivalsOf } from "./support/reading.js"

/** Whether the lull has come by now. */
const isDone = <A>(fiber: Fiber.RuntimeFiber<A>) => Effect.map(Fiber.poll(fiber), Option.isSome)

const smallMails = (mails: number, withinShare = 0) => ({ mails, sizeBytes: 0, withinShare })

const intakeRule = (name: string, body: Effect.Effect<void, never, AcceptRate>) =>
  it.effect(name, () => Effect.provide(body, AcceptRate.layer))

describe("a lull", () => {
  intakeRule(
    "is there while fewer than fifty mails come in a hundred milliseconds",
    Effect.gen(function* () {
      const acceptRate = yield* AcceptRate
      yield* acceptRate.accepted(smallMails(49))
      yield* acceptRate.lull
      yield* TestClock.adjust("100 millis")
      yield* acceptRate.accepted(smallMails(49))
      yield* acceptRate.lull
    }),
  )

  intakeRule(
    "comes when the fiftieth of the last mails is a hundred milliseconds old",
    Effect.gen(function* () {
      const acceptRate = yield* AcceptRate
      yield* acceptRate.accepted(smallMails(25))
      yield* TestClock.adjust("50 millis")
      yield* acceptRate.accepted(smallMails(25))
      const lull = yield* Effect.fork(acceptRate.lull)
      yield* TestClock.adjust("49 millis")
      expect(yield* isDone(lull)).toBe(false)
      yield* TestClock.adjust("1 millis")
      expect(yield* isDone(lull)).toBe(true)
    }),
  )
})

describe("mail within its tenant's share", () => {
  intakeRule(
    "waits for no flood of another tenant",
    Effect.gen(function* () {
      const acceptRate = yield* AcceptRate
      yield* acceptRate.accepted(smallMails(1000, 19))
      yield* acceptRate.breath
    }),
  )

  intakeRule(
    "waits for more of it, for at most twenty-five milliseconds",
    Effect.gen(function* () {
      const acceptRate = yield* AcceptRate
      yield* acceptRate.accepted(smallMails(20, 20))
      const breath = yield* Effect.fork(acceptRate.breath)
      yield* TestClock.adjust("24 millis")
      expect(yield* isDone(breath)).toBe(false)
      yield* TestClock.adjust("1 millis")
      expect(yield* isDone(breath)).toBe(true)
    }),
  )
})

describe("large mail", () => {
  intakeRule(
    "pours in when three of 1 MB come in a hundred milliseconds",
    Effect.gen(function* () {
      const acceptRate = yield* AcceptRate
      yield* acceptRate.accepted({ mails: 3, sizeBytes: 3 * 1024 * 1024, withinShare: 3 })
      const lull = yield* Effect.fork(acceptRate.lull)
      yield* TestClock.adjust("99 millis")
      expect(yield* isDone(lull)).toBe(false)
      yield* TestClock.adjust("1 millis")
      expect(yield* isDone(lull)).toBe(true)
    }),
  )
})

describe("while mail pours in", () => {
  rule(
    "what is beyond its tenant's share is delivered after a second and a half, in one go",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* Layer.build(Engine.workers)
      const events = yield* arrivalsOf(owner)
      const arrivals = yield* events.pipe(
        Stream.mapEffect(() => Clock.currentTimeMillis),
        Stream.take(601),
        Stream.runCollect,
        Effect.fork,
      )
      // The workers are up and have nothing to do.
      yield* accepted(owner.address, aMail({ subject: "Before" }))
      yield* TestClock.adjust("1 minute")
      const started = yield* Clock.currentTimeMillis
      const { accept } = yield* MailSpool
      let serial = 0
      const twenty = Effect.suspend(() =>
        accept(
          Array.from({ length: 20 }, () => ({
            envelope: envelopeTo([owner.address], started),
            content: { kind: "inline" as const, bytes: aMail({ subject: `Mail ${++serial}` }) },
          })),
        ),
      )
      yield* Effect.repeatN(Effect.zipRight(twenty, TestClock.adjust("30 millis")), 55)
      const times = Array.from(yield* Fiber.join(arrivals), (at) => at - started)
      // Fifty a second are within the share, and may come at once.
      const within = times.filter((after) => after >= 0 && after < 1500)
      expect(within.length).toBeGreaterThan(0)
      expect(within.length).toBeLessThan(80)
    }),
  )
})
