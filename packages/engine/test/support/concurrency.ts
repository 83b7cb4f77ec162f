/** Use cases that really take turns: before each transaction whoever runs lets the others catch up. */
import { Transactions } from "@mailroom/engine"
import { Effect, Layer } from "effect"

/** What two of them read before their transactions is then the same, as it is with several processes. */
export const takingTurns = Layer.effect(
  Transactions,
  Effect.map(Transactions, ({ run }): Transactions["Type"] => ({
    run: (effect) => Effect.zipRight(Effect.yieldNow(), run(effect)),
  })),
)
