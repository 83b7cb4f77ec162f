/** Consumers: programs that handle the events of an account, each event at least once (docs/decisions/0071). */
import { Schema } from "effect"
import { HOUR, MINUTE, SECOND } from "../durations.js"
import { Instant } from "../time.js"

/** A name tells the consumers of an account apart. All processes that use one name share its events. */
export const ConsumerName = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z0-9._-]{1,64}$/, {
    identifier: "ConsumerName",
    message: () => "must be 1 to 64 of A-Z a-z 0-9 . _ -",
  }),
)

/** Milliseconds from a failed attempt to the next, from the first failure on. The last failure parks the event. */
const PAUSES: ReadonlyArray<number> = [
  SECOND,
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
]

/** Attempts after which an event is parked. An attempt that died with its process counts. */
export const CONSUMER_ATTEMPTS_MAX = PAUSES.length + 1

/**
 * When the event is tried again after the failure of this attempt, counted from 1; null: it is parked. `jitter`: 0 to 1.
 * Makes a pause up to a fifth longer, so that events which failed together are not repeated together.
 */
export const nextConsumerAttempt = (attempt: number, now: Instant, jitter: number): Instant | null => {
  const pause = PAUSES[attempt - 1]
  return pause === undefined ? null : now + Math.round(pause * (1 + jitter / 5))
}

/** An event that a consumer has taken from the log and not yet completed. */
export const TakenEvent = Schema.Struct({
  /** the number of the event in the log of the account */
  seq: Schema.Int,
  /** attempts so far; at the claim, this attempt included */
  attempts: Schema.Int,
})
export type TakenEvent = typeof TakenEvent.Type

/** An event whose attempts have all failed. It stays until it is retried, or until the log has removed the event. */
export const ParkedEvent = Schema.Struct({
  ...TakenEvent.fields,
  /** what the last attempt failed with */
  error: Schema.String,
  parkedAt: Instant,
})
export type ParkedEvent = typeof ParkedEvent.Type
