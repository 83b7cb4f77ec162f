/** System mails that the relay refuses (docs/decisions/0014). */
import { describe, expect } from "@effect/vitest"
import { DAY, HOUR, MINUTE } from "@mailroom/domain"
import { Accounts, Blobs, Engine, JobStore, OutboundMail } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Cause, Context, Effect, Layer, Logger, TestClock } from "effect"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { mailsTo } from "./support/outbox.js"
import { paying, signUp } from "./support/owners.js"
import { RECIPIENT, send } from "./support/sends.js"

/** Log lines of an effect, without their fields, and whether each has a cause. */
const logOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const noting = Logger.make(({ message, cause }) => {
      const [said] = Array.isArray(message) ? message : [message]
      lines.push(`${String(said)}${Cause.isEmpty(cause) ? "" : ", and why"}`)
    })
    return Effect.as(Effect.provide(effect, Logger.replace(Logger.defaultLogger, noting)), lines)
  })

/** The kinds of all waiting jobs. */
const waiting = Effect.map(
  Effect.flatMap(JobStore, (jobs) => jobs.claim(10, NOON + 365 * DAY, NOON)),
  (jobs) => jobs.map(({ spec }) => spec.kind),
)

const tryEveryHour = (hours: number) =>
  Effect.replicateEffect(Effect.zipRight(TestClock.adjust(HOUR), Engine.settle), hours, { discard: true })

/** The times within which the relay had to end its transactions, with their recipients. */
class Times extends Context.Tag("test/Times")<Times, Array<readonly [to: string, within: number]>>() {}

const timedRelay = Layer.effectContext(
  Effect.map(OutboundMail, (relay) => {
    const times: Array<readonly [string, number]> = []
    const send: OutboundMail["Type"]["send"] = (envelope, raw, within) => {
      times.push(...envelope.to.map((to) => [to, within] as const))
      return relay.send(envelope, raw, within)
    }
    return Context.make(OutboundMail, { send }).pipe(Context.add(Times, times))
  }),
)

describe("the relay", () => {
  ruleWith(timedRelay)(
    "may take 8.5 minutes for a send, and one for a mail of the service, whose job is leased for two",
    Effect.gen(function* () {
      const owner = yield* paying()
      const times = yield* Times
      times.length = 0
      yield* send(owner)
      yield* signUp("other")
      yield* Engine.settle
      expect(times.map(([to, within]) => [to === RECIPIENT, within])).toEqual([
        [true, 8.5 * MINUTE],
        [false, MINUTE],
      ])
    }),
  )
})

describe("a system mail that the relay refuses permanently", () => {
  rule(
    "is given up at once, with a log line besides that of the mail",
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
    "can be requested again",
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

describe("a system mail that the relay refuses temporarily", () => {
  rule(
    "is sent when the relay accepts it",
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
    "is given up after three days, with a log line besides that of the mail",
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

/** A blob store whose removals fail. */
const keepsBlobs = Layer.effect(
  Blobs,
  Effect.map(Blobs, (blobs) => ({ ...blobs, remove: () => Effect.dieMessage("the blob store is away") })),
)

describe("a job that sends no mail", () => {
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
