/** How often fibers yield to the event loop (docs/decisions/0050). */
import { Scheduler } from "effect"

/**
 * Rounds of fibers between two turns of the event loop, which serves sockets and timers. SQLite answers at once, so its
 * fibers always have a next round. Effect's own scheduler runs 2,048 rounds, which took up to a second.
 */
const ROUNDS_AT_ONCE = 16

/** Effect's own scheduler with a `setImmediate` after every 16 rounds of fibers. */
export const makeScheduler = (): Scheduler.Scheduler => {
  let rounds = 0
  return Scheduler.makeBatched((runRound) => {
    rounds = (rounds + 1) % ROUNDS_AT_ONCE
    if (rounds === 0) setImmediate(runRound)
    else queueMicrotask(runRound)
  })
}
