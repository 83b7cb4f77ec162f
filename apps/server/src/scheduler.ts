/** When fibers give way to the event loop (docs/decisions/0050). */
import { Scheduler } from "effect"

/**
 * Rounds of fibers that follow each other before the event loop looks at its sockets and timers. Fibers whose statements
 * SQLite answers at once always have a next round: Effect's own scheduler lets 2,048 rounds pass, which was up to a second.
 */
const ROUNDS_AT_ONCE = 16

/** As Effect's own scheduler, but a setImmediate between every 16 rounds of fibers. */
export const makeScheduler = (): Scheduler.Scheduler => {
  let rounds = 0
  return Scheduler.makeBatched((runRound) => {
    rounds = (rounds + 1) % ROUNDS_AT_ONCE
    if (rounds === 0) setImmediate(runRound)
    else queueMicrotask(runRound)
  })
}
