/** The number of requests that wait for a message at the same time (`spec: sharing.wait.limit`). */
import { type AccountId, TooManyWaits, WAITS_MAX_PER_ACCOUNT } from "@mailroom/domain"
import { Context, Effect, Layer, Option, type Scope } from "effect"
import { acquireLight } from "../acquireLight.js"
import { makeProcessSlots } from "../events/processSlots.js"
import { Signals } from "../ports/Signals.js"
import { WaitSlots } from "../ports/stores/StreamSlots.js"

export class WaitLimit extends Context.Tag("@mailroom/WaitLimit")<
  WaitLimit,
  {
    /** Takes one of the account's slots until the scope closes. Call it before a request begins to wait. */
    readonly enter: (accountId: AccountId) => Effect.Effect<void, TooManyWaits, Scope.Scope>
  }
>() {
  static readonly layer: Layer.Layer<WaitLimit, never, WaitSlots | Signals> = Layer.scoped(
    WaitLimit,
    Effect.gen(function* () {
      const slots = yield* makeProcessSlots(yield* WaitSlots, WAITS_MAX_PER_ACCOUNT, yield* Signals)
      return {
        enter: (accountId) =>
          Effect.asVoid(
            acquireLight(
              Effect.flatMap(
                slots.take(accountId),
                Option.match({
                  onNone: () => new TooManyWaits({ limit: WAITS_MAX_PER_ACCOUNT }),
                  onSome: (slot) => Effect.succeed(slot),
                }),
              ),
              slots.free,
            ),
          ),
      }
    }),
  )
}
