/** How often open streams read the store (docs/decisions/0040, 0041). */
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
        openAmong: (ids) => Effect.zipRight(count("openAmong"), accounts.openAmong(ids)),
      }),
    )
  }),
)

const rule = ruleWith(counting)

const everything: EventFilter = { mailboxes: null, kinds: null }

/** A reader that takes whatever it is told of. */
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

/** Lets reads that have begun end. */
const turns = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow(), { discard: true })

const callsDuring = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const calls = yield* Calls
    calls.clear()
    yield* effect
    return Object.fromEntries(calls)
  })

/** Writes an event of which no signal tells. */
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
        createdAt: NOON,
        random: 1,
      },
    ])
  })

describe("streams on which nothing happens", () => {
  rule(
    "share one look at the newest events of all accounts every 15 seconds, and read no log",
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
    "ask nothing once they have ended",
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
    "is read once for all streams of its account that wait at the same place",
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
    "whose signal was lost comes within 15 seconds, to the streams of its account alone",
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
    "that is written while the log is read is not missed",
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

describe("a credential whose end was not announced", () => {
  rule(
    "is noticed for every stream by the same look",
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

describe("the places of a process that was taken for dead", () => {
  const freeAll = (accountId: AccountId) =>
    Effect.gen(function* () {
      const places = yield* StreamSlots
      for (const place of [1, 2, 3, 4, 5]) yield* places.free(accountId, place)
    })

  rule(
    "are taken again for the streams that are open, and given back when they end",
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
})
