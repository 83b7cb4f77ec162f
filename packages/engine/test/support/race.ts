/** Two use cases at once, on two engines over one Postgres, with one of them held at a statement of its own choosing. */
import type { Blobs } from "@mailroom/engine"
import { MemoryBlobs } from "@mailroom/blobs"
import { freshDatabase, type Look, lookInto, stoppingStatements, waitsForLock } from "@mailroom/test-services"
import { Cause, type Context, Effect, Exit, Fiber, Layer, Logger, LogLevel } from "effect"
import { type BlobShelf, watchedBlobs } from "./blobs.js"
import { relayOrDie } from "./lostSends.js"
import { engineOn } from "./postgres.js"

const engine = (url: string, name: string, blobs: Context.Context<Blobs | BlobShelf>) =>
  engineOn(url, name, Layer.merge(Layer.succeedContext(blobs), relayOrDie))

/** All that use cases and tests of a race may ask for. */
export type World = Layer.Layer.Success<ReturnType<typeof engine>>

type Racer = Effect.Effect<unknown, unknown, World>

export interface Raced {
  /** whether the first had as many statements: when not, it ended before the second began */
  readonly stopped: boolean
  /** what no use case may end with, and what workers met and only logged */
  readonly failures: ReadonlyArray<string>
  /** how many statements the first ran */
  readonly statements: number
}

export interface Course {
  readonly look: Look
  /** Runs something on the engine whose statements can be held, while none is. */
  readonly alone: <A, E>(effect: Effect.Effect<A, E, World>) => Effect.Effect<A, E>
  /**
   * Holds the first before its statement number `at`, from 0; runs the second until it ends or waits for a lock of the
   * first; lets the first go, and waits for both.
   */
  readonly race: (first: Racer, second: Racer, at: number) => Effect.Effect<Raced>
}

/** ErrorResponses are fine: the other may have been there first. To die is not. */
const defectsOf = (exit: Exit.Exit<unknown, unknown>): ReadonlyArray<string> =>
  Exit.isFailure(exit) && (Cause.isDie(exit.cause) || Cause.isInterrupted(exit.cause))
    ? [Cause.pretty(exit.cause)]
    : []

/** Two engines that share a new database and their blobs. */
export const course = Effect.gen(function* () {
  const url = yield* freshDatabase()
  const proxy = yield* stoppingStatements(url)
  const look = yield* lookInto(url)
  const blobs = yield* Layer.build(Layer.provide(watchedBlobs, MemoryBlobs.layer))
  const one = yield* Layer.build(engine(proxy.url, "one", blobs))
  const other = yield* Layer.build(engine(url, "other", blobs))

  /** Asks again and again instead of sleeping: each question is a round trip to Postgres. */
  const endsOrWaits = (fiber: Fiber.RuntimeFiber<unknown>): Effect.Effect<void> =>
    Effect.gen(function* () {
      const ended = yield* Fiber.poll(fiber)
      if (ended._tag === "Some" || (yield* waitsForLock(look))) return
      yield* endsOrWaits(fiber)
    })

  const race: Course["race"] = (first, second, at) =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.make(({ logLevel, message, cause }) => {
        if (LogLevel.greaterThanEqual(logLevel, LogLevel.Warning))
          logged.push(`${String(message)} ${Cause.pretty(cause)}`)
      })
      const heard = Logger.replace(Logger.defaultLogger, logger)
      const run = (racer: Racer, engine: Context.Context<World>) =>
        Effect.fork(Effect.exit(Effect.provide(Effect.provide(racer, engine), heard)))
      const stop = proxy.stopAt(at)
      const held = yield* run(first, one)
      const stopped = yield* Effect.raceFirst(
        Effect.as(stop.reached, true),
        Effect.as(Fiber.await(held), false),
      )
      const free = yield* run(second, other)
      yield* endsOrWaits(free)
      yield* stop.release
      const exits = [yield* Fiber.join(held), yield* Fiber.join(free)]
      return { stopped, failures: [...exits.flatMap(defectsOf), ...logged], statements: stop.count() }
    })

  return { look, race, alone: (effect) => Effect.provide(effect, one) } satisfies Course
})
