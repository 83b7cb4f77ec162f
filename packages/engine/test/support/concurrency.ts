/** Interleaves concurrent use cases: each yields before each of its transactions. */
import { Transactions } from "@mailroom/engine"
import { Effect, Layer } from "effect"

/** All read the same state before their transactions, as in several processes. */
export const takingTurns = Layer.effect(
  Transactions,
  Effect.map(Transactions, ({ run }): Transactions["Type"] => ({
    run: (effect) => Effect.zipRight(Effect.yieldNow(), run(effect)),
  })),
)
