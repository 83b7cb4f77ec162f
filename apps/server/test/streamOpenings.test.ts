/** Event streams open a few at a time when many clients connect at once (docs/decisions/0052). */
import { describe, expect, it } from "@effect/vitest"
import { BoundedServer } from "@mailroom/server/layers/BoundedServer"
import { eventually } from "@mailroom/test-services"
import { Effect, type Scope } from "effect"
import type { ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"
import { listenLocally } from "./support/listening.js"

interface Client {
  readonly socket: Socket
  readonly received: () => string
}

/** A client that asks for the path. `headers`: more lines. */
const asking = (port: number, path: string, headers = ""): Effect.Effect<Client, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Client>((resume) => {
      let received = ""
      const socket = connect({ host: "127.0.0.1", port }, () => {
        socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n${headers}\r\n`)
        resume(Effect.succeed({ socket, received: () => received }))
      })
      socket.setEncoding("latin1").on("data", (text: string) => (received += text))
      socket.on("error", () => {})
    }),
    ({ socket }) => Effect.sync(() => socket.destroy()),
  )

/** A server with ten requests for its event stream, and the responses of those that it has begun. */
const busy = Effect.gen(function* () {
  const begun: Array<ServerResponse> = []
  const server = new BoundedServer({})
  server.on("request", (_, response: ServerResponse) => begun.push(response))
  const port = yield* listenLocally(server)
  const clients: Array<Client> = []
  for (let count = 1; count <= 10; count++) {
    clients.push(yield* asking(port, "/v1/events?events=message.received"))
    yield* eventually(
      "the request arrives",
      Effect.sync(() => server.running.size),
      (size) => size === count,
    )
  }
  const begins = (count: number) =>
    eventually(
      "requests begin",
      Effect.sync(() => begun.length),
      (length) => length === count,
    )
  return { port, server, begun, clients, begins }
})

describe("requests for the event stream", () => {
  it.scopedLive("eight run at once; the next begins when one is answered or its client goes", () =>
    Effect.gen(function* () {
      const { begun, clients, begins } = yield* busy
      expect(begun).toHaveLength(8)
      begun[0]?.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
      yield* begins(9)
      clients[1]?.socket.destroy()
      yield* begins(10)
    }),
  )

  it.scopedLive("a client that disconnects while it waits is removed", () =>
    Effect.gen(function* () {
      const { server, begun, clients, begins } = yield* busy
      clients[8]?.socket.destroy()
      yield* eventually(
        "the server sees it",
        Effect.sync(() => server.running.size),
        (size) => size === 9,
      )
      for (const response of begun.slice(0, 2)) response.writeHead(200).flushHeaders()
      yield* begins(9)
    }),
  )

  it.scopedLive("one with a body takes no place: its answer may wait for the rest of the body", () =>
    Effect.gen(function* () {
      const { port, begins } = yield* busy
      yield* asking(port, "/v1/events", "content-length: 1\r\n")
      yield* begins(9)
    }),
  )

  it.scopedLive("other requests do not wait behind them", () =>
    Effect.gen(function* () {
      const { port, begins } = yield* busy
      yield* asking(port, "/v1/events/log")
      yield* begins(9)
    }),
  )

  it.scopedLive("all that wait are refused with 503 when one of them is", () =>
    Effect.gen(function* () {
      const { begun, clients } = yield* busy
      begun[0]?.writeHead(503).end()
      for (const { received } of clients.slice(8))
        expect(
          yield* eventually("the refusal arrives", Effect.sync(received), (text) =>
            text.includes("OVERLOADED"),
          ),
        ).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 5\r\n/)
      expect(begun).toHaveLength(8)
    }),
  )
})
