/** Who may have a connection: as many as there are, then who came first, and nobody who waits while there is trouble. */
import { Effect } from "effect"

export interface ConnectionSemaphore<E> {
  /** Waits for a place. Not interruptible: a place that was given is to be left. */
  readonly enter: Effect.Effect<void, E>
  readonly leave: Effect.Effect<void>
  /** Whoever waits need not: they would only wait for what just failed. */
  readonly refuseWaiting: Effect.Effect<void>
}

/** `patience`: milliseconds until who waits is refused, with `refusal`. */
export const makeConnectionSemaphore = <E>(places: number, patience: number, refusal: E): ConnectionSemaphore<E> => {
  let free = places
  /** each lets one in, or not; in the order in which they came */
  const waiting = new Set<(admitted: boolean) => void>()

  const wait = Effect.async<void, E>((resume) => {
    const decide = (admitted: boolean) => {
      clearTimeout(timer)
      waiting.delete(decide)
      resume(admitted ? Effect.void : Effect.fail(refusal))
    }
    // The time of the world, as the database's.
    const timer = setTimeout(() => decide(false), patience)
    waiting.add(decide)
  })

  return {
    enter: Effect.suspend(() => {
      if (free === 0) return wait
      free--
      return Effect.void
    }).pipe(Effect.uninterruptible),
    leave: Effect.sync(() => {
      const [next] = waiting
      if (next === undefined) free++
      else next(true)
    }),
    refuseWaiting: Effect.sync(() => {
      for (const decide of waiting) decide(false)
    }),
  }
}
