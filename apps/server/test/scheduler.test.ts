/** The scheduler of the server's fibers (docs/decisions/0050). */
import { describe, expect, it } from "@effect/vitest"
import { Array, Effect, Fiber } from "effect"
import { makeScheduler } from "@mailroom/server/scheduler"

/** More than the rounds between two turns of the event loop, so that such a turn begins in each of them. */
const PHASES = 40
/** In which interrupted work ends. */
const ROUNDS_TO_END = 200

const rounds = (count: number) => Effect.repeatN(Effect.yieldNow(), count)

/** Whether concurrent work ends that is interrupted before its fibers have started, in a round of this number. */
const endsIn = (round: number) =>
  Effect.gen(function* () {
    yield* rounds(round)
    // A daemon: the test ends also when the work does not.
    const work = yield* Effect.forkDaemon(
      Effect.forEach([1, 2, 3], () => Effect.never, { concurrency: 2, discard: true }),
    )
    yield* Fiber.interruptFork(work)
    yield* rounds(ROUNDS_TO_END)
    return work.unsafePoll() !== null
  })

describe("the scheduler", () => {
  it.live("starts a fiber before one that was scheduled later, also across turns of the event loop", () =>
    Effect.gen(function* () {
      const ended = yield* Effect.forEach(Array.range(0, PHASES), endsIn)
      expect(ended).not.toContain(false)
    }).pipe(Effect.withScheduler(makeScheduler())),
  )

  it.live("lets sockets and timers have a turn while fibers are always ready", () =>
    Effect.gen(function* () {
      let turns = 0
      const turn = setInterval(() => turns++, 0)
      yield* Effect.repeat(Effect.yieldNow(), { until: () => turns === 3 })
      clearInterval(turn)
      expect(turns).toBe(3)
    }).pipe(Effect.withScheduler(makeScheduler())),
  )
})
