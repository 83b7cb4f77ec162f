/** Deliveries yield while much mail is accepted (docs/decisions/0002). */
import { describe, expect, it } from "@effect/vitest"
import { Engine, MailSpool } from "@mailroom/engine"
import { Clock, Effect, Fiber, Layer, Option, Stream, TestClock } from "effect"
import { MailLoad } from "../src/inbound/MailLoad.js"
import { accepted, aMail, envelopeTo } from "./support/arrivals.js"
import { rule } from "./support/mailroom.js"
import { paying } from "./support/owners.js"
import { arrivalsOf } from "./support/reading.js"

const isDone = <A>(fiber: Fiber.RuntimeFiber<A>) => Effect.map(Fiber.poll(fiber), Option.isSome)

const smallMails = (mails: number, withinShare = 0) => ({ mails, sizeBytes: 0, withinShare })

const loadRule = (name: string, body: Effect.Effect<void, never, MailLoad>) =>
  it.effect(name, () => Effect.provide(body, MailLoad.layer))

describe("mail beyond its tenant's share", () => {
  loadRule(
    "does not wait while fewer than 50 mails are accepted in 100 ms",
    Effect.gen(function* () {
      const mailLoad = yield* MailLoad
      yield* mailLoad.accepted(smallMails(49))
      yield* mailLoad.yieldToAccepting
      yield* TestClock.adjust("100 millis")
      yield* mailLoad.accepted(smallMails(49))
      yield* mailLoad.yieldToAccepting
    }),
  )

  loadRule(
    "waits until fewer than 50 mails are younger than 100 ms",
    Effect.gen(function* () {
      const mailLoad = yield* MailLoad
      yield* mailLoad.accepted(smallMails(25))
      yield* TestClock.adjust("50 millis")
      yield* mailLoad.accepted(smallMails(25))
      const waiting = yield* Effect.fork(mailLoad.yieldToAccepting)
      yield* TestClock.adjust("49 millis")
      expect(yield* isDone(waiting)).toBe(false)
      yield* TestClock.adjust("1 millis")
      expect(yield* isDone(waiting)).toBe(true)
    }),
  )

  loadRule(
    "waits for more of it, for 200 ms at most, while 100 ms have three commits",
    Effect.gen(function* () {
      const mailLoad = yield* MailLoad
      yield* mailLoad.accepted(smallMails(1))
      yield* mailLoad.accepted(smallMails(1))
      yield* mailLoad.yieldToAccepting
      yield* mailLoad.accepted(smallMails(1))
      const waiting = yield* Effect.fork(mailLoad.yieldToAccepting)
      const next = Effect.zipRight(TestClock.adjust("33 millis"), mailLoad.accepted(smallMails(1)))
      yield* Effect.repeatN(next, 5)
      yield* TestClock.adjust("1 millis")
      expect(yield* isDone(waiting)).toBe(false)
      yield* TestClock.adjust("1 millis")
      expect(yield* isDone(waiting)).toBe(true)
    }),
  )

  loadRule(
    "waits again when a flood goes on meanwhile, for 1.5 s in all",
    Effect.gen(function* () {
      const mailLoad = yield* MailLoad
      yield* Effect.repeatN(mailLoad.accepted(smallMails(1)), 2)
      const waiting = yield* Effect.fork(mailLoad.yieldToAccepting)
      yield* TestClock.adjust("50 millis")
      const flood = mailLoad.accepted(smallMails(50))
      yield* Effect.repeatN(Effect.zipRight(flood, TestClock.adjust("50 millis")), 27)
      yield* flood
      yield* TestClock.adjust("49 millis")
      expect(yield* isDone(waiting)).toBe(false)
      yield* TestClock.adjust("1 millis")
      expect(yield* Fiber.join(waiting)).toBe(true)
    }),
  )

  loadRule(
    "waits no longer when no more comes",
    Effect.gen(function* () {
      const mailLoad = yield* MailLoad
      yield* Effect.repeatN(mailLoad.accepted(smallMails(1)), 2)
      const waiting = yield* Effect.fork(mailLoad.yieldToAccepting)
      yield* TestClock.adjust("99 millis")
      expect(yield* isDone(waiting)).toBe(false)
      yield* TestClock.adjust("1 millis")
      expect(yield* isDone(waiting)).toBe(true)
    }),
  )
})

