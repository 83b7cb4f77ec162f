/** Each benchmark is a program of its own, and a part of the whole. */
import { execFileSync } from "node:child_process"
import { realpathSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { NodeRuntime } from "@effect/platform-node"
import { Console, Data, Effect, type Scope } from "effect"
import { type Check, holds, verdicts } from "./checks.js"
import { BenchFailure, repository } from "./processes.js"

export type Benchmark = Effect.Effect<ReadonlyArray<Check>, BenchFailure, Scope.Scope>

class FloorMissed extends Data.TaggedError("FloorMissed")<{ readonly message: string }> {}

const isMain = (moduleUrl: string): boolean =>
  process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(moduleUrl)

/** A busy machine takes three times as long as a quiet one, and its figures are ratios all the same. */
const PATIENCE = 4

/** Bundles the server again if it was compiled since: a benchmark measures what was compiled last. */
const bundleServer = Effect.try({
  try: () => void execFileSync(process.execPath, [join(repository, "scripts", "bundle.mjs"), "apps/server"]),
  catch: (error) => new BenchFailure({ message: `The server cannot be bundled: ${String(error)}` }),
})

/**
 * Runs the benchmark if its module is what node was started with. Exits with 1 when a bound is missed. `minutes`: what it
 * takes on a quiet machine.
 */
export const program = (moduleUrl: string, benchmark: Benchmark, minutes: number): void => {
  if (!isMain(moduleUrl)) return
  const whole = Effect.gen(function* () {
    yield* bundleServer
    const checks = yield* Effect.scoped(benchmark)
    yield* Console.log(`\n${verdicts(checks)}`)
    const missed = checks.filter((check) => !holds(check))
    if (missed.length > 0)
      return yield* new FloorMissed({ message: `${missed.length} of ${checks.length} bounds missed` })
  })
  NodeRuntime.runMain(Effect.timeout(whole, `${PATIENCE * minutes} minutes`))
}
