/** That the server stops: event streams end with `event: reconnect` (decisions §1, SIGTERM). */
import { Context, Effect, Layer, type Scope } from "effect"

export class Draining extends Context.Tag("@mailroom/Draining")<
  Draining,
  {
    /** From now on every answer ends as soon as it can. */
    readonly begin: Effect.Effect<void>
    /** Calls `onBegin` once when draining begins, or now if it has begun. Ends with the scope. */
    readonly listen: (onBegin: () => void) => Effect.Effect<void, never, Scope.Scope>
  }
>() {
  static readonly layer: Layer.Layer<Draining> = Layer.sync(Draining, () => {
    const listeners = new Set<() => void>()
    let hasBegun = false
    return {
      begin: Effect.sync(() => {
        hasBegun = true
        for (const listener of listeners) listener()
        listeners.clear()
      }),
      listen: (onBegin) =>
        Effect.asVoid(
          Effect.acquireRelease(
            Effect.sync(() => {
              if (hasBegun) onBegin()
              else listeners.add(onBegin)
            }),
            () => Effect.sync(() => listeners.delete(onBegin)),
          ),
        ),
    }
  })
}
