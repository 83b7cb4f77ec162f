/** From `npm start` to readiness, everything being built, and what the idle server takes in memory. */
import { execFileSync } from "node:child_process"
import { Console, Effect } from "effect"
import { type Benchmark, program } from "./harness/alone.js"
import { atMost, figure } from "./harness/checks.js"
import { startMailroom } from "./harness/mailroom.js"
import { BenchFailure, repository } from "./harness/processes.js"
import { median } from "./harness/stats.js"

const STARTS = 5
const IDLE = "10 seconds"

const npmStart = startMailroom({
  command: { command: "npm", args: ["start"], folder: repository },
  every: 10,
})

const timedStart = Effect.gen(function* () {
  const before = performance.now()
  yield* npmStart
  return performance.now() - before
}).pipe(Effect.scoped)

interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly kilobytes: number
}

const processes = (): ReadonlyArray<ProcessRow> =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,rss="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parent = 0, kilobytes = 0]) => ({ pid, parent, kilobytes }))

/** A process and everything it started. */
const family = (all: ReadonlyArray<ProcessRow>, pid: number): ReadonlyArray<ProcessRow> =>
  all
    .filter((row) => row.pid === pid)
    .concat(all.filter((row) => row.parent === pid).flatMap((child) => family(all, child.pid)))

const megabytes = (rows: ReadonlyArray<ProcessRow>): number =>
  rows.reduce((sum, row) => sum + row.kilobytes, 0) / 1024

const idleMemory = Effect.gen(function* () {
  const { pid } = yield* npmStart
  yield* Effect.sleep(IDLE)
  const started = family(processes(), pid)
  const server = started.filter((row) => row.pid !== pid)
  if (server.length === 0) return yield* new BenchFailure({ message: "npm start runs no process" })
  return { server: megabytes(server), npm: megabytes(started) - megabytes(server) }
}).pipe(Effect.scoped)

export const startup: Benchmark = Effect.gen(function* () {
  yield* timedStart
  const starts = yield* Effect.replicateEffect(timedStart, STARTS)
  const memory = yield* idleMemory
  yield* Console.log(`\nnpm start until /readyz, ms: ${starts.map(figure).join(", ")}`)
  yield* Console.log(`Idle memory, MB: ${figure(memory.server)}, and npm itself ${figure(memory.npm)}`)
  return [
    atMost("npm start to ready, warm", median(starts) / 1000, 3, "s"),
    atMost("idle memory", memory.server, 200, "MB"),
  ]
})

program(import.meta.url, startup, 2)
