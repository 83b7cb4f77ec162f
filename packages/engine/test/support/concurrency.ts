/** Makes concurrent use cases meet, or take turns. */
import { Transactions } from "@mailroom/engine"
import { Deferred, Effect, Layer, Ref } from "effect"

/** Each yields before each of its transactions: all read the same state before their transactions, as in several processes. */
export const takingTurns = Layer.effect(
  Transactions,
  Effect.map(Transactions, ({ run }): Transactions["Type"] => ({
    run: (effect) => Effect.zipRight(Effect.yieldNow(), run(effect)),
  })),
)

/** Waits until this many fibers wait for it. */
export const meetingOf = (parties: number): Effect.Effect<Effect.Effect<void>> =>
  Effect.gen(function* () {
    const arrived = yield* Ref.make(0)
    const everybody = yield* Deferred.make<void>()
    return Effect.flatMap(
      Ref.updateAndGet(arrived, (count) => count + 1),
      (count) => (count === parties ? Deferred.succeed(everybody, undefined) : Deferred.await(everybody)),
    )
  })
