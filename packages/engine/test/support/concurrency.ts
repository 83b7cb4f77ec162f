/** Makes concurrent use cases meet, or take turns. */
import { Transactions } from "@mailroom/engine"
import { Context, Deferred, Effect, Layer, Ref } from "effect"

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

/** The answer of the next transaction that a test holds back. */
export class HeldAnswer extends Context.Tag("test/HeldAnswer")<
  HeldAnswer,
  {
    /** From now on. Completes `begun` when a transaction has committed, which then waits for `mayEnd`. */
    readonly hold: Effect.Effect<{
      readonly begun: Deferred.Deferred<void>
      readonly mayEnd: Deferred.Deferred<void>
    }>
  }
>() {}

export const heldAnswers = Layer.effectContext(
  Effect.gen(function* () {
    const { run } = yield* Transactions
    const next = yield* Ref.make<Effect.Effect<void>>(Effect.void)
    const hold = Effect.gen(function* () {
      const [begun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Ref.set(next, Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(mayEnd)))
      return { begun, mayEnd }
    })
    return Context.make(Transactions, {
      run: (effect) => Effect.zipLeft(run(effect), Effect.flatten(Ref.getAndSet(next, Effect.void))),
    }).pipe(Context.add(HeldAnswer, { hold }))
  }),
)
