/** The server as its users run it: as a process, on free ports, with all data in memory. */
import { eventually } from "@mailroom/test-services"
import { Effect, Option, Schema, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"

/** Repeats `look` until `fits` holds; dies with the last value after 30 seconds, because the server serves other tests too. */
export const poll = <A, E, R>(
  what: string,
  look: Effect.Effect<A, E, R>,
  fits: (seen: A) => boolean,
): Effect.Effect<A, E, R> => eventually(what, look, fits, "30 seconds")

/** Environment variables of the server (README.md, Settings). */
export type Variables = Readonly<Record<string, string>>

export interface ServerProcess {
  readonly httpPort: number
  readonly smtpPort: number
  /** 0 in a process that takes no submissions */
  readonly submissionPort: number
}

const require = createRequire(import.meta.url)
const main = require.resolve("@mailroom/server/main")

const LogLine = Schema.parseJson(
  Schema.Struct({
    message: Schema.Unknown,
    annotations: Schema.Struct({ http: Schema.optional(Schema.String) }),
  }),
)

const portIn = (address: string | undefined): number => Number(/:(\d+)$/.exec(address ?? "")?.[1] ?? 0)

/** The ports, when the log says that the server is ready. */
const portsIn = (log: string): ServerProcess | null => {
  const lines = log.split("\n").flatMap((line) => Option.toArray(Schema.decodeOption(LogLine)(line)))
  const ready = lines.find(({ message }) => String(message).startsWith("Mailroom is ready"))
  const addressIn = (pattern: RegExp) =>
    lines.map(({ message }) => pattern.exec(String(message))?.[1]).find(Boolean)
  return ready === undefined
    ? null
    : {
        httpPort: portIn(ready.annotations.http),
        smtpPort: portIn(addressIn(/^Accepting mail at (\S+)/)),
        submissionPort: portIn(addressIn(/^Taking submissions at (\S+)/)),
      }
}

const observe = (child: ChildProcess) => {
  const state = { stdout: "", stderr: "", ended: false }
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (state.stdout += text))
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (state.stderr += text))
  child.on("close", () => {
    state.ended = true
  })
  return { child, state }
}

const stop = ({ child, state }: ReturnType<typeof observe>) =>
  Effect.async<void>((resume) => {
    if (state.ended) return resume(Effect.void)
    child.on("close", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

/** Starts it and waits until it is ready. It is killed when the scope ends. */
export const startServer = (variables: Variables): Effect.Effect<ServerProcess, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { state } = yield* Effect.acquireRelease(
      Effect.sync(() =>
        observe(
          spawn(process.execPath, [main], {
            cwd: tmpdir(),
            env: {
              PATH: process.env["PATH"] ?? "",
              HOME: process.env["HOME"] ?? "",
              HTTP_PORT: "0",
              SMTP_PORT: "0",
              SUBMISSION_PORT: "0",
              LOG_FORMAT: "json",
              DATABASE_URL: "sqlite::memory:",
              BLOB_URL: "memory:",
              OUTBOUND_URL: "capture:",
              ...variables,
            },
            stdio: ["ignore", "pipe", "pipe"],
          }),
        ),
      ),
      stop,
    )
    const seen = yield* poll(
      "the server is ready",
      Effect.sync(() => ({ ports: portsIn(state.stdout), ended: state.ended })),
      ({ ports, ended }) => ports !== null || ended,
    )
    return seen.ports ?? (yield* Effect.dieMessage(`the server did not start: ${state.stderr}`))
  })
