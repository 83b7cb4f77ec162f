/** How a worker waits for work (docs/decisions/0024). */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Queue, TestClock } from "effect"
import { makeIdleWait } from "../src/workers/idleWait.js"

/** Runs a loop that waits `LONGEST` at most, and collects when it looks. */
const LONGEST = 5_000
const looking = Effect.gen(function* () {
  const signals = yield* Queue.unbounded<void>()
  const looks: Array<number> = []
  const idleWait = makeIdleWait()
  const look = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.zipRight(
      Effect.sync(() => looks.push(now)),
      idleWait(Queue.take(signals), LONGEST),
    ),
  )
  yield* Effect.forkScoped(Effect.forever(look))
  return { signal: Queue.offer(signals, undefined), looks }
})

describe("a worker without work", () => {
  it.scoped("looks again soon after a signal, then less and less often", () =>
    Effect.gen(function* () {
      const { signal, looks } = yield* looking
      yield* TestClock.adjust("1 minute")
      looks.length = 0
      yield* signal
      yield* TestClock.adjust("20 seconds")
      const at = 60_000
      expect(looks.map((time) => time - at)).toEqual([0, 100, 300, 700, 1_500, 3_100, 6_300, 11_300, 16_300])
    }),
  )
})
