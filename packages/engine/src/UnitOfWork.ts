/** Transactions with signals, log lines and metrics that follow after the commit, and only then. */
import { Context, Effect, FiberRef, Layer } from "effect"
import { withMarker } from "./idempotency/marker.js"
import { Signals, type Topic } from "./ports/Signals.js"
import { Transactions } from "./ports/stores/Transactions.js"

/** Signals and effects for after the commit of the running transaction. */
interface AfterCommit {
  readonly topics: ReadonlyArray<Topic>
  readonly effects: ReadonlyArray<Effect.Effect<void>>
}

const nothing: AfterCommit = { topics: [], effects: [] }
const pending = FiberRef.unsafeMake<AfterCommit>(nothing)

/** Inside `commit`: publishes these topics after the commit. */
export const announce = (...topics: ReadonlyArray<Topic>): Effect.Effect<void> =>
  FiberRef.update(pending, (before) => ({ ...before, topics: [...before.topics, ...topics] }))

/** Inside `commit`: runs the effect after the commit. For log lines and metrics, because a transaction may run twice. */
export const afterCommit = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  FiberRef.update(pending, (before) => ({ ...before, effects: [...before.effects, effect] }))

export class UnitOfWork extends Context.Tag("@mailroom/UnitOfWork")<
  UnitOfWork,
  {
    /**
     * Runs the changes of a use case as one transaction, and then publishes the announced topics. Uninterruptible, so that
     * a client that disconnects cannot suppress a signal. Changes outside of `commit` are not covered by the request's
     * `Idempotency-Key`.
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
            .run(
              Effect.locally(
                Effect.flatMap(withMarker(changes), (result) =>
                  Effect.map(FiberRef.get(pending), (after) => ({ result, ...after })),
                ),
                pending,
                nothing,
              ),
            )
            .pipe(
              Effect.flatMap(({ result, topics, effects }) =>
                Effect.as(
                  Effect.zipRight(signals.publish(topics), Effect.all(effects, { discard: true })),
                  result,
                ),
              ),
              Effect.uninterruptible,
            ),
      }
    }),
  )
}
