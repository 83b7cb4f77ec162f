/**
 * A semaphore over the connections of the pool, first come first served. It adds to `Effect.Semaphore` a limit on the
 * wait, and failing all waiters at once when a connection fails.
 */
import { Effect } from "effect"

export interface ConnectionSemaphore<E> {
  /** Takes a permit, or waits for one. Uninterruptible, so that a permit that was granted is always released. */
  readonly acquire: Effect.Effect<void, E>
  readonly release: Effect.Effect<void>
  /** Fails all waiters. Called when a connection fails: the database is away, and they would wait for nothing. */
  readonly failWaiters: Effect.Effect<void>
}

/** `permits`: connections of the pool. `maxWait`: milliseconds until a waiter fails with `refusal`. */
export const makeConnectionSemaphore = <E>(
  permits: number,
  maxWait: number,
  refusal: E,
): ConnectionSemaphore<E> => {
  let free = permits
  /** One callback for each waiter, oldest first. */
  const waiters = new Set<(granted: boolean) => void>()

  const wait = Effect.async<void, E>((resume) => {
    const settle = (granted: boolean) => {
      clearTimeout(timer)
      waiters.delete(settle)
      resume(granted ? Effect.void : Effect.fail(refusal))
    }
    // Real time even under `TestClock`, as for the timeouts of the driver.
    const timer = setTimeout(() => settle(false), maxWait)
    waiters.add(settle)
  })

  return {
    acquire: Effect.suspend(() => {
      if (free === 0) return wait
      free--
      return Effect.void
    }).pipe(Effect.uninterruptible),
    release: Effect.sync(() => {
      const [next] = waiters
      if (next === undefined) free++
      else next(true)
    }),
    failWaiters: Effect.sync(() => {
      for (const settle of waiters) settle(false)
    }),
  }
}
