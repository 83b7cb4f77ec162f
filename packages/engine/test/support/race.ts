/** Runs two use cases concurrently, on two engines over one Postgres. The first is held at one of its statements. */
import { type Blobs, OutboundMail } from "@mailroom/engine"
import { MemoryBlobs } from "@mailroom/blobs"
import { freshDatabase, type Look, lookInto, stoppingStatements, waitsForLock } from "@mailroom/test-services"
import { Cause, Context, Effect, Exit, Fiber, Layer, Logger, LogLevel } from "effect"
import { type BlobShelf, watchedBlobs } from "./blobs.js"
import type { Owner } from "./owners.js"
import { engineOn } from "./postgres.js"
import { send } from "./sends.js"

const LOST = "lost@elsewhere.org"

/** A relay at which the process dies with a mail to one address. */
const relayOrDie = Layer.effect(
  OutboundMail,
  Effect.map(OutboundMail, (relay): OutboundMail["Type"] => ({
    send: (envelope, raw, within) =>
      envelope.to.includes(LOST) ? Effect.dieMessage("the process died") : relay.send(envelope, raw, within),
  })),
)

/** A send whose process dies before the relay answers. It stays SENDING until a worker recovers it. */
export const lostSend = (owner: Owner, inReplyTo: string) =>
  Effect.asVoid(Effect.exit(send(owner, { to: [LOST], inReplyTo })))

const engine = (url: string, name: string, blobs: Context.Context<Blobs | BlobShelf>) =>
  engineOn(url, name, Layer.merge(Layer.succeedContext(blobs), relayOrDie))

/** The database itself, for what no service writes any more. */
export class Rows extends Context.Tag("test/Rows")<Rows, Look>() {}

/** The services for the use cases and tests of a race. */
export type World = Layer.Layer.Success<ReturnType<typeof engine>> | Rows

type Racer = Effect.Effect<unknown, unknown, World>

export interface Raced {
  /** whether the first has that many statements; otherwise it ended before the second began */
  readonly stopped: boolean
  /** defects of the use cases, and warnings that workers logged */
  readonly failures: ReadonlyArray<string>
  /** how many statements the first ran */
  readonly statements: number
}

export interface Course {
  readonly look: Look
  /** Runs an effect on the first engine, without holding a statement. */
  readonly alone: <A, E>(effect: Effect.Effect<A, E, World>) => Effect.Effect<A, E>
  /**
   * Holds the first before its statement number `at`, from 0; runs the second until it ends or waits for a lock of the
   * first; lets the first go, and waits for both.
   */
  readonly race: (first: Racer, second: Racer, at: number) => Effect.Effect<Raced>
}

/** Typed errors are allowed, because the other use case may come first. Defects are not. */
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
  const engineAt = (address: string, name: string) =>
    Effect.map(Layer.build(engine(address, name, blobs)), Context.add(Rows, look))
  const one = yield* engineAt(proxy.url, "one")
  const other = yield* engineAt(url, "other")

  /** Polls Postgres instead of sleeping. Each poll is a round trip. */
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