describe("mail within its tenant's share", () => {
  loadRule(
    "does not wait during a flood of another tenant",
    Effect.gen(function* () {
      const mailLoad = yield* MailLoad
      yield* mailLoad.accepted(smallMails(1000, 19))
      yield* mailLoad.batchDelay
    }),
  )

  loadRule(
    "waits for more of it, for 25 ms at most",
    Effect.gen(function* () {
      const mailLoad = yield* MailLoad
      yield* mailLoad.accepted(smallMails(20, 20))
      const waiting = yield* Effect.fork(mailLoad.batchDelay)
      yield* TestClock.adjust("24 millis")
      expect(yield* isDone(waiting)).toBe(false)
      yield* TestClock.adjust("1 millis")
      expect(yield* isDone(waiting)).toBe(true)
    }),
  )
})

describe("large mail", () => {
  loadRule(
    "makes accepting busy with three mails of 1 MB in 100 ms",
    Effect.gen(function* () {
      const mailLoad = yield* MailLoad
      yield* mailLoad.accepted({ mails: 3, sizeBytes: 3 * 1024 * 1024, withinShare: 3 })
      const waiting = yield* Effect.fork(mailLoad.yieldToAccepting)
      yield* TestClock.adjust("99 millis")
      expect(yield* isDone(waiting)).toBe(false)
      yield* TestClock.adjust("1 millis")
      expect(yield* isDone(waiting)).toBe(true)
    }),
  )

  loadRule(
    "waits until 160 MB more were accepted, and less than the 1.5 s of small mail",
    Effect.gen(function* () {
      const mailLoad = yield* MailLoad
      const accept = mailLoad.accepted({ mails: 40, sizeBytes: 40 * 1024 * 1024, withinShare: 0 })
      yield* accept
      const waiting = yield* Effect.fork(mailLoad.yieldToAccepting)
      yield* Effect.yieldNow()
      yield* Effect.repeatN(Effect.zipLeft(accept, TestClock.adjust("50 millis")), 2)
      expect(yield* isDone(waiting)).toBe(false)
      yield* accept
      yield* TestClock.adjust("50 millis")
      expect(yield* Fiber.join(waiting)).toBe(true)
    }),
  )
})

describe("a process is busy", () => {
  loadRule(
    "while 50 mails are younger than 100 ms",
    Effect.gen(function* () {
      const { accepted, isBusy } = yield* MailLoad
      yield* accepted(smallMails(49))
      expect(yield* isBusy).toBe(false)
      yield* accepted(smallMails(1))
      expect(yield* isBusy).toBe(true)
      yield* TestClock.adjust("100 millis")
      expect(yield* isBusy).toBe(false)
    }),
  )

  loadRule(
    "while it delivers 32 small mails, and for 100 ms after their delivery ended or failed",
    Effect.gen(function* () {
      const { delivering, isBusy } = yield* MailLoad
      const batch = yield* Effect.fork(delivering(smallMails(31), Effect.never))
      yield* Effect.yieldNow()
      expect(yield* isBusy).toBe(false)
      expect(yield* delivering(smallMails(1), isBusy)).toBe(true)
      yield* TestClock.adjust("99 millis")
      yield* Effect.exit(delivering(smallMails(1), Effect.die("lost")))
      yield* TestClock.adjust("99 millis")
      expect(yield* isBusy).toBe(true)
      yield* TestClock.adjust("1 millis")
      expect(yield* isBusy).toBe(false)
      yield* Fiber.interrupt(batch)
      expect(yield* delivering(smallMails(31), isBusy)).toBe(false)
    }),
  )

  loadRule(
    "while it delivers two mails of 1 MB, and not while it delivers one",
    Effect.gen(function* () {
      const { delivering, isBusy } = yield* MailLoad
      const sizeBytes = 1024 * 1024
      expect(yield* delivering({ mails: 1, sizeBytes }, isBusy)).toBe(false)
      expect(yield* delivering({ mails: 2, sizeBytes: 2 * sizeBytes }, isBusy)).toBe(true)
    }),
  )
})

describe("while accepting is busy", () => {
  rule(
    "mail beyond its tenant's share is delivered after 1.5 s, without further yielding",
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
      // Lets the workers start and become idle.
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
      // 50 mails a second are within the share, and may be delivered at once.
      const within = times.filter((after) => after >= 0 && after < 1500)
      expect(within.length).toBeGreaterThan(0)
      expect(within.length).toBeLessThan(80)
    }),
  )
})
