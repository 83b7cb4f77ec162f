/** Transactions that wake others, and say what they did, when and only when they have committed. */
import { Context, Effect, FiberRef, Layer } from "effect"
import { withMarker } from "./idempotency/marker.js"
import { Signals, type Topic } from "./ports/Signals.js"
import { Transactions } from "./ports/stores/Transactions.js"

/** What follows the commit of the running transaction. */
interface Following {
  readonly topics: ReadonlyArray<Topic>
  readonly effects: ReadonlyArray<Effect.Effect<void>>
}

const nothing: Following = { topics: [], effects: [] }
const pending = FiberRef.unsafeMake<Following>(nothing)

/** Inside `commit`: whoever waits for these topics is woken after the commit. */
export const announce = (...topics: ReadonlyArray<Topic>): Effect.Effect<void> =>
  FiberRef.update(pending, (before) => ({ ...before, topics: [...before.topics, ...topics] }))

/** Inside `commit`: runs the effect after the commit. For log lines and metrics: a transaction may be run twice. */
export const afterCommit = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  FiberRef.update(pending, (before) => ({ ...before, effects: [...before.effects, effect] }))

export class UnitOfWork extends Context.Tag("@mailroom/UnitOfWork")<
  UnitOfWork,
  {
    /**
     * Runs a use case's changes as one transaction and then wakes those it announced to. Not interruptible: a client
     * that hangs up leaves no change half announced. What changes outside of it, an `Idempotency-Key` does not know.
     */
    readonly commit: <A, E, R>(changes: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>() {
  static readonly layer: Layer.Layer<UnitOfWork, never, Transactions | Signals> = Layer.effect(
    UnitOfWork,
    Effect.gen(function* () {
      const transactions = yield* Transactions
      const signals = yield* Signals
      return {
        commit: (changes) =>
          transactions
            .run(Effect.locally(Effect.zip(withMarker(changes), FiberRef.get(pending)), pending, nothing))
            .pipe(
              Effect.tap(([, { topics, effects }]) =>
                Effect.zipRight(signals.publish(topics), Effect.all(effects, { discard: true })),
              ),
              Effect.map(([result]) => result),
              Effect.uninterruptible,
            ),
      }
    }),
  )
}
