/** A running server, ready to be called. */
import { eventually, temporaryFolder } from "@mailroom/test-services"
import { Context, Effect, Layer, Option, Schema, type Scope } from "effect"
import { type RunningProgram, spawnServer, type Variables } from "./process.js"

export interface Server extends RunningProgram {
  readonly folder: string
  /** where the API is, such as `http://127.0.0.1:40123` */
  readonly url: string
  readonly httpPort: number
  /** 0 in a process without the role `smtp` */
  readonly smtpPort: number
}

const LogLine = Schema.parseJson(
  Schema.Struct({
    message: Schema.Unknown,
    annotations: Schema.Struct({ http: Schema.optional(Schema.String) }),
  }),
)

const portIn = (address: string | undefined): number => Number(/:(\d+)$/.exec(address ?? "")?.[1] ?? 0)

/** The ports, once the log says that the server is ready. */
const portsIn = (log: string) => {
  const lines = log.split("\n").flatMap((line) => Option.toArray(Schema.decodeOption(LogLine)(line)))
  const ready = lines.find(({ message }) => String(message).startsWith("Mailroom is ready"))
  const smtp = lines.map(({ message }) => /^Accepting mail at (\S+)/.exec(String(message))?.[1]).find(Boolean)
  return ready && { httpPort: portIn(ready.annotations.http), smtpPort: portIn(smtp) }
}

/** Starts a server on the folder and waits until it is ready. It is killed with the scope. */
export const startServer = (
  folder: string,
  variables: Variables = {},
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* spawnServer(folder, variables)
    const ports = yield* eventually(
      "the server is ready",
      Effect.sync(() => ({
        ports: portsIn(server.stdout()),
        ended: server.hasEnded(),
        said: server.stderr(),
      })),
      ({ ports, ended }) => ports !== undefined || ended,
      "60 seconds",
    )
    if (ports.ports === undefined) return yield* Effect.dieMessage(`the server did not start: ${ports.said}`)
    return { ...server, ...ports.ports, folder, url: `http://127.0.0.1:${ports.ports.httpPort}` }
  })

/** A server in a folder of its own. */
export const freshServer = (variables: Variables = {}): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.flatMap(temporaryFolder, (folder) => startServer(folder, variables))

/** One server for all tests of a file. Every test has its own account there. */
export class SharedServer extends Context.Tag("test/SharedServer")<SharedServer, Server>() {
  static readonly layer = (variables: Variables = {}): Layer.Layer<SharedServer> =>
    Layer.scoped(SharedServer, freshServer({ TRUST_PROXY: "true", ...variables }))
}
