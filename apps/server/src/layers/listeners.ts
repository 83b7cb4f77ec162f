/** The sockets: HTTP and SMTP. */
import { HttpServer, type HttpServerError } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { SmtpReceiver } from "@mailroom/mail"
import { Effect, Layer, Option } from "effect"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { ServerConfig } from "../config/variables.js"
import { portProblem, StartFailed } from "../StartFailed.js"

/** How long requests that are running may take once the server stops. */
const DRAIN_MILLIS = 10_000

const reasonOf = (error: HttpServerError.ServeError): string => {
  const { cause } = error
  return cause instanceof Error && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : String(cause)
}

/**
 * The HTTP server. At the end it takes no more requests, lets running ones finish for a while, and then closes what
 * is left: event streams would stay open for ever.
 */
export const httpServer = ({ httpHost, httpPort }: ServerConfig) => {
  const server = createServer({
    // Slow clients: the head of a request within 30 s, all of it within 5 minutes.
    headersTimeout: 30_000,
    requestTimeout: 300_000,
    keepAliveTimeout: 65_000,
  })
  const drain = Layer.scopedDiscard(
    Effect.addFinalizer(() =>
      Effect.sync(() => {
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), DRAIN_MILLIS).unref()
      }),
    ),
  )
  return {
    drain,
    layer: Layer.mapError(
      NodeHttpServer.layer(() => server, { host: httpHost, port: httpPort }),
      (error) => portProblem("HTTP_PORT", httpHost, httpPort, reasonOf(error)),
    ),
  }
}

/** The port that the HTTP server was given: 0 in the configuration picks a free one. */
export const boundHttpPort = Effect.map(HttpServer.HttpServer, ({ address }) =>
  address._tag === "TcpAddress" ? address.port : 0,
)

const readPem = (variable: string, path: string) =>
  Effect.try({
    try: () => readFileSync(path, "utf8"),
    catch: (error) =>
      new StartFailed({
        message: `${variable}: ${path} cannot be read (${error instanceof Error ? error.message : String(error)}).`,
      }),
  })

const certificate = Effect.fnUntraced(function* ({ tlsCertificate, tlsKey }: ServerConfig) {
  if (Option.isNone(tlsCertificate) && Option.isNone(tlsKey)) return undefined
  if (Option.isNone(tlsCertificate) || Option.isNone(tlsKey))
    return yield* new StartFailed({ message: "SMTP_TLS_CERT and SMTP_TLS_KEY go together; only one is set." })
  return {
    cert: yield* readPem("SMTP_TLS_CERT", tlsCertificate.value),
    key: yield* readPem("SMTP_TLS_KEY", tlsKey.value),
  }
})

export const smtpListener = (config: ServerConfig) =>
  Layer.unwrapEffect(
    Effect.map(certificate(config), (tls) =>
      SmtpReceiver.layer({
        host: config.smtpHost,
        port: config.smtpPort,
        name: `mx.${config.platformDomain}`,
        ...(tls !== undefined && { tls }),
      }),
    ),
  ).pipe(
    Layer.mapError((error) =>
      error._tag === "ListenFailed" ? portProblem("SMTP_PORT", error.host, error.port, error.reason) : error,
    ),
  )
