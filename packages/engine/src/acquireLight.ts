/** Resources of which a process has ten thousand. */
import { Effect, Scope } from "effect"

/**
 * As `Effect.acquireRelease`, but the finalizer keeps no copy of the state of the fiber that acquired: that is 2 kB and
 * more. `release` is called when the scope closes, so that its effect does not exist before.
 * `release` runs with the state of the fiber that closes the scope.
 */
export const acquireLight = <A, E, R>(
  acquire: Effect.Effect<A, E, R>,
  release: (resource: A) => Effect.Effect<unknown>,
): Effect.Effect<A, E, R | Scope.Scope> =>
  Effect.uninterruptible(
    Effect.tap(acquire, (resource) =>
      Effect.flatMap(Effect.scope, (scope) => Scope.addFinalizerExit(scope, finalizer(resource, release))),
    ),
  )

/** Made outside of `acquireLight`, so that a finalizer holds its two parameters and nothing of the acquisition. */
const finalizer =
  <A>(resource: A, release: (resource: A) => Effect.Effect<unknown>) =>
  () =>
    release(resource)
