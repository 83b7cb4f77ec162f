/** Waiting for one of a few connections. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { makeConnectionSemaphore } from "../src/postgres/connectionSemaphore.js"

const LONG = 60_000

describe("the gate before the connections", () => {
  it.live("lets in as many as there are places, and then in the order of asking", () =>
    Effect.gen(function* () {
      const gate = makeConnectionSemaphore(1, LONG, "refused")
      const entered: Array<number> = []
      yield* gate.enter
      const fibers = yield* Effect.forEach([1, 2, 3], (n) =>
        Effect.fork(Effect.map(gate.enter, () => void entered.push(n))),
      )
      yield* Effect.yieldNow()
      expect(entered).toEqual([])
      for (const fiber of fibers) {
        yield* gate.leave
        yield* Fiber.join(fiber)
      }
      expect(entered).toEqual([1, 2, 3])
    }),
  )

  it.live("refuses who waits when there is trouble, and lets in who comes after", () =>
    Effect.gen(function* () {
      const gate = makeConnectionSemaphore(1, LONG, "refused")
      yield* gate.enter
      const waiting = yield* Effect.fork(Effect.flip(gate.enter))
      yield* Effect.yieldNow()
      yield* gate.refuseWaiting
      expect(yield* Fiber.join(waiting)).toBe("refused")
      yield* gate.leave
      yield* gate.enter
    }),
  )

  it.live("refuses who has waited too long, and keeps the place for the next", () =>
    Effect.gen(function* () {
      const gate = makeConnectionSemaphore(1, 1, "refused")
      yield* gate.enter
      expect(yield* Effect.flip(gate.enter)).toBe("refused")
      yield* gate.leave
      yield* gate.enter
      expect(yield* Effect.flip(gate.enter)).toBe("refused")
    }),
  )
})
