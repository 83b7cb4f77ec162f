/** Requests that no client library sends, written byte by byte (RFC 9112; docs/decisions/0036). */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "node:net"
import { eventually } from "@mailroom/test-services"
import { signUp } from "./support/account.js"
import { call } from "./support/http.js"
import { SharedServer } from "./support/server.js"

const MB = 1024 * 1024

/** Writes and reads on one connection: `answered` runs with all that has come, until it returns true or the end comes. */
const converse = (
  port: number,
  bytes: ReadonlyArray<string | Buffer>,
  answered: (received: string, write: (more: string) => void) => boolean = () => false,
): Effect.Effect<string> =>
  Effect.async((resume) => {
    let received = ""
    const socket = connect({ host: "127.0.0.1", port }, () => bytes.forEach((piece) => socket.write(piece)))
    const done = () => {
      socket.destroy()
      resume(Effect.succeed(received))
    }
    socket.setEncoding("latin1").on("data", (text: string) => {
      received += text
      if (answered(received, (more) => socket.write(more))) done()
    })
    socket.on("error", () => {})
    socket.on("close", done)
    return Effect.sync(() => socket.destroy())
  })

/** Writes, and resets the connection once the server has read. */
const abandoned = (port: number, bytes: string): Effect.Effect<void> =>
  Effect.async((resume) => {
    const socket = connect({ host: "127.0.0.1", port }, () =>
      socket.write(bytes, () => setImmediate(() => socket.resetAndDestroy())),
    )
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.void))
  })

const head = (line: string, ...headers: ReadonlyArray<string>): string =>
  `${line} HTTP/1.1\r\nHost: x\r\n${headers.map((one) => `${one}\r\n`).join("")}\r\n`

const JSON_TYPE = "Content-Type: application/json"

