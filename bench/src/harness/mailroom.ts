/** The service under test, as its users start it: its own process, its defaults, a data folder of its own. */
import { freePort, temporaryFolder } from "@mailroom/test-services"
import { join } from "node:path"
import { Effect, Schedule, Schema, type Scope } from "effect"
import { BenchFailure, repository, run } from "./processes.js"

export interface Mailroom {
  readonly baseUrl: string
  readonly httpPort: number
  readonly smtpPort: number
  readonly databaseFile: string
  /** the process that was started: the server, or the command that starts it */
  readonly pid: number
  /** fails when the service ends */
  readonly watch: Effect.Effect<never, BenchFailure>
}

/** How long a service may take until it is ready, milliseconds. */
const READY_TIMEOUT = 30_000

/** Waits until `url` answers 200, asking every so many milliseconds. */
const answers = (url: string, every: number): Effect.Effect<void, BenchFailure> =>
  Effect.tryPromise({
    try: async () => {
      // A server that listens before it answers must not hold up the asking.
      const response = await fetch(url, { signal: AbortSignal.timeout(250) })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`${response.status}`)
    },
    catch: (error) => new BenchFailure({ message: `${url}: ${String(error)}` }),
  }).pipe(
    Effect.retry(Schedule.spaced(every)),
    Effect.timeoutFail({
      duration: READY_TIMEOUT,
      onTimeout: () => new BenchFailure({ message: `${url} did not become ready` }),
    }),
  )

/** With which `npm start` and the image run the server (docs/decisions/0035). */
const NODE_FLAGS = ["--max-semi-space-size=32"]

export interface Start {
  /** default: the built server, as `npm start` runs it */
  readonly command?: {
    readonly command: string
    readonly args: ReadonlyArray<string>
    readonly folder: string
  }
  readonly settings?: Readonly<Record<string, string>>
  /** how often readiness is asked for, milliseconds */
  readonly every?: number
}

/** Starts the service and returns once `/readyz` says that it is ready. */
export const startMailroom = ({ command, settings = {}, every = 50 }: Start = {}): Effect.Effect<
  Mailroom,
  BenchFailure,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const httpPort = yield* freePort
    const smtpPort = yield* freePort
    const databaseFile = join(folder, "mailroom.db")
    const baseUrl = `http://127.0.0.1:${httpPort}`
    const started = yield* run({
      command: command?.command ?? process.execPath,
      args: command?.args ?? [...NODE_FLAGS, join(repository, "apps/server/bundle/main.js")],
      folder: command?.folder ?? folder,
      group: command !== undefined,
      env: {
        ...process.env,
        HTTP_HOST: "127.0.0.1",
        HTTP_PORT: String(httpPort),
        SMTP_HOST: "127.0.0.1",
        SMTP_PORT: String(smtpPort),
        BASE_URL: baseUrl,
        DATABASE_URL: `sqlite:${databaseFile}`,
        BLOB_URL: `file:${join(folder, "blobs")}`,
        OUTBOUND_URL: "capture:",
        ...settings,
      },
    })
    yield* Effect.raceFirst(answers(`${baseUrl}/readyz`, every), started.watch).pipe(
      Effect.mapError(({ message }) => new BenchFailure({ message: `${message}\n${started.said()}` })),
    )
    return { baseUrl, httpPort, smtpPort, databaseFile, pid: started.pid, watch: started.watch }
  })

/** What `/v1/mailboxes` says of a mailbox, as far as a benchmark cares. */
export const MailboxRow = Schema.Struct({
  id: Schema.String,
  fullAddress: Schema.String,
  mailServerProvisioned: Schema.Boolean,
  receivedThisMonth: Schema.Int,
})
