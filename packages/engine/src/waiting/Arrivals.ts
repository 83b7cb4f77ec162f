/** The requests of this process that wait for a message, by account: waits, and claims with a filter. */
import type { AccountId } from "@mailroom/domain"
import { Context, Effect, Layer, RcMap, type Scope } from "effect"
import { Signals } from "../ports/Signals.js"
import { ArrivalStore } from "../ports/stores/ArrivalStore.js"
import { EventStore } from "../ports/stores/EventStore.js"
import { ThreadStore } from "../ports/stores/ThreadStore.js"
import { makeFallbackLook } from "../signals/fallbackLook.js"
import { AccountArrivals, type LookAt, makeLook } from "./AccountArrivals.js"

/** How long an account without waiting requests still listens to its signals: chained waits follow each other. */
const KEPT_FOR = "10 seconds"

export class Arrivals extends Context.Tag("@mailroom/Arrivals")<
  Arrivals,
  {
    readonly lookAt: LookAt
    /** One for each account, kept while the scope of any caller is open. */
    readonly ofAccount: (
      accountId: AccountId,
    ) => Effect.Effect<Pick<AccountArrivals, "signals" | "await">, never, Scope.Scope>
  }
>() {
  static readonly layer = Layer.scoped(
    Arrivals,
    Effect.gen(function* () {
      const events = yield* EventStore
      const signals = yield* Signals
      const lookAt = makeLook(yield* ArrivalStore, yield* ThreadStore)
      const waiting = new Map<AccountId, AccountArrivals>()

      /** Finds events whose signals were lost, with one query for all accounts. */
      const wakeBehind = Effect.suspend(() =>
        Effect.map(events.lastSeqs([...waiting.keys()]), (newest) => {
          for (const { accountId, seq } of newest) {
            const arrivals = waiting.get(accountId)
            if (arrivals !== undefined && arrivals.position < seq) arrivals.wake()
          }
        }),
      )
      const { setNeeded } = yield* makeFallbackLook("arrivals", wakeBehind)

      const shared = yield* RcMap.make({
        lookup: (accountId: AccountId) =>
          Effect.gen(function* () {
            const arrivals: AccountArrivals = new AccountArrivals(accountId, lookAt, () => {
              if (arrivals.position === Infinity) waiting.delete(accountId)
              else waiting.set(accountId, arrivals)
              setNeeded(waiting.size > 0)
            })
            yield* signals.listen(`events:${accountId}`, () => arrivals.wake())
            yield* Effect.forkScoped(arrivals.run)
            return arrivals
          }),
        idleTimeToLive: KEPT_FOR,
      })
      return { lookAt, ofAccount: (accountId) => RcMap.get(shared, accountId) }
    }),
  )
}
