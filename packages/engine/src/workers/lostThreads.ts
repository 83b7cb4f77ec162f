/** Reports worker threads of this process that stopped or were stopped without being asked to. */
import { Effect, Metric, Runtime } from "effect"
import type { LogFields } from "../mailLog.js"
import { shownFromStart } from "../metrics.js"

const threadsLost = Metric.counter("mailroom_threads_lost_total", {
  description: "worker threads that crashed or took too long, by thread",
  incremental: true,
})

/** Logs and counts one lost thread. `work`: what it had in hand, without content of mail. */
export type ReportLostThread = (reason: string, work?: LogFields) => void

/** `thread`: the label in the metrics, such as `parser`. Its counter is there from now on. */
export const lostThreads = (thread: string): Effect.Effect<ReportLostThread> => {
  const lost = shownFromStart(Metric.tagged(threadsLost, "thread", thread))
  return Effect.map(Effect.runtime(), (runtime) => {
    const run = Runtime.runFork(runtime)
    return (reason, work = {}) => {
      run(
        Effect.zipRight(
          Metric.increment(lost),
          Effect.logWarning("A worker thread was lost", { thread, reason, ...work }),
        ),
      )
    }
  })
}
