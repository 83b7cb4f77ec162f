/** For what goes on for longer than a request: it waits for a store that is away. */
import { SECOND } from "@mailroom/domain"
import { Effect, Option } from "effect"
import { storageFailureIn } from "./ports/StorageFailure.js"

/** How often the store is asked again. */
const AGAIN_AFTER = 1 * SECOND

/** The effect, again and again until the store is there: only its own faults end it. */
export const outlasting = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchAllCause(effect, (cause) =>
    Option.exists(storageFailureIn(cause), ({ reason }) => reason !== "unexpected")
      ? Effect.zipRight(Effect.sleep(AGAIN_AFTER), outlasting(effect))
      : Effect.failCause(cause),
  )
