/** Runs the command in this process, and ends the process with its exit code. */
import { Effect, Exit, Fiber } from "effect"
import { exitCodes } from "./exitCodes.js"
import { runCommand } from "./run.js"
import { processShell, Shell } from "./terminal/Shell.js"

export const start = (words: ReadonlyArray<string>): void => {
  const fiber = Effect.runFork(Effect.provideServiceEffect(runCommand(words), Shell, processShell))
  const interrupt = () => Effect.runFork(Fiber.interruptFork(fiber))
  // The second Ctrl-C ends the process at once.
  process.once("SIGINT", interrupt)
  process.once("SIGTERM", interrupt)
  fiber.addObserver((exit) => {
    process.exit(Exit.isSuccess(exit) ? exit.value : exitCodes.interrupted)
  })
}
