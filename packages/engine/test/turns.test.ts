/** The queue of tasks for a shared resource. */
import { describe, expect, it } from "@effect/vitest"
import { SECOND } from "@mailroom/domain"
import { Clock, Effect, Fiber, TestClock } from "effect"
import { makeTurns } from "../src/turns.js"

/** Runs one task at a time. A task waits for 2 s while none ends. */
const turns = () => makeTurns(1, 2 * SECOND)

const away = Effect.dieMessage("the store is away")

describe("tasks that wait for their turn", () => {
  it.effect("run in order as long as tasks end, with success or with a typed failure", () =>
    Effect.gen(function* () {
      const inTurn = turns()
      const begun: Array<readonly [work: number, at: number]> = []
      const work = (n: number) =>
        Effect.gen(function* () {
          begun.push([n, yield* Clock.currentTimeMillis])
          yield* Effect.sleep(SECOND)
          return n % 2 === 0 ? yield* Effect.fail("refused") : n
        })
      const all = yield* Effect.fork(
        Effect.forEach([0, 1, 2, 3, 4, 5], (n) => Effect.exit(inTurn(work(n))), { concurrency: "unbounded" }),
      )
      yield* TestClock.adjust(6 * SECOND)
      yield* Fiber.join(all)
      expect(begun).toEqual([0, 1, 2, 3, 4, 5].map((n) => [n, n * SECOND]))
    }),
  )

  it.effect("run without a turn when no task has ended for 2 s", () =>
    Effect.gen(function* () {
      const inTurn = turns()
      yield* inTurn(Effect.void)
      yield* Effect.fork(inTurn(Effect.never))
      yield* Effect.yieldNow()
      const second = yield* Effect.fork(inTurn(Effect.succeed("beside")))
      yield* TestClock.adjust(2 * SECOND - 1)
      expect(yield* Fiber.poll(second)).toMatchObject({ _tag: "None" })
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(second)).toBe("beside")
    }),
  )

  it.effect("do not wait for tasks that die with a storage failure", () =>
    Effect.gen(function* () {
      const inTurn = turns()
      const failing = inTurn(Effect.zipRight(Effect.sleep(1.5 * SECOND), away))
      const all = yield* Effect.fork(
        Effect.forEach([1, 2, 3, 4], () => Effect.exit(failing), { concurrency: "unbounded" }),
      )
      yield* TestClock.adjust(3.5 * SECOND)
      expect(yield* Fiber.join(all)).toHaveLength(4)
    }),
  )

  it.effect("leave the queue when interrupted, even in an uninterruptible region", () =>
    Effect.gen(function* () {
      const inTurn = turns()
      const first = yield* Effect.fork(inTurn(Effect.sleep(SECOND)))
      yield* Effect.yieldNow()
      const second = yield* Effect.fork(Effect.uninterruptible(inTurn(Effect.never)))
      const third = yield* Effect.fork(inTurn(Effect.succeed("next")))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(second)
      yield* TestClock.adjust(SECOND)
      yield* Fiber.join(first)
      expect(yield* Fiber.join(third)).toBe("next")
    }),
  )
})
