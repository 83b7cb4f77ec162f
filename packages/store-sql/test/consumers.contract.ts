/** Contract of `ConsumerStore`. */
import { describe, expect, layer } from "@effect/vitest"
import { HOUR, MINUTE } from "@mailroom/domain"
import { ConsumerStore, Transactions } from "@mailroom/engine"
import { Effect, Option } from "effect"
import type { Database } from "./support/databases.js"
import { NOON, storedAccount } from "./support/records.js"

const aConsumer = Effect.gen(function* () {
  const store = yield* ConsumerStore
  const key = { accountId: (yield* storedAccount).id, name: "worker" }
  yield* store.add(key, 7, NOON)
  return key
})

/** Runs the steps of a claim as one transaction. */
const inTransaction = <A>(effect: Effect.Effect<A, never, ConsumerStore>) =>
  Effect.flatMap(Transactions, ({ run }) => run(effect))

export const consumersContract = (name: string, database: Database) =>
  describe(`${name}: consumers`, () => {
    layer(database)((it) => {
      it.effect("adds a consumer once, and stores how far it has read", () =>
        Effect.gen(function* () {
          const store = yield* ConsumerStore
          const key = yield* aConsumer
          yield* store.add(key, 99, NOON)
          expect(yield* inTransaction(store.lock(key))).toEqual(Option.some(7))
          yield* inTransaction(Effect.zipRight(store.lock(key), store.setRead(key, 12)))
          expect(yield* inTransaction(store.lock(key))).toEqual(Option.some(12))
          expect(yield* inTransaction(store.lock({ ...key, name: "other" }))).toEqual(Option.none())
        }),
      )

      it.effect("leases new events to this process until they are completed", () =>
        Effect.gen(function* () {
          const store = yield* ConsumerStore
          const key = yield* aConsumer
          yield* inTransaction(store.take(key, [8, 9], NOON + MINUTE))
          expect(yield* inTransaction(store.takeDue(key, 10, NOON, NOON + MINUTE))).toEqual([])
          expect(yield* store.nextDue(key)).toEqual(Option.none())
          yield* store.complete(key, 8)
          // The lease of 9 has ended.
          const again = yield* inTransaction(store.takeDue(key, 10, NOON + MINUTE, NOON + HOUR))
          expect(again).toEqual([{ seq: 9, attempts: 2 }])
        }),
      )

      it.effect("extends a lease that this process has, and no other", () =>
        Effect.gen(function* () {
          const store = yield* ConsumerStore
          const key = yield* aConsumer
          yield* inTransaction(store.take(key, [8], NOON + MINUTE))
          const lease = { ...key, seq: 8, attempt: 1 }
          // Repeated, because its answer may be lost.
          expect(yield* store.renew(lease, NOON + HOUR)).toBe(true)
          expect(yield* store.renew(lease, NOON + HOUR)).toBe(true)
          expect(yield* store.renew({ ...lease, attempt: 2 }, NOON + 2 * HOUR)).toBe(false)
          expect(yield* inTransaction(store.takeDue(key, 10, NOON + MINUTE, NOON + HOUR))).toEqual([])
        }),
      )

      it.effect("gives an event back without counting the attempt", () =>
        Effect.gen(function* () {
          const store = yield* ConsumerStore
          const key = yield* aConsumer
          yield* inTransaction(store.take(key, [8], NOON + MINUTE))
          yield* store.releaseLease({ ...key, seq: 8, attempt: 1 }, NOON + 1)
          expect(yield* store.nextDue(key)).toEqual(Option.some(NOON + 1))
          expect(yield* inTransaction(store.takeDue(key, 10, NOON, NOON + HOUR))).toEqual([])
          expect(yield* inTransaction(store.takeDue(key, 10, NOON + 1, NOON + HOUR))).toEqual([
            { seq: 8, attempts: 1 },
          ])
        }),
      )

      it.effect("keeps a failed event until it is due again, and the longest due comes first", () =>
        Effect.gen(function* () {
          const store = yield* ConsumerStore
          const key = yield* aConsumer
          yield* inTransaction(store.take(key, [8, 9], NOON + MINUTE))
          const lease = (seq: number) => ({ ...key, seq, attempt: 1 })
          yield* store.fail(lease(8), "No", NOON + 2 * HOUR, NOON)
          yield* store.fail(lease(9), "No", NOON + HOUR, NOON)
          expect(yield* store.nextDue(key)).toEqual(Option.some(NOON + HOUR))
          expect(yield* inTransaction(store.takeDue(key, 10, NOON, NOON + MINUTE))).toEqual([])
          const first = yield* inTransaction(store.takeDue(key, 1, NOON + 2 * HOUR, NOON + 3 * HOUR))
          expect(first).toEqual([{ seq: 9, attempts: 2 }])
          // The lease is over: what another process has taken is left alone.
          yield* store.fail(lease(9), "Late", null, NOON)
          expect(yield* store.parked(key, 10)).toEqual([])
        }),
      )

      it.effect("parks an event, and retries it from the first attempt", () =>
        Effect.gen(function* () {
          const store = yield* ConsumerStore
          const key = yield* aConsumer
          yield* inTransaction(store.take(key, [8, 9], NOON + MINUTE))
          for (const seq of [9, 8]) yield* store.fail({ ...key, seq, attempt: 1 }, `No ${seq}`, null, NOON)
          expect(yield* store.parked(key, 10)).toEqual([
            { seq: 8, attempts: 1, error: "No 8", parkedAt: NOON },
            { seq: 9, attempts: 1, error: "No 9", parkedAt: NOON },
          ])
          expect(yield* store.nextDue(key)).toEqual(Option.none())
          expect(yield* store.retryParked(key, NOON, 1)).toBe(1)
          expect(yield* store.retryParked(key, NOON, 10)).toBe(1)
          expect(yield* store.parked(key, 10)).toEqual([])
          expect(yield* inTransaction(store.takeDue(key, 1, NOON, NOON + HOUR))).toEqual([
            { seq: 8, attempts: 1 },
          ])
        }),
      )

      it.effect("frees a claim whose reply was lost", () =>
        Effect.gen(function* () {
          const store = yield* ConsumerStore
          const key = yield* aConsumer
          yield* inTransaction(store.take(key, [8], NOON + MINUTE + 7))
          yield* store.abandonClaim(NOON + MINUTE + 7)
          expect(yield* inTransaction(store.takeDue(key, 10, NOON, NOON + HOUR))).toEqual([
            { seq: 8, attempts: 1 },
          ])
        }),
      )
    })
  })
