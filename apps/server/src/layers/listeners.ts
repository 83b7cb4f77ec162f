/** The HTTP socket. */
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

/** How long what is in flight may take once the server stops; a second of the ten is left for closing the rest. */
export const DRAIN_MILLIS = 9_000

/** How long a client may go on sending a body that was answered already, in milliseconds. */
const REST_MILLIS = 30_000

const reasonOf = (error: HttpServerError.ServeError): string => {
  const { cause } = error
  return cause instanceof Error && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : String(cause)
}

const notYet = (response: ServerResponse): ServerResponse =>
  response
    .writeHead(503, { "content-type": "application/json", "retry-after": "1" })
    .end('{"error":"The service is starting or stopping","code":"STARTING"}')

/**
 * A client that asks first (`Expect: 100-continue`, RFC 9110 §10.1.1) is told to go on once its body is read, after the
 * gates and within the limit. Without that the connection closes with the answer: nobody knows whether a body follows.
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

/** Ends a connection whose client goes on sending a body after the answer to it. */
const closeAfterAnswer = (request: IncomingMessage, response: ServerResponse): void => {
  response.on("finish", () => {
    if (request.complete) return
    const { socket } = request
    const timer = setTimeout(() => socket.destroy(), REST_MILLIS)
    request.once("close", () => clearTimeout(timer))
  })
}

/**
 * The HTTP server, and the layer that drains it: to be closed before anything that requests need. It takes no more
 * connections, has streams end, lets running requests finish for a while, and then closes what is left.
 */
export const httpServer = ({ httpHost, httpPort }: ServerConfig) => {
  const server = new BoundedServer({
    // Slow clients: the head of a request within 30 s, all of it within 5 minutes.
    headersTimeout: 30_000,
    requestTimeout: 300_000,
    keepAliveTimeout: 65_000,
  })
  endSlowReaders(server.running)
  let draining = false
  const finish = (response: ServerResponse): void => {
    response.shouldKeepAlive = false
    if (!response.headersSent) return
    // Its head has promised that the connection stays.
    const { socket } = response
    response.once("finish", () => socket?.destroySoon())
  }
  server.on("checkContinue", (request, response) => {
    continueWhenRead(request, response)
    server.emit("request", request, response)
  })
  server.on("request", (request, response) => {
    closeAfterAnswer(request, response)
    // On a connection that was busy when the others were closed.
    if (draining) finish(response)
    // Only this listener hears it: the application is not there yet, or not any more.
    if (server.listenerCount("request") === 1) notYet(response)
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

/** The port that the HTTP server was given: 0 in the configuration picks a free one. */
export const boundHttpPort = Effect.map(HttpServer.HttpServer, ({ address }) =>
  address._tag === "TcpAddress" ? address.port : 0,
)
