/** The HTTP listener, and how it drains. */
import * as HttpServer from "@effect/platform/HttpServer"
import type * as HttpServerError from "@effect/platform/HttpServerError"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Draining } from "@mailroom/http"
import { Effect, Layer } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { ServerConfig } from "../config/variables.js"
import { portProblem } from "../StartFailed.js"
import { BoundedServer } from "./BoundedServer.js"
import { endSlowReaders } from "./slowReaders.js"

/** Milliseconds that open requests have once the server stops. Of the 10 s that a stop may take, 1 s is left for the rest. */
export const DRAIN_MILLIS = 9_000

/** Milliseconds for which a client may go on sending a body after the answer. */
const REST_MILLIS = 30_000

const reasonOf = (error: HttpServerError.ServeError): string => {
  const { cause } = error
  return cause instanceof Error && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : String(cause)
}

const refuseWhileStarting = (response: ServerResponse): ServerResponse =>
  response
    .writeHead(503, { "content-type": "application/json", "retry-after": "1" })
    .end('{"error":"The service is starting or stopping","code":"STARTING"}')

/**
 * Answers `Expect: 100-continue` (RFC 9110 §10.1.1) with 100 once the body is read, which is after the access rule. A request
 * that is refused before closes its connection with the answer, because nobody knows whether a body follows.
 */
const continueWhenRead = (request: IncomingMessage, response: ServerResponse): void => {
  response.shouldKeepAlive = false
  const onListener = (event: string | symbol): void => {
    if (event !== "readable" || response.headersSent) return
    request.off("newListener", onListener)
    response.shouldKeepAlive = true
    response.writeContinue()
  }
  request.on("newListener", onListener)
}

/** Closes a connection whose client goes on sending a body long after the answer. */
const closeAfterAnswer = (request: IncomingMessage, response: ServerResponse): void => {
  response.on("finish", () => {
    if (request.complete) return
    const { socket } = request
    const timer = setTimeout(() => socket.destroy(), REST_MILLIS)
    request.once("close", () => clearTimeout(timer))
  })
}

/**
 * The HTTP server, and the layer that drains it, which must close before anything that requests need. Draining refuses new
 * connections, ends streams, lets running requests finish for `DRAIN_MILLIS`, and then closes all connections.
 */
export const httpServer = ({ httpHost, httpPort }: ServerConfig) => {
  const server = new BoundedServer({
    // The head of a request has to come within 30 s, all of it within 5 minutes.
    headersTimeout: 30_000,
    requestTimeout: 300_000,
    keepAliveTimeout: 65_000,
  })
  endSlowReaders(server.running)
  let draining = false
  const finish = (response: ServerResponse): void => {
    response.shouldKeepAlive = false
    if (!response.headersSent) return
    // Its head has announced that the connection stays open.
    const { socket } = response
    response.once("finish", () => socket?.destroySoon())
  }
  server.on("checkContinue", (request, response) => {
    continueWhenRead(request, response)
    server.emit("request", request, response)
  })
  server.on("request", (request, response) => {
    closeAfterAnswer(request, response)
    // A request on a connection that was busy when draining began.
    if (draining) finish(response)
    // Without a second listener the application is not there yet, or not any more.
    if (server.listenerCount("request") === 1) refuseWhileStarting(response)
  })
  const drained = Effect.async<void>((resume) => {
    draining = true
    const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MILLIS)
    server.close(() => {
      clearTimeout(deadline)
      resume(Effect.void)
    })
    server.running.forEach(finish)
  })
  return {
    drain: Layer.scopedDiscard(
      Effect.flatMap(Draining, ({ begin }) => Effect.addFinalizer(() => Effect.zipRight(begin, drained))),
    ),
    layer: Layer.mapError(
      NodeHttpServer.layer(() => server, { host: httpHost, port: httpPort }),
      (error) => portProblem("HTTP_PORT", httpHost, httpPort, reasonOf(error)),
    ),
  }
}

/** The port of the HTTP listener: with HTTP_PORT=0, the free port that it got. */
export const boundHttpPort = Effect.map(HttpServer.HttpServer, ({ address }) =>
  address._tag === "TcpAddress" ? address.port : 0,
)
