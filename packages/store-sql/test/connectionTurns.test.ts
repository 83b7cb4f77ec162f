/** Who gets the one connection of SQLite (docs/decisions/0046). */
import { isPatient } from "@mailroom/engine"
import { eventLoopTurns } from "@mailroom/test-services"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { connectionTurns } from "../src/sqlite/connectionTurns.js"

/** Uses of a connection, by name and in their order. */
const makeUses = () => {
  const turns = connectionTurns("connection")
  const begun: Array<string> = []
  const use = (name: string, kind: "statement" | "transaction", ends: Effect.Effect<void> = Effect.void) =>
    Effect.scoped(
      Effect.zipRight(
        turns[kind],
        Effect.suspend(() => {
          begun.push(name)
          return ends
        }),
      ),
    )
  const patiently = (name: string, kind: "statement" | "transaction", ends?: Effect.Effect<void>) =>
    Effect.locally(use(name, kind, ends), isPatient, true)
  return { begun, use, patiently }
}

/** Forks effects one after another, each until it waits. */
const forkEach = <A>(effects: ReadonlyArray<Effect.Effect<A>>) =>
  Effect.forEach(effects, (effect) => Effect.zipLeft(Effect.fork(effect), Effect.yieldNow()))

describe("the connection", () => {
  it.effect("serves one fiber at a time, in the order of their calls", () =>
    Effect.gen(function* () {
      const { begun, use } = makeUses()
      const end = yield* Deferred.make<void>()
      const fibers = yield* forkEach([
        use("1", "transaction", Deferred.await(end)),
        use("2", "statement"),
        use("3", "transaction"),
      ])
      expect(begun).toEqual(["1"])
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.joinAll(fibers)
      expect(begun).toEqual(["1", "2", "3"])
    }),
  )

  it.effect("serves a patient fiber after the others, of which eight in a row overtake it at most", () =>
    Effect.gen(function* () {
      const { begun, use, patiently } = makeUses()
      const end = yield* Deferred.make<void>()
      const others = Array.from({ length: 10 }, (_, n) => use(`${n}`, "statement"))
      const fibers = yield* forkEach([
        use("first", "transaction", Deferred.await(end)),
        patiently("patient", "transaction"),
        ...others,
      ])
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.joinAll(fibers)
      expect(begun).toEqual(["first", "0", "1", "2", "3", "4", "5", "6", "7", "patient", "8", "9"])
    }),
  )

  it.effect(
    "runs one patient transaction in a turn of the event loop; statements, and the others, do not wait",
    () =>
      Effect.gen(function* () {
        const { begun, use, patiently } = makeUses()
        const fibers = yield* forkEach([
          patiently("patient 1", "transaction"),
          patiently("patient 2", "transaction"),
          patiently("statement", "statement"),
          use("other", "transaction"),
        ])
        expect(begun).toEqual(["patient 1", "statement", "other"])
        yield* eventLoopTurns(1)
        yield* Fiber.joinAll(fibers)
        expect(begun).toEqual(["patient 1", "statement", "other", "patient 2"])
      }),
  )

  it.effect(
    "is not lost with a fiber that is interrupted while it waits, or just when its turn has come",
    () =>
      Effect.gen(function* () {
        const { begun, use } = makeUses()
        const end = yield* Deferred.make<void>()
        const [first, second, third] = yield* forkEach([
          use("1", "transaction", Deferred.await(end)),
          use("2", "transaction"),
          use("3", "transaction"),
        ])
        yield* Fiber.interrupt(second ?? Fiber.void)
        yield* Effect.zipRight(Fiber.interruptFork(third ?? Fiber.void), Deferred.succeed(end, undefined))
        yield* Fiber.join(first ?? Fiber.void)
        yield* use("4", "transaction")
        expect(begun.filter((name) => name !== "3")).toEqual(["1", "4"])
      }),
  )
})
