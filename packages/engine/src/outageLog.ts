/** Limits the log lines about an outage of the storage, during which every request fails. */
import { type Instant, SECOND } from "@mailroom/domain"
import { type Cause, Clock, Effect } from "effect"
import { isTemporary } from "./ports/StorageFailure.js"

/** Milliseconds between two lines about an outage. */
const EVERY = 1 * SECOND

type FailureLog = (message: string, cause: Cause.Cause<unknown>) => Effect.Effect<void>

/**
 * Logs one storage failure a second, with the number of those left out, and every other failure. During an outage, logging
 * each failure with its cause takes longer than answering the requests.
 */
export const makeOutageLog = (write: FailureLog): FailureLog => {
  let nextAt: Instant = 0
  let leftOut = 0
  return (message, cause) =>
    isTemporary(cause)
      ? Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (now < nextAt) {
            leftOut += 1
            return Effect.void
          }
          const others = leftOut === 0 ? "" : ` (and ${leftOut} more since the last such line)`
          nextAt = now + EVERY
          leftOut = 0
          return write(`${message}${others}`, cause)
        })
      : write(message, cause)
}
