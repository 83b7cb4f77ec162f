/** The start of a month under concurrency: gated messages unlock exactly once (docs/specification/limits.md). */
import { describe, expect } from "@effect/vitest"
import {
  AccountRemoval,
  ApiKeyStore,
  Authentication,
  DeliveryWorker,
  Engine,
  Mailboxes,
  Messages,
} from "@mailroom/engine"
import { Context, Effect, Fiber, Layer, TestClock } from "effect"
import { accepted, aMail, received, receivedMany } from "./support/arrivals.js"
import { changeAccount } from "./support/changes.js"
import { takingTurns } from "./support/concurrency.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, unverified } from "./support/owners.js"
import {
  accountOf,
  eventsOf,
  listed,
  mailboxOf,
  page,
  stubsOf,
  subjectsOf,
  threadsOf,
} from "./support/reading.js"
import { refused } from "./support/refused.js"

const APRIL = Date.UTC(2026, 3, 1)

/** An unverified account at its monthly limit of 100, and five gated messages. */
const overTheCap = Effect.gen(function* () {
  const owner = yield* unverified()
  yield* changeAccount(owner, { receivedMonth: { window: "2026-03", count: 100 } })
  yield* receivedMany(owner.address, 5)
  return owner
})

const look = (owner: Owner) =>
  Effect.flatMap(Authentication, (authentication) => authentication.byKey(owner.key))

const drain = Effect.flatMap(DeliveryWorker, (worker) => worker.drain)

const times = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: count }, () => effect),
    { concurrency: "unbounded" },
  )

/** Delays readers between their read of the account and the unlocking. */
class Readers extends Context.Tag("test/Readers")<
  Readers,
  { readonly hold: Effect.Effect<void>; readonly release: Effect.Effect<void> }
>() {}

const slowReaders = Layer.effectContext(
  Effect.map(ApiKeyStore, (keys) => {
    const latch = Effect.unsafeMakeLatch(true)
    const byHash: ApiKeyStore["Type"]["byHash"] = (hash) => Effect.tap(keys.byHash(hash), () => latch.await)
    return Context.make(ApiKeyStore, { ...keys, byHash }).pipe(
      Context.add(Readers, { hold: Effect.asVoid(latch.close), release: Effect.asVoid(latch.open) }),
    )
  }),
)

