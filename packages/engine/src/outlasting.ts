/** For what goes on for longer than a request: it waits for a store that is away. */
import { SECOND } from "@mailroom/domain"
import { Effect, type Scope } from "effect"
import { isTemporary } from "./ports/StorageFailure.js"

/** How often the store is asked again. */
const AGAIN_AFTER = 1 * SECOND

/** The effect, again and again until the store is there: only its own faults end it. */
export const outlasting = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchAllCause(effect, (cause) =>
    isTemporary(cause)
      ? Effect.zipRight(Effect.sleep(AGAIN_AFTER), outlasting(effect))
      : Effect.failCause(cause),
  )

/**
 * For a transaction whose answer can be lost, so that nobody knows whether it was committed: when it fails, `settle`
 * runs in the background, as soon as the store is there.
 */
export const inDoubt =
  (settle: Effect.Effect<void>, scope: Scope.Scope) =>
  <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tapErrorCause(transaction, () => Effect.forkIn(outlasting(settle), scope))
