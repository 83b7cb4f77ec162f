/** Child processes, which end with their scope. */
import { type ChildProcess, fork, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Data, Effect, Schema, type Scope } from "effect"

/** A benchmark could not be carried out. */
export class BenchFailure extends Data.TaggedError("BenchFailure")<{ readonly message: string }> {}

export const repository = fileURLToPath(new URL("../../../..", import.meta.url))

/** How long a child may take to end by itself, milliseconds. */
const STOP_TIMEOUT = 12_000

const ended = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

const exit = (child: ChildProcess): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (ended(child)) return resume(Effect.void)
    const done = () => resume(Effect.void)
    child.once("exit", done)
    return Effect.sync(() => child.off("exit", done))
  })

const signal = (child: ChildProcess, name: NodeJS.Signals, group: boolean): Effect.Effect<void> =>
  Effect.ignore(
    Effect.try(() => {
      if (child.pid === undefined) return
      if (group) process.kill(-child.pid, name)
      else child.kill(name)
    }),
  )

const stop = (child: ChildProcess, group: boolean): Effect.Effect<void> =>
  ended(child)
    ? Effect.void
    : Effect.gen(function* () {
        yield* signal(child, "SIGTERM", group)
        // A finalizer, which a timeout could not end otherwise.
        yield* Effect.timeout(Effect.interruptible(exit(child)), STOP_TIMEOUT)
      }).pipe(Effect.catchAll(() => Effect.zipRight(signal(child, "SIGKILL", group), exit(child))))

export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** whether it starts children of its own that have to end with it */
  readonly group?: boolean
}

export interface Running {
  readonly pid: number
  /** the last lines it wrote */
  readonly said: () => string
  /** fails when the process ends */
  readonly watch: Effect.Effect<never, BenchFailure>
}

/** Starts a command; what it writes is drained and its end is kept for failures. */
export const run = (options: Command): Effect.Effect<Running, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const { command, args, folder, env, group = false } = options
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(command, args, { cwd: folder, env, detached: group, stdio: ["ignore", "pipe", "pipe"] }),
      ),
      (child) => stop(child, group),
    )
    let tail = ""
    const keep = (chunk: Buffer) => {
      tail = (tail + chunk.toString()).slice(-4000)
    }
    child.stdout.on("data", keep)
    child.stderr.on("data", keep)
    child.on("error", (error) => keep(Buffer.from(error.message)))
    if (child.pid === undefined) return yield* new BenchFailure({ message: `${command} does not start` })
    const watch = Effect.flatMap(exit(child), () =>
      Effect.fail(new BenchFailure({ message: `${[command, ...args].join(" ")} ended early` })),
    )
    return { pid: child.pid, said: () => tail, watch }
  })

const firstMessage = (child: ChildProcess, script: string): Effect.Effect<unknown, BenchFailure> =>
  Effect.async((resume) => {
    const onExit = () =>
      resume(Effect.fail(new BenchFailure({ message: `${script} ended without an answer` })))
    child.once("message", (message) => {
      child.off("exit", onExit)
      resume(Effect.succeed(message))
    })
    child.once("exit", onExit)
  })

/**
 * Starts a script of this folder (see `tasks.ts`), hands it its settings and returns what it answers first.
 * The process lives until the scope ends, or it has nothing left to do.
 */
export const ask = <A, I>(
  script: string,
  settings: Record<string, unknown>,
  answer: Schema.Schema<A, I>,
): Effect.Effect<A, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => fork(fileURLToPath(new URL(`../${script}.js`, import.meta.url)))),
      (child) => stop(child, false),
    )
    child.send(settings)
    const message = yield* firstMessage(child, script)
    return yield* Schema.decodeUnknown(answer)(message).pipe(
      Effect.mapError((error) => new BenchFailure({ message: `${script}: ${error.message}` })),
    )
  })