describe("the start of a month", () => {
  ruleWith(takingTurns)(
    "unlocks once for any number of concurrent readers",
    Effect.gen(function* () {
      const owner = yield* overTheCap
      const before = yield* eventsOf(owner)
      yield* TestClock.setTime(APRIL)
      const seen = yield* times(20, look(owner))
      expect(new Set(seen.map(({ account }) => account.overLimitCount))).toEqual(new Set([0]))
      expect(yield* listed(owner)).toHaveLength(5)
      expect((yield* threadsOf(owner)).threads.map(({ messageCount }) => messageCount)).toEqual([
        1, 1, 1, 1, 1,
      ])
      expect((yield* page(owner)).limits.overLimitCount).toBe(0)
      expect(yield* eventsOf(owner)).toEqual(before)
    }),
  )

  ruleWith(slowReaders)(
    "unlocks no message of the new month for a reader with an older state of the account",
    Effect.gen(function* () {
      const owner = yield* overTheCap
      yield* TestClock.setTime(APRIL)
      const { hold, release } = yield* Readers
      yield* hold
      const late = yield* Effect.fork(look(owner))
      yield* Effect.yieldNow()
      yield* Effect.forEach(Array.from({ length: 103 }), (_, index) =>
        accepted(owner.address, aMail({ subject: `April ${index + 1}` })),
      )
      yield* drain
      yield* release
      expect((yield* Fiber.join(late)).account.overLimitCount).toBe(3)
      expect(yield* accountOf(owner)).toMatchObject({ monthlyInboundCount: 103, overLimitMessageCount: 3 })
      expect((yield* page(owner)).limits.overLimitCount).toBe(3)
      expect(subjectsOf(yield* listed(owner, { limit: 1 }))).toEqual(["April 100"])
    }),
  )

  ruleWith(slowReaders)(
    "refuses access when the account is deleted between its read and the unlocking",
    Effect.gen(function* () {
      const owner = yield* overTheCap
      const principal = yield* look(owner)
      yield* TestClock.setTime(APRIL)
      const { hold, release } = yield* Readers
      yield* hold
      const late = yield* Effect.fork(refused(look(owner)))
      yield* Effect.yieldNow()
      yield* Effect.flatMap(AccountRemoval, ({ remove }) => remove(principal))
      yield* release
      expect(yield* Fiber.join(late)).toEqual({ _tag: "Unauthenticated", reason: "invalid key" })
    }),
  )

  ruleWith(takingTurns)(
    "unlocks once, also when a mail and a reader arrive together",
    Effect.gen(function* () {
      const owner = yield* overTheCap
      yield* TestClock.setTime(APRIL)
      yield* accepted(owner.address, aMail({ subject: "In April" }))
      yield* Effect.all([drain, times(5, look(owner)), drain], { concurrency: "unbounded" })
      yield* Engine.settle
      expect(yield* listed(owner)).toHaveLength(6)
      expect(yield* accountOf(owner)).toMatchObject({ overLimitMessageCount: 0, monthlyInboundCount: 1 })
      expect((yield* mailboxOf(owner)).receivedThisMonth).toBe(1)
    }),
  )

  rule(
    "unlocks the gated messages of all mailboxes",
    Effect.gen(function* () {
      const owner = yield* overTheCap
      const mailboxes = yield* Mailboxes
      const wanted = { localPart: "second", displayName: null, domainId: null }
      const second = yield* mailboxes.create(yield* as(owner), wanted)
      yield* Engine.settle
      yield* received(second.fullAddress, { subject: "Elsewhere" })
      expect((yield* accountOf(owner)).overLimitMessageCount).toBe(6)
      yield* TestClock.setTime(APRIL)
      expect((yield* accountOf(owner)).overLimitMessageCount).toBe(0)
      for (const mailboxId of [owner.mailboxId, second.id])
        expect((yield* page(owner, { mailboxId })).limits.overLimitCount).toBe(0)
    }),
  )

  for (const [name, last] of [
    ["a leap day", Date.UTC(2028, 2, 1) - 1],
    ["28 February", Date.UTC(2027, 2, 1) - 1],
    ["New Year's Eve", Date.UTC(2027, 0, 1) - 1],
  ] as const)
    rule(
      `comes a millisecond after ${name} ends, not before`,
      Effect.gen(function* () {
        const owner = yield* unverified()
        yield* TestClock.setTime(last)
        const window = new Date(last).toISOString().slice(0, 7)
        yield* changeAccount(owner, { receivedMonth: { window, count: 99 } })
        yield* receivedMany(owner.address, 3)
        expect(yield* accountOf(owner)).toMatchObject({ monthlyInboundCount: 102, overLimitMessageCount: 2 })
        yield* TestClock.setTime(last + 1)
        expect(yield* accountOf(owner)).toMatchObject({ monthlyInboundCount: 0, overLimitMessageCount: 0 })
        expect(yield* listed(owner)).toHaveLength(3)
      }),
    )

  for (const [millis, seconds] of [
    [1, 1],
    [1000, 1],
    [1001, 2],
    [86_400_000, 86_400],
  ] as const)
    rule(
      `is ${seconds} s away, as a gated read says ${millis} ms before it`,
      Effect.gen(function* () {
        const owner = yield* overTheCap
        const messages = yield* Messages
        const [stub] = yield* stubsOf(owner)
        if (stub === undefined) return yield* Effect.dieMessage("nothing was gated")
        const read = Effect.flatMap(as(owner), (principal) =>
          messages.get(principal, owner.mailboxId, stub.message_id),
        )
        yield* TestClock.setTime(APRIL - millis)
        expect(yield* refused(read)).toMatchObject({
          _tag: "OverInboundLimit",
          retryAfter: seconds,
          resetAt: "2026-04-01T00:00:00.000Z",
        })
        yield* TestClock.setTime(APRIL)
        expect((yield* read).gate).toBeNull()
      }),
    )

  rule(
    "does not repeat when the clock goes back",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* TestClock.setTime(APRIL)
      yield* changeAccount(owner, { receivedMonth: { window: "2026-04", count: 99 } })
      yield* receivedMany(owner.address, 2)
      for (const now of [APRIL - 1, APRIL, APRIL - 60_000, APRIL + 60_000]) {
        yield* TestClock.setTime(now)
        yield* received(owner.address, { subject: `At ${now}` })
      }
      expect(yield* accountOf(owner)).toMatchObject({ monthlyInboundCount: 105, overLimitMessageCount: 5 })
      yield* TestClock.setTime(Date.UTC(2026, 4, 1) - 1)
      expect((yield* accountOf(owner)).overLimitMessageCount).toBe(5)
      yield* TestClock.setTime(Date.UTC(2026, 4, 1))
      expect((yield* accountOf(owner)).overLimitMessageCount).toBe(0)
    }),
  )
})
