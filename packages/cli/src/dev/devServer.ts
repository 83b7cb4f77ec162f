/** The whole service in this process, with everything in memory, for local tests. `mailroom dev` alone loads it: it is large. */
import { Mailroom } from "@mailroom/client"
import { serverConfig } from "@mailroom/server/config/variables"
import { serverLayer } from "@mailroom/server/server"
import { ConfigProvider, Effect, Layer, Logger, LogLevel, Schedule, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { cliError, failure } from "../CliError.js"

export interface DevOptions {
  readonly httpPort: number
  readonly smtpPort: number
}

export interface DevService {
  readonly url: string
  /** where mail is delivered, as `smtp://localhost:2525` */
  readonly smtp: string
  /** shows the mail that was sent: none leaves the machine */
  readonly outbox: string
  readonly apiKey: string
  /** address of the first mailbox */
  readonly mailbox: string
}

/** Settings of the server (apps/server/src/config/variables.ts): nothing is stored, nobody pays, and webhooks may be local. */
const settings = ({ httpPort, smtpPort }: DevOptions): ReadonlyMap<string, string> =>
  new Map([
    ["HTTP_PORT", String(httpPort)],
    ["SMTP_PORT", String(smtpPort)],
    ["DATABASE_URL", "sqlite::memory:"],
    ["BLOB_URL", "memory:"],
    ["OUTBOUND_URL", "capture:"],
    ["BILLING", "none"],
    ["DEFAULT_PLAN", "Scale"],
    ["WEBHOOK_ALLOW_PRIVATE", "true"],
  ])

const EMAIL = "owner@acme.example"

/** How long an account may take until it can send and receive. */
const PATIENCE = "20 seconds"

const Outbox = Schema.Struct({
  messages: Schema.Array(Schema.Struct({ text: Schema.NullOr(Schema.String) })),
})

/** The token in the verification mail. */
const verificationToken = Effect.fnUntraced(function* (url: string) {
  const answer = yield* Effect.tryPromise(async () => (await fetch(`${url}/dev/outbox?to=${EMAIL}`)).json())
  const { messages } = yield* Schema.decodeUnknown(Outbox)(answer)
  const [, token] = /verify-email\?token=([0-9a-f]+)/.exec(messages[0]?.text ?? "") ?? []
  return token ?? (yield* Effect.fail("The mail is not there yet."))
})

/** An account whose owner is verified, with a mailbox that receives. */
const account = Effect.fnUntraced(function* (url: string) {
  const visitor = new Mailroom({ baseUrl: url, apiKey: "" })
  const password = randomBytes(16).toString("base64url")
  const { api_key, mailbox } = yield* Effect.tryPromise({
    try: () => visitor.signup.create({ email: EMAIL, password, slug: "acme" }),
    catch: cliError,
  })
  const { key } = api_key
  const owner = new Mailroom({ baseUrl: url, apiKey: key })
  yield* verificationToken(url).pipe(
    Effect.flatMap((token) => Effect.tryPromise(() => visitor.signup.verifyEmail({ token }))),
    Effect.zipRight(Effect.tryPromise(() => owner.mailboxes.get(mailbox.id))),
    Effect.filterOrFail(({ mailServerProvisioned }) => mailServerProvisioned),
    Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo(PATIENCE))),
    Effect.mapError(() => failure("The service did not make its first account.", "Try again.")),
  )
  return { apiKey: key, mailbox: mailbox.address }
})

/** The message of a start that failed, with the options of `dev` instead of the settings of a server. */
const inOptions = (message: string): string =>
  message.replaceAll("HTTP_PORT", "--port").replaceAll("SMTP_PORT", "--smtp-port")

/** Starts the service; it stops with the scope. Logs warnings only, to the standard error. */
export const startDevServer = Effect.fnUntraced(function* (options: DevOptions) {
  const config = yield* Effect.withConfigProvider(
    serverConfig,
    ConfigProvider.fromMap(new Map(settings(options))),
  )
  const logging = Layer.merge(
    Logger.replace(Logger.defaultLogger, Logger.withLeveledConsole(Logger.logfmtLogger)),
    Logger.minimumLogLevel(LogLevel.Warning),
  )
  yield* Layer.build(Layer.provideMerge(serverLayer(config), logging)).pipe(
    Effect.withTracerEnabled(false),
    Effect.mapError((error) =>
      failure(inOptions(error.message), "Choose other ports with --port and --smtp-port."),
    ),
  )
  // The service listens on this address alone: at `localhost`, which may be ::1, another program may answer.
  const made = yield* account(`http://127.0.0.1:${options.httpPort}`)
  const url = `http://localhost:${options.httpPort}`
  const outbox = `${url}/dev/outbox`
  return { url, smtp: `smtp://localhost:${options.smtpPort}`, outbox, ...made } satisfies DevService
})
