/** Servers on loopback that stand for a webhook's receiver. */
import { Effect, type Scope } from "effect"
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { createServer, type Server, type Socket } from "node:net"
import { selfSigned } from "./selfSigned.js"

export interface Listening {
  readonly port: number
  /** connections accepted so far */
  readonly connections: () => number
  readonly open: () => number
}

const listen = (server: Server, host: string): Effect.Effect<Listening, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    let connections = 0
    server.on("connection", (socket: Socket) => {
      connections++
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => {
        server.listen(0, host, () => resume(Effect.void))
      }),
      () =>
        Effect.async<void>((resume) => {
          server.close(() => resume(Effect.void))
          for (const socket of sockets) socket.destroy()
        }),
    )
    const address = server.address()
    if (address === null || typeof address === "string") return yield* Effect.dieMessage("not listening")
    return { port: address.port, connections: () => connections, open: () => sockets.size }
  })

export const listenHttp = (answer: RequestListener, keepAliveTimeout = 60_000) =>
  Effect.suspend(() => listen(createHttpServer({ keepAliveTimeout }, answer), "127.0.0.1"))

export const listenHttps = (answer: RequestListener) =>
  Effect.suspend(() => listen(createHttpsServer(selfSigned, answer), "127.0.0.1"))

/** A TCP server, by default on every address of this machine. */
export const listenTcp = (serve: (socket: Socket) => void, host = "::") =>
  Effect.suspend(() => listen(createServer(serve), host))

/** Answers a request once its body has been read. */
export const withBody =
  (answer: (message: IncomingMessage, body: string, response: ServerResponse) => void): RequestListener =>
  (message, response) => {
    let body = ""
    message.setEncoding("utf8")
    message.on("data", (part: string) => {
      body += part
    })
    message.on("end", () => answer(message, body, response))
  }
