/** Waiting for a condition instead of for a time. */
import { Cause, Duration, Effect } from "effect"

const EVERY = Duration.millis(20)

/**
 * Looks every 20 ms of real time until what is seen fits, and dies with what was seen last when `within` is over. For
 * live tests only: what another process, a timer or a socket brings.
 */
export const eventually = <A, E, R>(
  what: string,
  look: Effect.Effect<A, E, R>,
  fits: (seen: A) => boolean,
  within: Duration.DurationInput = "20 seconds",
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let last: A | undefined
    const again: Effect.Effect<A, E, R> = Effect.flatMap(look, (seen) => {
      last = seen
      return fits(seen) ? Effect.succeed(seen) : Effect.zipRight(Effect.sleep(EVERY), again)
    })
    return Effect.timeoutFailCause(again, {
      duration: within,
      onTimeout: () =>
        Cause.die(new Error(`${what}: not in time; seen last: ${JSON.stringify(last)?.slice(0, 500)}`)),
    })
  })
