/** Contract of `Transactions`. */
import { describe, expect, layer } from "@effect/vitest"
import { AccountStore, RateLimitStore, Transactions } from "@mailroom/engine"
import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import type { Database } from "./support/databases.js"
import { anAccount, NOON } from "./support/records.js"

const isStored = (account: ReturnType<typeof anAccount>) =>
  Effect.map(
    Effect.flatMap(AccountStore, (store) => store.byId(account.id)),
    Option.isSome,
  )

export const transactionsContract = (name: string, database: Database) =>
  describe(`${name}: transactions`, () => {
    layer(database)((it) => {
      it.effect("keeps nothing of a transaction that fails, dies or is interrupted", () =>
        Effect.gen(function* () {
          const store = yield* AccountStore
          const { run } = yield* Transactions
          const ends = [Effect.fail("no"), Effect.die("no"), Effect.interrupt]
          for (const end of ends) {
            const account = anAccount()
            const exit = yield* Effect.exit(run(Effect.zipRight(store.insert(account), end)))
            expect(exit._tag).toBe("Failure")
            expect(yield* isStored(account)).toBe(false)
          }
        }),
      )

      it.effect("rolls back when it is interrupted from outside", () =>
        Effect.gen(function* () {
          const store = yield* AccountStore
          const { run } = yield* Transactions
          const account = anAccount()
          const reached = yield* Deferred.make<void>()
          const fiber = yield* Effect.fork(
            run(
              store
                .insert(account)
                .pipe(Effect.zipRight(Deferred.succeed(reached, undefined)), Effect.zipRight(Effect.never)),
            ),
          )
          yield* Deferred.await(reached)
          yield* Fiber.interrupt(fiber)
          expect(yield* isStored(account)).toBe(false)
        }),
      )

      it.effect("fails with the failure of its effect", () =>
        Effect.gen(function* () {
          const { run } = yield* Transactions
          expect(yield* Effect.flip(run(Effect.fail("mine")))).toBe("mine")
        }),
      )

      it.effect("joins the transaction around it", () =>
        Effect.gen(function* () {
          const store = yield* AccountStore
          const { run } = yield* Transactions
          const account = anAccount()
          yield* Effect.flip(run(Effect.zipRight(run(store.insert(account)), Effect.fail("no"))))
          expect(yield* isStored(account)).toBe(false)
        }),
      )

      it.effect("rolls back a failed nested transaction, and continues with the outer one", () =>
        Effect.gen(function* () {
          const store = yield* AccountStore
          const { run } = yield* Transactions
          const [before, part, deeper, after] = [anAccount(), anAccount(), anAccount(), anAccount()]
          yield* run(
            Effect.gen(function* () {
              yield* store.insert(before)
              yield* Effect.flip(
                run(
                  store
                    .insert(part)
                    .pipe(Effect.zipRight(run(store.insert(deeper))), Effect.zipRight(Effect.fail("part"))),
                ),
              )
              yield* store.insert(after)
            }),
          )
          expect(yield* Effect.forEach([before, part, deeper, after], isStored)).toEqual([
            true,
            false,
            false,
            true,
          ])
        }),
      )

      it.effect("keeps statements of other fibers out of a running transaction", () =>
        Effect.gen(function* () {
          const limits = yield* RateLimitStore
          const { run } = yield* Transactions
          const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const refused = yield* Effect.fork(
            run(
              limits
                .count("refused", NOON)
                .pipe(
                  Effect.zipRight(Deferred.succeed(begun, undefined)),
                  Effect.zipRight(Deferred.await(end)),
                  Effect.zipRight(Effect.fail("no")),
                ),
            ),
          )
          yield* Deferred.await(begun)
          const alone = yield* Effect.fork(limits.count("alone", NOON))
          yield* Effect.repeatN(Effect.yieldNow(), 100)
          yield* Deferred.succeed(end, undefined)
          expect((yield* Fiber.await(refused))._tag).toBe("Failure")
          expect(yield* Fiber.join(alone)).toBe(1)
          expect(yield* limits.count("alone", NOON)).toBe(2)
          expect(yield* limits.count("refused", NOON)).toBe(1)
        }),
      )

      it.effect("releases the connection after a refused transaction", () =>
        Effect.gen(function* () {
          const store = yield* AccountStore
          const { run } = yield* Transactions
          yield* Effect.exit(run(Effect.die("no")))
          const account = anAccount()
          expect(Exit.isSuccess(yield* Effect.exit(run(store.insert(account))))).toBe(true)
          expect(yield* isStored(account)).toBe(true)
        }),
      )
    })
  })
