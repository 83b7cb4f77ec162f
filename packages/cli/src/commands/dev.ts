/** `dev`: the whole service in memory. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect } from "effect"
import { failure } from "../CliError.js"
import { fieldLines } from "../format.js"
import { integer, json } from "../options.js"
import { Output } from "../terminal/Output.js"

const HIGHEST_PORT = 65_535

const port = (name: string, fallback: number, meaning: string) =>
  integer(name, 1, HIGHEST_PORT, meaning).pipe(Options.withDefault(fallback))

/** Packages with native parts, which npm leaves out where they do not install. */
const loadServer = Effect.tryPromise({
  try: () => import("../dev/devServer.js"),
  catch: (error) =>
    failure(
      `The service cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
      "Run npm install better-sqlite3 @node-rs/argon2 beside @mailroom/cli.",
    ),
})

export const dev = Command.make(
  "dev",
  {
    httpPort: port("port", 3000, "port of the API"),
    smtpPort: port("smtp-port", 2525, "port that receives mail"),
    json,
  },
  ({ httpPort, smtpPort, json }) =>
    Effect.gen(function* () {
      const output = yield* Output
      const { startDevServer } = yield* loadServer
      const service = yield* startDevServer({ httpPort, smtpPort })
      yield* output.value(service, ({ url, smtp, outbox, mailbox, apiKey }) =>
        fieldLines([
          ["MAILROOM_URL", url],
          ["MAILROOM_API_KEY", apiKey],
          ["Mailbox", mailbox],
          ["Receives at", smtp],
          ["Sent mail", outbox],
        ]),
      )
      yield* output.note("Everything is in memory, and gone after Ctrl-C.")
      return yield* Effect.never
    }).pipe(Effect.scoped, Effect.provide(Output.layer(json))),
).pipe(
  Command.withDescription("Run the whole service in memory for local tests, with an account and its key"),
)
