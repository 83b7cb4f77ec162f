/** One fiber that keeps the same kind of deadline for any number of event streams. */
import { Clock, Effect, type Scope } from "effect"

/** Deadlines met in one turn of the event loop, so that other work is not held up. */
const AT_ONCE = 250

export interface Deadlines<A> {
  /** Calls `onDeadline` for the entry after the delay, and again after each further delay, until it is deleted. */
  readonly add: (entry: A) => Effect.Effect<void>
  readonly delete: (entry: A) => void
}

const steadyMillis = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/** `delay`: milliseconds, the same for all, so that the entries stand in the order in which they are due. */
export const makeDeadlines = <A>(
  delay: number,
  onDeadline: (entry: A) => void,
): Effect.Effect<Deadlines<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    /** When each entry is due, milliseconds of a clock that never goes back. */
    const dueAt = new Map<A, number>()
    const hasEntries = Effect.unsafeMakeLatch(false)

    /** Meets what is due, and returns how long to sleep until the next deadline, milliseconds. */
    const meet = (now: number): number => {
      let met = 0
      for (const [entry, at] of dueAt) {
        if (at > now) return at - now
        if (met++ === AT_ONCE) return 0
        dueAt.delete(entry)
        dueAt.set(entry, now + delay)
        onDeadline(entry)
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
      add: (entry) =>
        Effect.map(steadyMillis, (now) => {
          dueAt.set(entry, now + delay)
          hasEntries.unsafeOpen()
        }),
      delete: (entry) => {
        dueAt.delete(entry)
      },
    }
  })
