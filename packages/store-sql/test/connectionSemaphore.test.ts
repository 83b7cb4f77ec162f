/** The semaphore over the connections of the Postgres pool. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { makeConnectionSemaphore } from "../src/postgres/connectionSemaphore.js"

const LONG = 60_000

describe("the connection semaphore", () => {
  it.live("grants its permits, then queues in the order of requests", () =>
    Effect.gen(function* () {
      const semaphore = makeConnectionSemaphore(1, LONG, "refused")
      const entered: Array<number> = []
      yield* semaphore.acquire
      const fibers = yield* Effect.forEach([1, 2, 3], (n) =>
        Effect.fork(Effect.map(semaphore.acquire, () => void entered.push(n))),
      )
      yield* Effect.yieldNow()
      expect(entered).toEqual([])
      for (const fiber of fibers) {
        yield* semaphore.release
        yield* Fiber.join(fiber)
      }
      expect(entered).toEqual([1, 2, 3])
    }),
  )

  it.live("fails all waiters when a connection fails, and grants later requests", () =>
    Effect.gen(function* () {
      const semaphore = makeConnectionSemaphore(1, LONG, "refused")
      yield* semaphore.acquire
      const waiting = yield* Effect.fork(Effect.flip(semaphore.acquire))
      yield* Effect.yieldNow()
      yield* semaphore.failWaiters
      expect(yield* Fiber.join(waiting)).toBe("refused")
      yield* semaphore.release
      yield* semaphore.acquire
    }),
  )

  it.live("fails a waiter after the maximal wait, and keeps the permit for the next", () =>
    Effect.gen(function* () {
      const semaphore = makeConnectionSemaphore(1, 1, "refused")
      yield* semaphore.acquire
      expect(yield* Effect.flip(semaphore.acquire)).toBe("refused")
      yield* semaphore.release
      yield* semaphore.acquire
      expect(yield* Effect.flip(semaphore.acquire)).toBe("refused")
    }),
  )
})
