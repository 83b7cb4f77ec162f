/** Programs in processes of their own: the server as its operators run it, and programs of its users. */
import { Deferred, Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../bundle/main.js", import.meta.url))

export type Variables = Readonly<Record<string, string>>

export interface Ended {
  /** null when a signal ended it */
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningProgram {
  readonly pid: number
  /** everything written so far */
  readonly stdout: () => string
  readonly stderr: () => string
  readonly hasEnded: () => boolean
  /** Writes to its standard input. */
  readonly type: (text: string) => Effect.Effect<void>
  readonly ended: Effect.Effect<Ended>
  /** Sends the signal and waits for the end. */
  readonly stop: (signal: "SIGTERM" | "SIGKILL") => Effect.Effect<Ended>
}

/** Free ports, and a format that tests can read. */
const defaults: Variables = { HTTP_PORT: "0", SMTP_PORT: "0", LOG_FORMAT: "json" }

const inherited = (): Variables => ({ PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" })

const observe = (child: ChildProcess, ended: Deferred.Deferred<Ended>): RunningProgram => {
  const written = { stdout: "", stderr: "" }
  let over = false
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (written.stdout += text))
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (written.stderr += text))
  child.on("close", (code, signal) => {
    over = true
    Deferred.unsafeDone(ended, Effect.succeed({ code, signal, ...written }))
  })
  return {
    pid: child.pid ?? 0,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    hasEnded: () => over,
    type: (text) => Effect.sync(() => void child.stdin?.write(text)),
    ended: Deferred.await(ended),
    stop: (signal) =>
      Effect.zipRight(
        Effect.sync(() => child.kill(signal)),
        Deferred.await(ended),
      ),
  }
}

/** Runs Node with these arguments in the folder, and returns at once. The process is killed with the scope. */
export const spawnNode = (
  folder: string,
  variables: Variables,
  args: ReadonlyArray<string>,
): Effect.Effect<RunningProgram, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.map(Deferred.make<Ended>(), (ended) =>
      observe(
        spawn(process.execPath, [...args], {
          cwd: folder,
          env: { ...inherited(), ...variables },
          stdio: ["pipe", "pipe", "pipe"],
        }),
        ended,
      ),
    ),
    (program) => (program.hasEnded() ? Effect.void : program.stop("SIGKILL")),
  )

/** Starts the server in the folder. Without a command it serves. */
export const spawnServer = (
  folder: string,
  variables: Variables,
  command: ReadonlyArray<string> = [],
): Effect.Effect<RunningProgram, never, Scope.Scope> =>
  spawnNode(folder, { ...defaults, ...variables }, [main, ...command])
