/** How often fibers yield to the event loop (docs/decisions/0050). */
import { Scheduler } from "effect"

/**
 * Rounds of fibers between two turns of the event loop, which serves sockets and timers. SQLite answers at once, so its
 * fibers always have a next round. Effect's own scheduler runs 2,048 rounds, which took up to a second.
 */
const ROUNDS_AT_ONCE = 16

/**
 * Effect's scheduler with one queue for all fibers, and a `setImmediate` after every 16 rounds. Effect's own has a queue for each fiber, so
 * fibers that take turns of the event loop would overtake the others: one that is interrupted before the fiber it waits for has
 * started waits for ever (`Effect.forEach` with a concurrency).
 */
export const makeScheduler = (): Scheduler.Scheduler => {
  let rounds = 0
  const runner = new Scheduler.SchedulerRunner((_, run) => {
    const runRound = () => run(0)
    rounds = (rounds + 1) % ROUNDS_AT_ONCE
    if (rounds === 0) setImmediate(runRound)
    else queueMicrotask(runRound)
  })
  return Scheduler.make((task, priority) => runner.scheduleTask(task, priority))
}
