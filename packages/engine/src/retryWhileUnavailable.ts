/** Retries for work that outlives a request, and can wait until an outage of the storage is over. */
import { SECOND } from "@mailroom/domain"
import { Effect, type Scope } from "effect"
import { isTemporary } from "./ports/StorageFailure.js"

/** Milliseconds between two tries. */
const RETRY_AFTER = 1 * SECOND

/** Repeats the effect while it dies with a temporary `StorageFailure`. Any other failure ends it. */
export const retryWhileUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchAllCause(effect, (cause) =>
    isTemporary(cause)
      ? Effect.zipRight(Effect.sleep(RETRY_AFTER), retryWhileUnavailable(effect))
      : Effect.failCause(cause),
  )

/** Runs a transaction whose answer may be lost, and `abandon` after a failure. */
type InDoubt = (
  abandon: Effect.Effect<void>,
) => <A, E, R>(transaction: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * For transactions that take a lease of `lease` milliseconds. A transaction that fails may still have been committed. So
 * `abandon` then runs in the background, and is retried until it succeeds, the lease expires, or the scope closes. One
 * `abandon` runs at a time, so an unavailable store gets one request a second, however many transactions failed.
 */
export const makeInDoubt = (lease: number): Effect.Effect<InDoubt, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope): InDoubt => {
    const oneAtATime = Effect.unsafeMakeSemaphore(1)
    return (abandon) => {
      const abandoning = oneAtATime.withPermits(1)(retryWhileUnavailable(abandon)).pipe(
        Effect.timeoutOption(lease),
        // Even in an uninterruptible region: closing the scope must not wait for the store.
        Effect.interruptible,
        Effect.forkIn(scope),
      )
      return Effect.tapErrorCause(() => abandoning)
    }
  })
