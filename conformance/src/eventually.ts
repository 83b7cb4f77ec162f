/** Waiting for a condition instead of for a time. */
import { Cause, Effect } from "effect"

/** Looks every 20 ms; dies with what was seen last when 30 seconds are over. */
export const poll = <A, E, R>(
  what: string,
  look: Effect.Effect<A, E, R>,
  fits: (seen: A) => boolean,
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let last: A | undefined
    const again: Effect.Effect<A, E, R> = Effect.flatMap(look, (seen) => {
      last = seen
      return fits(seen) ? Effect.succeed(seen) : Effect.zipRight(Effect.sleep("20 millis"), again)
    })
    return Effect.timeoutFailCause(again, {
      duration: "30 seconds",
      onTimeout: () =>
        Cause.die(new Error(`${what}: not in time; seen last: ${JSON.stringify(last)?.slice(0, 500)}`)),
    })
  })
