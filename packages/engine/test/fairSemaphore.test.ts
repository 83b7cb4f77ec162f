/** The semaphore that accounts share: a group with much to do holds up no other (docs/decisions/0039). */
import { describe, expect, it } from "@effect/vitest"
import { SECOND } from "@mailroom/domain"
import { Effect, Fiber, TestClock } from "effect"
import { type FairSemaphoreTerms, makeFairSemaphore } from "../src/workers/fairSemaphore.js"

/** Takes its permits for a second each time, and notes when it began. */
const semaphore = (terms: Partial<FairSemaphoreTerms>) => {
  const withPermit = makeFairSemaphore({
    permits: 4,
    perGroup: 2,
    waitingMax: 4,
    waitingPerGroup: 3,
    retryAfter: 5,
    ...terms,
  })
  const begun: Array<string> = []
  const work = (name: string, permits?: number) =>
    Effect.fork(
      Effect.either(
        withPermit(
          name.slice(0, 1),
          Effect.zipRight(
            Effect.sync(() => begun.push(name)),
            Effect.sleep(SECOND),
          ),
          permits,
        ),
      ),
    )
  /** Begins the work one after the other. */
  const all = (...works: ReadonlyArray<readonly [name: string, permits?: number]>) =>
    Effect.forEach(works, ([name, permits]) => Effect.zipLeft(work(name, permits), Effect.yieldNow()))
  return { all, begun }
}

describe("work for shared permits", () => {
  it.effect("of one group leaves the rest of the permits to others", () =>
    Effect.gen(function* () {
      const { all, begun } = semaphore({})
      yield* all(["a1"], ["a2"], ["a3"], ["b1"])
      expect(begun).toEqual(["a1", "a2", "b1"])
    }),
  )

  it.effect("begins in the turns of the groups, in each in order", () =>
    Effect.gen(function* () {
      const { all, begun } = semaphore({ permits: 1, perGroup: 1 })
      yield* all(["a1"], ["a2"], ["a3"], ["b1"], ["c1"])
      yield* TestClock.adjust(5 * SECOND)
      expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3"])
    }),
  )

  it.effect("that needs many permits is not overtaken by work of others that needs few", () =>
    Effect.gen(function* () {
      const { all, begun } = semaphore({ permits: 4, perGroup: 4 })
      yield* all(["a1", 2], ["b1", 3], ["c1", 1], ["a2", 1])
      expect(begun).toEqual(["a1"])
      yield* TestClock.adjust(SECOND)
      expect(begun).toEqual(["a1", "b1", "c1"])
    }),
  )

  it.effect("that needs more than the share of its group begins when the group holds none", () =>
    Effect.gen(function* () {
      const { all, begun } = semaphore({})
      yield* all(["a1"], ["a2", 3], ["a3"])
      expect(begun).toEqual(["a1"])
      yield* TestClock.adjust(SECOND)
      expect(begun).toEqual(["a1", "a2"])
      yield* TestClock.adjust(SECOND)
      expect(begun).toEqual(["a1", "a2", "a3"])
    }),
  )

  it.effect("that needs many permits and is interrupted holds up nobody any more", () =>
    Effect.gen(function* () {
      const { all, begun } = semaphore({ permits: 4, perGroup: 4 })
      const [, large] = yield* all(["a1", 2], ["b1", 3], ["c1", 1])
      if (large !== undefined) yield* Fiber.interrupt(large)
      expect(begun).toEqual(["a1", "c1"])
    }),
  )

  it.effect(
    "is refused beyond the waiting of its group, and gives its place to a group that waits less",
    () =>
      Effect.gen(function* () {
        const { all, begun } = semaphore({ permits: 1, perGroup: 1, waitingMax: 3 })
        const fibers = yield* all(["a1"], ["a2"], ["a3"], ["a4"], ["a5"], ["b1"])
        yield* TestClock.adjust(5 * SECOND)
        const ends = yield* Effect.forEach(fibers, Fiber.join)
        expect(ends.map(({ _tag }) => _tag)).toEqual(["Right", "Right", "Right", "Left", "Left", "Right"])
        expect(begun).toEqual(["a1", "a2", "b1", "a3"])
      }),
  )
})
