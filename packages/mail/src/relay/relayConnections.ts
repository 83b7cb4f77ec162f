/**
 * Connections to the relay that are used again. Written out rather than taken from Effect's `Pool`: when a connection
 * cannot be opened, mail that waits for that pool stays waiting until other mail asks for a connection.
 */
import { Effect, Exit, type Scope } from "effect"
import type { AttemptFailed } from "./answers.js"
import type { RelayConnection } from "./relayConnection.js"

interface RelayConnections {
  /**
   * Runs `work` over a connection that nobody else uses meanwhile. Waits while all connections are in use, in the order of
   * coming. The connection is kept if `work` succeeds, and closed otherwise.
   */
  readonly use: <A>(
    work: (connection: RelayConnection) => Effect.Effect<A, AttemptFailed>,
  ) => Effect.Effect<A, AttemptFailed>
}

interface ConnectionsOptions {
  /** Opens one. Can be interrupted. */
  readonly open: Effect.Effect<RelayConnection, AttemptFailed>
  /** at the same time */
  readonly max: number
  /** Milliseconds until a connection that nobody uses is closed, by the real clock. */
  readonly idleFor: number
}

interface Idle {
  readonly connection: RelayConnection
  readonly expiry: NodeJS.Timeout
}

/** The end of the scope closes the connections. */
export const makeConnections = ({
  open,
  max,
  idleFor,
}: ConnectionsOptions): Effect.Effect<RelayConnections, never, Scope.Scope> =>
  Effect.gen(function* () {
    const places = yield* Effect.makeSemaphore(max)
    /** in the order in which they became idle */
    const idle = new Set<Idle>()
    let isOver = false

    const discard = (one: Idle): void => {
      clearTimeout(one.expiry)
      idle.delete(one)
      one.connection.close()
    }

    const keep = (connection: RelayConnection): void => {
      if (isOver) return connection.close()
      const expiry = setTimeout(() => discard(one), idleFor)
      const one: Idle = { connection, expiry }
      idle.add(one)
    }

    /** The connection that was used last, because the relay is the least likely to have closed it. */
    const takeIdle = (): RelayConnection | null => {
      for (const one of [...idle].reverse()) {
        if (!one.connection.isOpen()) {
          discard(one)
          continue
        }
        clearTimeout(one.expiry)
        idle.delete(one)
        return one.connection
      }
      return null
    }

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isOver = true
        for (const one of idle) discard(one)
      }),
    )

    return {
      use: (work) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.suspend(() => {
            const kept = takeIdle()
            return kept === null ? restore(open) : Effect.succeed(kept)
          }).pipe(
            Effect.flatMap((connection) =>
              Effect.onExit(restore(work(connection)), (exit) =>
                Effect.sync(() => (Exit.isSuccess(exit) ? keep(connection) : connection.close())),
              ),
            ),
          ),
        ).pipe(places.withPermits(1)),
    }
  })
