/** Turns of the event loop: in each of them others are served. */
import { Effect } from "effect"

/** Calls `onTurn` in every turn of the event loop until the scope closes. */
export const eachTurn = (onTurn: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const handle = { next: setImmediate(() => again()) }
      const again = () => {
        onTurn()
        handle.next = setImmediate(again)
      }
      return handle
    }),
    (handle) => Effect.sync(() => clearImmediate(handle.next)),
  )

/** How often the event loop turned while the effect ran. */
export const turnsDuring = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      let turns = 0
      yield* eachTurn(() => (turns += 1))
      yield* effect
      return turns
    }),
  )
