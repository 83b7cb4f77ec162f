/**
 * A pool of connections to the relay. Not Effect's `Pool`: when a connection cannot be opened, mail that waits for that
 * pool goes on waiting until another mail asks for a connection.
 */
import { Effect, Exit, type Scope } from "effect"
import type { RelayConnection } from "./relayConnection.js"
import type { AttemptFailed } from "./relayErrors.js"

interface ConnectionPool {
  /**
   * Runs `work` with exclusive use of a connection. Waits while all are in use, first come, first served. Keeps the
   * connection if `work` succeeds, and closes it otherwise.
   */
  readonly use: <A>(
    work: (connection: RelayConnection) => Effect.Effect<A, AttemptFailed>,
  ) => Effect.Effect<A, AttemptFailed>
}

interface PoolOptions {
  /** Opens a connection. Interruptible. */
  readonly open: Effect.Effect<RelayConnection, AttemptFailed>
  /** connections at the same time */
  readonly max: number
  /** Milliseconds until an idle connection is closed, by the real clock. */
  readonly idleFor: number
}

interface Idle {
  readonly connection: RelayConnection
  readonly expiry: NodeJS.Timeout
}

/** The end of the scope closes the connections. */
export const makePool = ({
  open,
  max,
  idleFor,
}: PoolOptions): Effect.Effect<ConnectionPool, never, Scope.Scope> =>
  Effect.gen(function* () {
    const permits = yield* Effect.makeSemaphore(max)
    /** in the order in which they became idle */
    const idle = new Set<Idle>()
    let isClosed = false

    const closeIdle = (one: Idle): void => {
      clearTimeout(one.expiry)
      idle.delete(one)
      one.connection.close()
    }

    const keep = (connection: RelayConnection): void => {
      if (isClosed) return connection.close()
      const expiry = setTimeout(() => closeIdle(one), idleFor)
      const one: Idle = { connection, expiry }
      idle.add(one)
    }

    /** The connection used last, because the relay is the least likely to have closed it. */
    const takeIdle = (): RelayConnection | null => {
      for (const one of [...idle].reverse()) {
        if (!one.connection.isOpen()) {
          closeIdle(one)
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
        isClosed = true
        for (const one of idle) closeIdle(one)
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
        ).pipe(permits.withPermits(1)),
    }
  })
