/** A value that the first caller computes for all. */
import { Duration, Effect } from "effect"

/**
 * As `Effect.cached`, which hands an interruption of its first caller to all later ones: here the next caller computes the value.
 * Failures are kept.
 */
export const computedOnce = <A, E, R>(
  compute: Effect.Effect<A, E, R>,
): Effect.Effect<Effect.Effect<A, E>, never, R> => Effect.cachedWithTTL(compute, Duration.infinity)
