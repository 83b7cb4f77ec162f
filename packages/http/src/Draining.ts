/** Tells open answers that the server stops, so that event streams end with `event: reconnect`. */
import { acquireLight } from "@mailroom/engine"
import { Context, Effect, Layer, type Scope } from "effect"

export class Draining extends Context.Tag("@mailroom/Draining")<
  Draining,
  {
    /** Begins draining: every open answer ends as soon as it can. */
    readonly begin: Effect.Effect<void>
    /** Returns when draining begins, or at once if it has begun. */
    readonly begun: Effect.Effect<void>
    /** Calls `onBegin` once, when draining begins, or at once if it has begun. The scope ends the registration. */
    readonly listen: (onBegin: () => void) => Effect.Effect<void, never, Scope.Scope>
  }
>() {
  static readonly layer: Layer.Layer<Draining> = Layer.sync(Draining, () => {
    const listeners = new Set<() => void>()
    let hasBegun = false
    const begun = Effect.unsafeMakeLatch(false)
    return {
      begun: begun.await,
      begin: Effect.sync(() => {
        hasBegun = true
        begun.unsafeOpen()
        for (const listener of listeners) listener()
        listeners.clear()
      }),
      listen: (onBegin) =>
        Effect.asVoid(
          acquireLight(
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