layer(SharedServer.layer(), { excludeTestServices: true })("raw requests", (it) => {
  it.scoped("who asks before it sends a body is refused without sending it", () =>
    Effect.gen(function* () {
      const { httpPort } = yield* SharedServer
      for (const [status, request] of [
        ["413", head("POST /v1/signup", JSON_TYPE, `Content-Length: ${40 * MB}`, "Expect: 100-continue")],
        ["401", head("POST /v1/mailboxes", JSON_TYPE, "Content-Length: 17", "Expect: 100-continue")],
        ["404", head("POST /v1/nothing", JSON_TYPE, "Content-Length: 17", "Expect: 100-continue")],
      ] as const)
        expect((yield* converse(httpPort, [request])).slice(0, 12)).toBe(`HTTP/1.1 ${status}`)
    }),
  )

  it.scoped("who asks before it sends a body is told to go on, after the gates", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const { key } = yield* signUp(server, "expecting")
      let asked = true
      const request = head(
        "POST /v1/mailboxes",
        JSON_TYPE,
        `Authorization: Bearer ${key}`,
        "Content-Length: 17",
        "Expect: 100-continue",
      )
      const received = yield* converse(server.httpPort, [request], (text, write) => {
        if (asked && text.startsWith("HTTP/1.1 100")) write('{"address":"new"}')
        asked = !text.startsWith("HTTP/1.1 100")
        return text.includes("HTTP/1.1 201")
      })
      expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /)
    }),
  )

  for (const [what, ...headers] of [
    ["its length", `Content-Length: ${5 * MB}`],
    ["chunks", "Transfer-Encoding: chunked"],
  ] as const)
    it.scoped(`a client that closes after the answer reads the 413 to a body sent with ${what}`, () =>
      Effect.gen(function* () {
        const { httpPort } = yield* SharedServer
        const body = Buffer.alloc(5 * MB, "a")
        const bytes = headers[0].startsWith("C")
          ? [body]
          : [`${body.length.toString(16)}\r\n`, body, "\r\n0\r\n\r\n"]
        const request = head("POST /v1/signup", JSON_TYPE, "Connection: close", ...headers)
        const received = yield* converse(httpPort, [request, ...bytes])
        expect(received).toMatch(/^HTTP\/1\.1 413 [\s\S]*"SIZE_EXCEEDED"\}$/)
      }),
    )

  it.scoped("the connection goes on after a body that was refused half read", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const { key, mailboxId } = yield* signUp(server, "half-read")
      const body = Buffer.from(`[${"{},".repeat(500_000)}{}]`)
      const request = head(
        `POST /v1/mailboxes/${mailboxId}/messages`,
        JSON_TYPE,
        `Authorization: Bearer ${key}`,
        `Content-Length: ${body.length}`,
      )
      const received = yield* converse(
        server.httpPort,
        [request, body, head("GET /healthz", "Connection: close")],
        (text) => text.includes("HTTP/1.1 200"),
      )
      expect(received).toMatch(/^HTTP\/1\.1 400 [\s\S]*HTTP\/1\.1 200 /)
    }),
  )

  it.scoped("a compressed body is refused in words, and not unpacked", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const answer = yield* call(server, "POST /v1/signup", {
        body: "{}",
        headers: { "content-encoding": "gzip" },
      })
      expect([answer.status, answer.json]).toMatchObject([
        400,
        { error: expect.stringContaining("Content-Encoding") },
      ])
    }),
  )

  it.scoped("thousands of requests in one packet end the connection, and cost others nothing", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      yield* converse(server.httpPort, [head("GET /healthz").repeat(20_000)])
      expect((yield* call(server, "GET /healthz")).status).toBe(200)
    }),
  )

  it.scoped("some requests in one packet are answered in their order", () =>
    Effect.gen(function* () {
      const { httpPort } = yield* SharedServer
      const requests = `${head("GET /healthz").repeat(10)}${head("GET /nothing", "Connection: close")}`
      const statuses = (yield* converse(httpPort, [requests])).match(/HTTP\/1\.1 \d+/g)
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => "HTTP/1.1 200"), "HTTP/1.1 404"])
    }),
  )

  it.scoped("a client that asks for another protocol, and resets its connection, ends nothing but that", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const upgrade = head("GET /healthz", "Connection: Upgrade", "Upgrade: x")
      expect(yield* converse(server.httpPort, [upgrade], (text) => text.includes('"ok"'))).toMatch(
        /^HTTP\/1\.1 200 /,
      )
      for (let count = 0; count < 5; count++) yield* abandoned(server.httpPort, upgrade)
      expect((yield* call(server, "GET /healthz")).status).toBe(200)
    }),
  )

  it.scoped("clients that go while they send a body leave no room taken", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const unfinished = `${head("POST /v1/signup", JSON_TYPE, "Content-Length: 16384")}{`
      const pipelined = head("POST /v1/signup", JSON_TYPE, "Content-Length: 2").concat("{}").repeat(8)
      for (let count = 0; count < 5; count++) {
        yield* abandoned(server.httpPort, unfinished)
        yield* abandoned(server.httpPort, pipelined + unfinished)
      }
      const held = Effect.map(
        call(server, "GET /metrics"),
        ({ text }) => /^mailroom_http_body_bytes\{sender="anonymous"\} (\d+)/m.exec(text)?.[1],
      )
      expect(yield* eventually("the room comes back", held, (bytes) => bytes === "0")).toBe("0")
    }),
  )

  it.scoped("sixty bodies without end, of nobody, are refused after 16 kB each", () =>
    Effect.gen(function* () {
      const { httpPort } = yield* SharedServer
      const body = Buffer.alloc(1 * MB, "a")
      const request = head("POST /v1/signup", JSON_TYPE, "Transfer-Encoding: chunked")
      const answers = yield* Effect.forEach(
        Array.from({ length: 60 }, () => [request, `${(40 * MB).toString(16)}\r\n`, body]),
        (bytes) => converse(httpPort, bytes, (text) => text.includes("SIZE_EXCEEDED")),
        { concurrency: "unbounded" },
      )
      expect(answers.filter((text) => text.startsWith("HTTP/1.1 413"))).toHaveLength(60)
    }),
  )
})
