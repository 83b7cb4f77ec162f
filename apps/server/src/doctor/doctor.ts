/** The command `doctor`: checks the storage of a service and prints a report (docs/decisions/0048). */
import { Effect, Stream } from "effect"
import { serverConfig, type ServerConfig } from "../config/variables.js"
import type { Check } from "./Check.js"
import { counts } from "./counts.js"

/** The checks, in the order of the report. */
const checks: ReadonlyArray<Check> = [counts]

/** Writes a line and waits until it is read, so that a slow reader slows the check down and lines do not pile up in memory. */
const write = (to: NodeJS.WritableStream, line: string) =>
  Effect.async<void>((resume) => {
    to.write(`${line}\n`, () => resume(Effect.void))
  })

/** Runs one check. Returns the number of findings; a check that failed counts as one. */
const examine = (config: ServerConfig, { title, run }: Check) =>
  Effect.zipRight(
    write(process.stdout, title),
    Stream.runFoldEffect(run(config), 0, (wrong, { kind, text }) =>
      Effect.as(write(process.stdout, `  ${text}`), kind === "finding" ? wrong + 1 : wrong),
    ),
  ).pipe(
    Effect.catchTag("CheckFailed", ({ message }) =>
      Effect.as(write(process.stderr, `This cannot be checked. ${message}`), 1),
    ),
  )

/** Runs all checks. False when something is wrong or could not be checked. Fails for a wrong configuration. */
export const doctor = Effect.gen(function* () {
  const config = yield* serverConfig
  const wrong = yield* Effect.forEach(checks, (check) => examine(config, check))
  const isSound = wrong.every((count) => count === 0)
  yield* write(process.stdout, isSound ? "Nothing is wrong." : "Not everything was in order: see above.")
  return isSound
})
