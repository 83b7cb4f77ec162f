/** The loop that all background workers share: what happens after a failure, and what the log says of it. */
import { describe, expect, it } from "@effect/vitest"
import { SECOND } from "@mailroom/domain"
import { Chunk, Clock, Duration, Effect, Fiber, Logger, Ref, Schedule, TestClock } from "effect"
import { StorageFailure } from "../src/ports/StorageFailure.js"
import { drainRounds, makeSupervisor, PAUSE_MAX, pauses } from "../src/workers/supervisor.js"

const away = Effect.die(new StorageFailure({ reason: "unavailable", cause: "connection lost" }))
const fault = Effect.dieMessage("a fault of ours")

/** A worker whose rounds take a second each; those of the given numbers fail at once. Its log, and when each round began. */
const running = (failing: Readonly<Record<number, Effect.Effect<never>>>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const begun: Array<number> = []
    const round = Effect.gen(function* () {
      const failure = failing[begun.length]
      begun.push(yield* Clock.currentTimeMillis)
      if (failure !== undefined) return yield* failure
      yield* Effect.sleep(SECOND)
    })
    const log = Logger.make<unknown, void>(({ message }) => {
      lines.push(Array.isArray(message) ? String(message[0]) : String(message))
    })
    const fiber = yield* makeSupervisor("jobs")
      .loop(round)
      .pipe(Effect.provide(Logger.replace(Logger.defaultLogger, log)), Effect.forkScoped)
    return { lines, begun, fiber }
  })

const FAILED = "Background jobs failed and will be tried again"

describe("the loop of a background worker", () => {
  it.scoped("begins the next round half a second to a second after one that failed", () =>
    Effect.gen(function* () {
      const { begun } = yield* running({ 0: fault })
      yield* TestClock.adjust(PAUSE_MAX / 2 - 1)
      expect(begun).toHaveLength(1)
      yield* TestClock.adjust(PAUSE_MAX / 2 + 1)
      expect(begun).toHaveLength(2)
    }),
  )

  it.effect("waits for a different time after each failure", () =>
    Effect.gen(function* () {
      const delays = Chunk.map(
        yield* Schedule.run(Schedule.delays(pauses(PAUSE_MAX)), 0, Array.from({ length: 100 })),
        Duration.toMillis,
      )
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(PAUSE_MAX / 2)
      expect(Math.max(...delays)).toBeLessThanOrEqual(PAUSE_MAX)
      expect(new Set(delays).size).toBeGreaterThan(1)
    }),
  )

  it.scoped("logs an outage of the storage once, and its end", () =>
    Effect.gen(function* () {
      const { lines } = yield* running({ 1: away, 2: away, 3: away })
      yield* TestClock.adjust(10 * SECOND)
      expect(lines).toEqual([FAILED, "Background jobs works again"])
    }),
  )

  it.scoped("logs each failure that is no outage", () =>
    Effect.gen(function* () {
      const { lines } = yield* running({ 0: away, 1: fault, 2: away, 3: fault })
      yield* TestClock.adjust(10 * SECOND)
      expect(lines).toEqual([FAILED, FAILED, FAILED, "Background jobs works again"])
    }),
  )

  it.scoped("goes on, and logs nothing, after an interruption inside a round", () =>
    Effect.gen(function* () {
      const { begun, lines } = yield* running({ 0: Effect.interrupt })
      yield* TestClock.adjust(PAUSE_MAX)
      expect({ begun: begun.length, lines }).toEqual({ begun: 2, lines: [] })
    }),
  )

  it.scoped("ends, and logs nothing, when it is interrupted", () =>
    Effect.gen(function* () {
      const { begun, fiber, lines } = yield* running({})
      yield* TestClock.adjust(SECOND / 2)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust(10 * SECOND)
      expect({ begun: begun.length, lines }).toEqual({ begun: 1, lines: [] })
    }),
  )
})

it.effect("a drain runs rounds until one claims nothing, and returns the number of tasks", () =>
  Effect.gen(function* () {
    const claims = yield* Ref.make<ReadonlyArray<number>>([3, 1, 0, 5])
    const total = yield* drainRounds(Ref.modify(claims, ([first = 0, ...others]) => [first, others]))
    expect([total, yield* Ref.get(claims)]).toEqual([4, [5]])
  }),
)
