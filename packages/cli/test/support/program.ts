/** The bundled program as a process, and a service that `mailroom dev` runs. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"

export const PROGRAM = fileURLToPath(new URL("../../bundle/main.js", import.meta.url))

const Service = Schema.Struct({
  url: Schema.String,
  smtp: Schema.String,
  outbox: Schema.String,
  apiKey: Schema.String,
  mailbox: Schema.String,
})
export type Service = typeof Service.Type

/** A port that nobody listens on now. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}

export interface Started {
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>
  /** resolves when the output matches; fails when the program ends before */
  readonly prints: (pattern: RegExp) => Promise<void>
  readonly type: (text: string) => void
  /** types the last text: the input ends */
  readonly end: (text: string) => void
}

const running = new Set<ChildProcess>()

/** Ends the programs that a failed test has left. */
export const killLeftovers = (): void => {
  for (const child of running) child.kill("SIGKILL")
}

/** Starts a program. */
export const start = (
  command: string,
  words: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
): Started => {
  const { NO_COLOR: _, ...inherited } = process.env
  const child = spawn(command, words, { env: { ...inherited, TERM: "xterm", ...environment } })
  running.add(child)
  child.once("close", () => running.delete(child))
  let out = ""
  let err = ""
  child.stdout.on("data", (chunk) => (out += String(chunk)))
  child.stderr.on("data", (chunk) => (err += String(chunk)))
  const ended = once(child, "close").then(() => ({ code: child.exitCode, out, err }))
  return {
    ended,
    prints: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (pattern.test(out) || pattern.test(err)) resolve()
        }
        child.stdout.on("data", look)
        child.stderr.on("data", look)
        child.once("close", () => reject(new Error(`It ended without ${pattern}: ${out}${err}`)))
        look()
      }),
    type: (text) => child.stdin.write(text),
    end: (text) => child.stdin.end(text),
  }
}

/** Runs the program at a path to its end. */
export const programAt = (
  path: string,
  words: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  input = "",
) => {
  const { ended, end } = start(process.execPath, [path, ...words], environment)
  end(input)
  return ended
}

/** Runs the bundled program to its end. */
export const program = (
  words: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  input = "",
) => programAt(PROGRAM, words, environment, input)

/** `mailroom dev` of the program at a path, until `stop`. */
export const startDevAt = async (path: string, home: string) => {
  const ports = [await freePort(), await freePort()]
  const child = spawn(
    process.execPath,
    [path, "dev", "--json", "--port", String(ports[0]), "--smtp-port", String(ports[1])],
    { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, XDG_CONFIG_HOME: home } },
  )
  const [line] = await once(createInterface(child.stdout), "line")
  const service = Schema.decodeUnknownSync(Schema.parseJson(Service))(line)
  return {
    service,
    stop: async () => {
      child.kill("SIGINT")
      await once(child, "close")
      return child.exitCode
    },
  }
}

/** `mailroom dev` of the bundled program, until `stop`. */
export const startDev = (home: string) => startDevAt(PROGRAM, home)
