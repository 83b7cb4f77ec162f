/** The log of failures that an outage of the storage repeats with every request. */
import { type Instant, SECOND } from "@mailroom/domain"
import { type Cause, Clock, Effect } from "effect"
import { isTemporary } from "./ports/StorageFailure.js"

/** Milliseconds between two lines about a storage that is away. */
const EVERY = 1 * SECOND

/** Logs what failed, and why. */
type FailureLog = (message: string, cause: Cause.Cause<unknown>) => Effect.Effect<void>

/**
 * While the storage is away every request fails, and to write down each failure with its cause takes longer than to answer
 * it. So of these failures one a second is written, with the number of those left out; of any other kind, all are.
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
