/** Checkpoints beside the work: copying pages back takes a hundred milliseconds and more after a flood of mail. */
import { Effect, type Scope } from "effect"
import { Worker } from "node:worker_threads"

/**
 * Keeps the log of the database short, as long as the scope is open. Nothing depends on it: without the thread, the
 * connection that writes folds the log back itself, once it is long.
 */
export const keepLogShort = (filename: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const thread = new Worker(new URL("./checkpointThread.js", import.meta.url), {
        workerData: filename,
        env: {},
        execArgv: [],
        resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 },
      })
      const ended = new Promise<void>((resolve) => {
        thread.once("exit", () => resolve())
      })
      thread.on("error", () => {})
      thread.unref()
      return { thread, ended }
    }),
    ({ thread, ended }) =>
      Effect.promise(() => {
        thread.ref()
        thread.postMessage(null)
        return ended
      }),
  ).pipe(Effect.asVoid)
