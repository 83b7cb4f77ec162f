/** That the server stops: what would stream on ends by itself, so that its reader knows (decisions §1, SIGTERM). */
import { Context, Deferred, Effect, Layer } from "effect"

export class Draining extends Context.Tag("@mailroom/Draining")<
  Draining,
  {
    /** From now on no answer goes on for longer than it has to. */
    readonly begin: Effect.Effect<void>
    /** Returns once that has begun. */
    readonly begun: Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<Draining> = Layer.effect(
    Draining,
    Effect.map(Deferred.make<void>(), (stopping) => ({
      begin: Effect.asVoid(Deferred.succeed(stopping, undefined)),
      begun: Deferred.await(stopping),
    })),
  )
}
