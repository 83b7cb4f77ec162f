/** Mails of the service's own that the relay does not take (docs/decisions/0014). */
import { describe, expect } from "@effect/vitest"
import { DAY, HOUR } from "@mailroom/domain"
import { Accounts, Blobs, Engine, JobStore } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Cause, Effect, Layer, Logger, TestClock } from "effect"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { mailsTo } from "./support/outbox.js"
import { signUp } from "./support/owners.js"

/** What was logged while something ran: a line each, without its fields, and whether a cause came with it. */
const logOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const noting = Logger.make(({ message, cause }) => {
      const [said] = Array.isArray(message) ? message : [message]
      lines.push(`${String(said)}${Cause.isEmpty(cause) ? "" : ", and why"}`)
    })
    return Effect.as(Effect.provide(effect, Logger.replace(Logger.defaultLogger, noting)), lines)
  })

/** The kinds of jobs that wait, whenever they are due. */
const waiting = Effect.map(
  Effect.flatMap(JobStore, (jobs) => jobs.claim(10, NOON + 365 * DAY, NOON)),
  (jobs) => jobs.map(({ spec }) => spec.kind),
)

const tryEveryHour = (hours: number) =>
  Effect.replicateEffect(Effect.zipRight(TestClock.adjust(HOUR), Engine.settle), hours, { discard: true })

describe("a mail of the service that the relay refuses for good", () => {
  rule(
    "is given up at once, with a line in the log beside that of the mail",
    Effect.gen(function* () {
      const relay = yield* MemoryRelay
      const { account } = yield* signUp("acme")
      yield* relay.answer(account.email, "550 5.1.1 no such user")
      expect(yield* logOf(Engine.settle)).toEqual([
        "mail refused by the relay",
        "Job send-verification is given up: 550 5.1.1 no such user",
      ])
      expect(yield* waiting).toEqual([])
    }),
  )

  rule(
    "can be asked for again",
    Effect.gen(function* () {
      const relay = yield* MemoryRelay
      const { account } = yield* signUp("acme")
      yield* relay.answer(account.email, "550 5.1.1 no such user")
      yield* Engine.settle
      yield* relay.answer(account.email, null)
      yield* Effect.flatMap(Accounts, (accounts) => accounts.resendVerification(account.email, "192.0.2.7"))
      yield* Engine.settle
      expect(yield* mailsTo(account.email)).toHaveLength(1)
    }),
  )
})

describe("a mail of the service that the relay puts off", () => {
  rule(
    "is sent as soon as the relay takes it",
    Effect.gen(function* () {
      const relay = yield* MemoryRelay
      const { account } = yield* signUp("acme")
      yield* relay.answer(account.email, "450 4.2.1 later")
      yield* tryEveryHour(70)
      yield* relay.answer(account.email, null)
      yield* TestClock.setTime(NOON + 3 * DAY - 1)
      yield* Engine.settle
      expect(yield* mailsTo(account.email)).toHaveLength(1)
    }),
  )

  rule(
    "is tried for three days, and given up then with a line in the log beside that of the mail",
    Effect.gen(function* () {
      const relay = yield* MemoryRelay
      const { account } = yield* signUp("acme")
      yield* relay.reachable(false)
      yield* Engine.settle
      yield* tryEveryHour(71)
      expect(yield* waiting).toEqual(["send-verification"])
      yield* TestClock.setTime(NOON + 3 * DAY)
      expect(yield* logOf(Engine.settle)).toEqual([
        "the relay is unavailable; the mail was not sent",
        "Job send-verification is given up: it was tried for three days",
      ])
      expect(yield* waiting).toEqual([])
      yield* relay.reachable(true)
      yield* tryEveryHour(2)
      expect(yield* mailsTo(account.email)).toEqual([])
    }),
  )
})

/** A blob store that never removes anything. */
const keepsBlobs = Layer.effect(
  Blobs,
  Effect.map(Blobs, (blobs) => ({ ...blobs, remove: () => Effect.dieMessage("the blob store is away") })),
)

describe("work that is no mail", () => {
  ruleWith(keepsBlobs)(
    "is never given up",
    Effect.gen(function* () {
      const jobs = yield* JobStore
      yield* jobs.add([{ id: "1", spec: { kind: "remove-blobs", keys: ["a/b"] }, dueAt: NOON }])
      yield* tryEveryHour(5 * 24)
      expect(yield* waiting).toEqual(["remove-blobs"])
    }),
  )
})
