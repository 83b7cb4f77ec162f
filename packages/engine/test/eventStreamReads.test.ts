/** How often open streams query the store (docs/decisions/0040, 0041). */
import { describe, expect } from "@effect/vitest"
import type { AccountId, EventFilter } from "@mailroom/domain"
import {
  AccountStore,
  CredentialWatch,
  EventStore,
  EventStreams,
  Signals,
  StreamSlots,
} from "@mailroom/engine"
import { Context, Effect, Layer, Option, TestClock } from "effect"
import { received } from "./support/arrivals.js"
import { changeAccount } from "./support/changes.js"
import { NOON, ruleWith } from "./support/mailroom.js"
import { as, type Owner, paying } from "./support/owners.js"
import { refused } from "./support/refused.js"

/** How often each method was called. */
class Calls extends Context.Tag("test/Calls")<Calls, Map<string, number>>() {}

const counting = Layer.unwrapEffect(
  Effect.gen(function* () {
    const events = yield* EventStore
    const accounts = yield* AccountStore
    const calls = new Map<string, number>()
    const count = (name: string) => Effect.sync(() => calls.set(name, (calls.get(name) ?? 0) + 1))
    return Layer.mergeAll(
      Layer.succeed(Calls, calls),
      Layer.succeed(EventStore, {
        ...events,
        page: (...query) => Effect.zipRight(count("page"), events.page(...query)),
        lastSeqs: (ids) => Effect.zipRight(count("lastSeqs"), events.lastSeqs(ids)),
      }),
      Layer.succeed(AccountStore, {
        ...accounts,
        openAmong: (...among) => Effect.zipRight(count("openAmong"), accounts.openAmong(...among)),
      }),
    )
  }),
)

const rule = ruleWith(counting)

const everything: EventFilter = { mailboxes: null, kinds: null }

/** A reader that takes its events at each `onEvents`. */
const read = (owner: Owner) =>
  Effect.gen(function* () {
    const { account } = yield* as(owner)
    const streams = yield* EventStreams
    let isWoken = true
    const { take } = yield* streams.read(account.id, everything, Option.none(), () => {
      isWoken = true
    })
    const seqs: Array<number> = []
    const takeAll = Effect.gen(function* () {
      while (isWoken) {
        isWoken = false
        seqs.push(...(yield* take).map(({ seq }) => seq))
        yield* turns
      }
      return [...seqs]
    })
    yield* takeAll
    return { takeAll }
  })

/** Lets running queries end. */
const turns = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow(), { discard: true })

const callsDuring = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const calls = yield* Calls
    calls.clear()
    yield* effect
    return Object.fromEntries(calls)
  })

/** Writes an event without a signal. */
const unannounced = (owner: Owner) =>
  Effect.gen(function* () {
    const { account } = yield* as(owner)
    const store = yield* EventStore
    yield* store.append([
      {
        accountId: account.id,
        mailboxId: owner.mailboxId,
        kind: "message.sent",
        envelope: "{}",
        happenedAt: NOON,
        random: 1,
      },
    ])
  })

describe("idle streams", () => {
  rule(
    "share one query for the newest events of all accounts every 15 seconds, and read no log",
    Effect.gen(function* () {
      const owners = yield* Effect.forEach(["acme", "globex", "initech"], (slug) => paying(slug))
      for (const owner of owners) for (const reader of [1, 2, 3]) yield* Effect.as(read(owner), reader)
      expect(yield* callsDuring(TestClock.adjust("1 minute"))).toEqual({ lastSeqs: 4 })
    }),
  )

  rule(
    "share one check of all credentials every 15 seconds",
    Effect.gen(function* () {
      const watch = yield* CredentialWatch
      for (const slug of ["acme", "globex", "initech"])
        yield* watch.watch(yield* Effect.flatMap(paying(slug), as), () => {})
      yield* turns
      expect(yield* callsDuring(TestClock.adjust("1 minute"))).toEqual({ openAmong: 4 })
    }),
  )

  rule(
    "run no query after they have ended",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* Effect.scoped(read(owner))
      yield* TestClock.adjust("15 seconds")
      expect(yield* callsDuring(TestClock.adjust("5 minutes"))).toEqual({})
    }),
  )
})

describe("an event", () => {
  rule(
    "is read once for all streams of its account at the same position",
    Effect.gen(function* () {
      const owner = yield* paying()
      const readers = yield* Effect.replicateEffect(read(owner), 5)
      const calls = yield* callsDuring(
        Effect.gen(function* () {
          yield* received(owner.address, { subject: "One" })
          for (const { takeAll } of readers) yield* Effect.fork(takeAll)
          yield* turns
        }),
      )
      expect(calls["page"]).toBe(1)
      for (const { takeAll } of readers) expect(yield* takeAll).toEqual([1])
    }),
  )

  rule(
    "whose signal was lost arrives within 15 seconds, only on the streams of its account",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const [mine, other] = [yield* read(owner), yield* read(yield* paying("other"))]
      yield* unannounced(owner)
      yield* TestClock.adjust("14 seconds")
      expect(yield* mine.takeAll).toEqual([])
      yield* TestClock.adjust("1 second")
      expect([yield* mine.takeAll, yield* other.takeAll]).toEqual([[1], []])
    }),
  )

  rule(
    "that is written during a query is not missed",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { takeAll } = yield* read(owner)
      yield* Effect.all([takeAll, received(owner.address, {}), takeAll, received(owner.address, {})], {
        concurrency: "unbounded",
      })
      yield* turns
      expect(yield* takeAll).toEqual([1, 2])
    }),
  )
})

describe("a credential that was revoked without a signal", () => {
  rule(
    "ends all its streams by one check",
    Effect.gen(function* () {
      const owner = yield* paying()
      const watch = yield* CredentialWatch
      let lapsed = 0
      for (let stream = 0; stream < 3; stream++) yield* watch.watch(yield* as(owner), () => lapsed++)
      yield* turns
      yield* changeAccount(owner, { suspendedAt: NOON })
      expect((yield* callsDuring(TestClock.adjust("15 seconds")))["openAmong"]).toBe(1)
      expect(lapsed).toBe(3)
    }),
  )
})

describe("the slots of a process that was taken for dead", () => {
  const freeAll = (accountId: AccountId) =>
    Effect.gen(function* () {
      const places = yield* StreamSlots
      for (const place of [1, 2, 3, 4, 5]) yield* places.free(accountId, place)
    })

  rule(
    "are taken again for its open streams, and freed when those end",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { account } = yield* as(owner)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.replicateEffect(read(owner), 5)
          yield* freeAll(account.id)
          yield* Effect.flatMap(Signals, ({ publish }) => publish(["stream-slots"]))
          yield* turns
          expect(yield* refused(read(owner))).toMatchObject({ _tag: "TooManyStreams" })
        }),
      )
      yield* Effect.replicateEffect(read(owner), 5)
    }),
  )

  rule(
    "are taken once, also that of a stream that opened before the process heard of it",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { account } = yield* as(owner)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.replicateEffect(read(owner), 2)
          yield* freeAll(account.id)
          yield* read(owner)
          yield* Effect.flatMap(Signals, ({ publish }) => publish(["stream-slots"]))
          yield* turns
          yield* Effect.replicateEffect(read(owner), 2)
        }),
      )
      yield* Effect.scoped(Effect.replicateEffect(read(owner), 5))
    }),
  )
})
