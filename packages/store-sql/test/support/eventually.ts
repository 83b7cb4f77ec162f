/** Waiting for what another process or a timer brings. */
import { Effect, Option, Schedule } from "effect"

/** Looks every 20 ms, of real time, until it fits; for live tests only. */
export const eventually = <A>(
  what: string,
  look: Effect.Effect<A>,
  fits: (seen: A) => boolean,
): Effect.Effect<A> =>
  Effect.filterOrFail(look, fits, () => what).pipe(
    Effect.retry(Schedule.spaced("20 millis")),
    Effect.timeoutOption("20 seconds"),
    Effect.flatMap(
      Option.match({ onNone: () => Effect.dieMessage(`not within 20 s: ${what}`), onSome: Effect.succeed }),
    ),
    Effect.orDie,
  )
