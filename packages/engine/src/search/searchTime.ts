/** The time that a search may take. */
import { type Instant, Overloaded, SECOND } from "@mailroom/domain"
import { Clock, Effect } from "effect"

/** Milliseconds that a whole search may take, with its waits (docs/specification/search.md). */
const SEARCH_TIME = 4 * SECOND
/** Seconds after which a search that took too long, or found no place, should be tried again. */
export const SEARCH_RETRY_AFTER = 1

/** When a search that begins now must have ended. */
export const searchDeadline: Effect.Effect<Instant> = Effect.map(
  Clock.currentTimeMillis,
  (now) => now + SEARCH_TIME,
)

/** Ends a search whose deadline has passed. */
export const withinSearchTime = (deadline: Instant): Effect.Effect<void, Overloaded> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    now > deadline ? new Overloaded({ retryAfter: SEARCH_RETRY_AFTER }) : Effect.void,
  )
