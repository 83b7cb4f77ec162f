/** For what goes on for longer than a request: it waits for a store that is away. */
import { SECOND } from "@mailroom/domain"
import { Effect, type Scope } from "effect"
import { isTemporary } from "./ports/StorageFailure.js"

/** How often the store is asked again. */
const AGAIN_AFTER = 1 * SECOND

/** The effect, again and again until the store is there: only its own faults end it. */
export const retryWhileUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchAllCause(effect, (cause) =>
    isTemporary(cause)
      ? Effect.zipRight(Effect.sleep(AGAIN_AFTER), retryWhileUnavailable(effect))
      : Effect.failCause(cause),
  )

/** Runs a transaction whose answer can be lost, and afterwards what a lost answer makes necessary. */
type InDoubt = (
  settle: Effect.Effect<void>,
) => <A, E, R>(transaction: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * For transactions that take a lease of `lease` milliseconds. When one fails, nobody knows whether it was committed. Then
 * `settle` runs in the background as soon as the store is there, until the lease has run out or the scope closes. One
 * `settle` runs at a time: a store that is away is asked once a second, however many transactions failed.
 */
export const makeInDoubt = (lease: number): Effect.Effect<InDoubt, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope): InDoubt => {
    const oneAtATime = Effect.unsafeMakeSemaphore(1)
    return (settle) => {
      const settled = oneAtATime.withPermits(1)(retryWhileUnavailable(settle)).pipe(
        Effect.timeoutOption(lease),
        // Also where the transaction is not: closing the scope must not wait for the store.
        Effect.interruptible,
        Effect.forkIn(scope),
      )
      return Effect.tapErrorCause(() => settled)
    }
  })
