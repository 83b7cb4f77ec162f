/** One fiber that keeps the same kind of deadline for any number of event streams. */
import { Clock, Effect, type Scope } from "effect"

/** Deadlines met in one turn of the event loop, so that other work is not held up. */
const AT_ONCE = 250

export interface Deadlines {
  /** Calls `onDeadline` after the delay, and again after each further delay, until the returned function is called. */
  readonly every: (onDeadline: () => void) => Effect.Effect<() => void>
}

interface Entry {
  readonly onDeadline: () => void
  /** milliseconds of a clock that never goes back */
  at: number
}

const steadyMillis = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/** `delay`: milliseconds, the same for all, so that the entries stand in the order in which they are due. */
export const makeDeadlines = (delay: number): Effect.Effect<Deadlines, never, Scope.Scope> =>
  Effect.gen(function* () {
    const entries = new Set<Entry>()
    const hasEntries = Effect.unsafeMakeLatch(false)

    /** Meets what is due, and returns how long to sleep until the next deadline, milliseconds. */
    const meet = (now: number): number => {
      let met = 0
      for (const entry of entries) {
        if (entry.at > now) return entry.at - now
        if (met++ === AT_ONCE) return 0
        entries.delete(entry)
        entry.at = now + delay
        entries.add(entry)
        entry.onDeadline()
      }
      hasEntries.unsafeClose()
      return 0
    }

    yield* hasEntries.await.pipe(
      Effect.zipRight(Effect.map(steadyMillis, meet)),
      Effect.flatMap((pause) => Effect.sleep(pause)),
      Effect.forever,
      Effect.forkScoped,
    )

    return {
      every: (onDeadline) =>
        Effect.map(steadyMillis, (now) => {
          const entry: Entry = { onDeadline, at: now + delay }
          entries.add(entry)
          hasEntries.unsafeOpen()
          return () => {
            entries.delete(entry)
          }
        }),
    }
  })
