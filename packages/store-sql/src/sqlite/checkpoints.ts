/** Checkpoints in a thread of their own: after a flood of mail one takes a hundred milliseconds and more. */
import { lostThreads } from "@mailroom/engine"
import { Effect, type Scope } from "effect"
import { Worker } from "node:worker_threads"

/**
 * Checkpoints the write-ahead log until the scope closes. Not essential: if the thread dies, a commit does a checkpoint
 * once the log has 60,000 pages.
 */
export const keepLogShort = (filename: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.map(lostThreads("checkpoints"), (report) => {
      const thread = new Worker(new URL("./checkpointThread.js", import.meta.url), {
        workerData: filename,
        env: {},
        execArgv: [],
        resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 },
      })
      let isClosing = false
      let reason = "it stopped"
      thread.on("error", ({ message }) => {
        reason = message
      })
      const ended = new Promise<void>((resolve) => {
        thread.once("exit", () => {
          if (!isClosing) report(reason)
          resolve()
        })
      })
      thread.unref()
      const close = () => {
        isClosing = true
        thread.ref()
        thread.postMessage(null)
        return ended
      }
      return { close }
    }),
    ({ close }) => Effect.promise(close),
  ).pipe(Effect.asVoid)
