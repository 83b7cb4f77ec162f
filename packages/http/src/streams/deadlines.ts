/** Deadlines of the same delay for any number of event streams, kept by one fiber. */
import { Clock, Effect, type Scope } from "effect"

/** Deadlines that are handled in one turn of the event loop, so that other work gets its turn. */
const PER_TURN = 250

export interface Deadlines<A> {
  /** Calls `onDeadline` for the entry after the delay, and again after each further delay, until it is deleted. */
  readonly add: (entry: A) => Effect.Effect<void>
  readonly delete: (entry: A) => void
}

const steadyMillis = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/** `delay` is in milliseconds. It is the same for all entries, so the map holds them in the order in which they are due. */
export const makeDeadlines = <A>(
  delay: number,
  onDeadline: (entry: A) => void,
): Effect.Effect<Deadlines<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    /** When each entry is due, in milliseconds of a clock that never goes back. */
    const dueAt = new Map<A, number>()
    const hasEntries = Effect.unsafeMakeLatch(false)

    /** Handles the entries that are due. Returns the milliseconds until the next deadline. */
    const handleDue = (now: number): number => {
      let handled = 0
      for (const [entry, at] of dueAt) {
        if (at > now) return at - now
        if (handled++ === PER_TURN) return 0
        dueAt.delete(entry)
        dueAt.set(entry, now + delay)
        onDeadline(entry)
      }
      hasEntries.unsafeClose()
      return 0
    }

    yield* hasEntries.await.pipe(
      Effect.zipRight(Effect.map(steadyMillis, handleDue)),
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
