/** The storage check of /readyz (docs/decisions/0058). */
import { expect } from "@effect/vitest"
import { Blobs, StorageFailure, StorageHealth, WriteCheckStore } from "@mailroom/engine"
import { Context, Effect, Fiber, Layer, TestClock } from "effect"
import { BlobShelf, watchedBlobs } from "./support/blobs.js"
import { ruleWith } from "./support/mailroom.js"

class Writes extends Context.Tag("test/Writes")<
  Writes,
  {
    readonly count: () => number
    /** Sets the effect of each further write to the database. */
    readonly become: (write: Effect.Effect<void>) => Effect.Effect<void>
  }
>() {}

/** A database whose writes the test controls. */
const watchedDatabase = Layer.effectContext(
  Effect.sync(() => {
    let count = 0
    let outcome: Effect.Effect<void> = Effect.void
    const write = () =>
      Effect.suspend(() => {
        count++
        return outcome
      })
    const become = (next: Effect.Effect<void>) =>
      Effect.sync(() => {
        outcome = next
      })
    return Context.make(WriteCheckStore, { write }).pipe(Context.add(Writes, { count: () => count, become }))
  }),
)

const rule = ruleWith(Layer.merge(watchedBlobs, watchedDatabase))

const problems = Effect.flatMap(StorageHealth, (health) => health.problems)

rule(
  "a result is cached for a second, for all callers",
  Effect.gen(function* () {
    const { count, become } = yield* Writes
    yield* Effect.all([problems, problems, problems], { concurrency: "unbounded" })
    expect(count()).toBe(1)
    yield* become(Effect.die(new StorageFailure({ reason: "unavailable", cause: null })))
    yield* TestClock.adjust(999)
    expect(yield* problems).toEqual({ database: null, blobs: null })
    yield* TestClock.adjust(1)
    expect(yield* problems).toEqual({ database: "no connection, or no answer", blobs: null })
    yield* become(Effect.void)
    yield* TestClock.adjust(1000)
    expect(yield* problems).toEqual({ database: null, blobs: null })
  }),
)

rule(
  "a full blob store is named, and each check overwrites one blob",
  Effect.gen(function* () {
    const shelf = yield* BlobShelf
    yield* problems
    yield* shelf.full(true)
    yield* TestClock.adjust(1000)
    expect(yield* problems).toEqual({ database: null, blobs: "no space left" })
    expect(yield* shelf.keys).toEqual(["checks/write"])
    const blobs = yield* Blobs
    expect((yield* blobs.get("checks/write"))._tag).toBe("Some")
  }),
)

rule(
  "a write that does not end is reported after two seconds",
  Effect.gen(function* () {
    yield* (yield* Writes).become(Effect.never)
    const asking = yield* Effect.fork(problems)
    yield* TestClock.adjust(2000)
    expect(yield* Fiber.join(asking)).toEqual({ database: "no answer within 2 s", blobs: null })
  }),
)
