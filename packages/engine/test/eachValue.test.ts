/** Work on many items of which few need an effect (`eachValue`). */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Deferred } from "effect"
import { eachValue } from "../src/eachValue.js"

describe("a value for each item", () => {
  it.effect("keeps the order of the items, whether they return values or effects", () =>
    Effect.gen(function* () {
      const doubled = yield* eachValue(
        [1, 2, 3, 4, 5],
        (item) => (item % 2 === 0 ? Effect.as(Effect.yieldNow(), item * 2) : item * 2),
        2,
      )
      expect(doubled).toEqual([2, 4, 6, 8, 10])
    }),
  )

  it.effect("runs so many effects at a time", () =>
    Effect.gen(function* () {
      const open = yield* Deferred.make<void>()
      let running = 0
      const fiber = yield* Effect.fork(
        eachValue(
          [1, 2, 3],
          (item) =>
            Effect.as(
              Effect.zipRight(
                Effect.sync(() => running++),
                Deferred.await(open),
              ),
              item,
            ),
          2,
        ),
      )
      yield* Effect.yieldNow().pipe(Effect.repeatN(20))
      expect(running).toBe(2)
      yield* Deferred.succeed(open, undefined)
      expect(yield* Fiber.join(fiber)).toEqual([1, 2, 3])
    }),
  )

  it.effect("fails with the effect that fails", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(eachValue([1, 2], (item) => (item === 2 ? Effect.fail("no") : item), 1))
      expect(exit).toEqual(Exit.fail("no"))
    }),
  )

  it.effect("runs nothing before it is run, and all of it again when it is run again", () =>
    Effect.gen(function* () {
      let calls = 0
      const each = eachValue([1, 2], () => ++calls, 1)
      expect(calls).toBe(0)
      expect(yield* each).toEqual([1, 2])
      expect(yield* each).toEqual([3, 4])
    }),
  )
})
