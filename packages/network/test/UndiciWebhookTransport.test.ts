import { describe, expect, it } from "@effect/vitest"
import { MemoryDns, UndiciWebhookTransport } from "@mailroom/network"
import { Dns, DnsFailure, WebhookTransport } from "@mailroom/engine"
import { Deferred, Effect, Fiber, Layer, Queue, TestClock } from "effect"
import type { ServerResponse } from "node:http"
import { account, otherAccount, listenHttp, listenHttps, listenTcp, withBody } from "./servers.js"
import { type Receiver, Receivers, transportContract } from "./transport.contract.js"

const names = {
  "receiver.test": ["127.0.0.1"],
  "other.test": ["127.0.0.1"],
  "silent.test": "unavailable",
} as const

const transport = UndiciWebhookTransport.layer({ allowPrivate: true }).pipe(
  Layer.provide(MemoryDns.layer(names)),
)

const receivers = Layer.succeed(
  Receivers,
  Receivers.of({
    open: Effect.gen(function* () {
      const requests: Array<Effect.Effect.Success<Receiver["requests"]>[number]> = []
      const arrivals = yield* Queue.unbounded<void>()
      let respond = (response: ServerResponse) => void response.end()
      const { port } = yield* listenHttp(
        withBody((message, body, response) => {
          const headers = Object.entries(message.headers).map(([name, value]) => [name, String(value)])
          requests.push({ headers: Object.fromEntries(headers), body })
          Queue.unsafeOffer(arrivals, undefined)
          respond(response)
        }),
      )
      return {
        url: `http://receiver.test:${port}/hook?x=1`,
        arrival: Queue.take(arrivals),
        requests: Effect.sync(() => [...requests]),
        fallSilent: Effect.sync(() => {
          respond = () => {}
        }),
        answer: (status: number, retryAfter?: string) =>
          Effect.sync(() => {
            respond = (response) =>
              void response
                .writeHead(status, retryAfter === undefined ? {} : { "Retry-After": retryAfter })
                .end()
          }),
      }
    }),
  }),
)

transportContract("UndiciWebhookTransport", Layer.merge(transport, receivers))

const postTo = (url: string, headers: Readonly<Record<string, string>> = {}, of = account) =>
  Effect.flatMap(WebhookTransport, ({ post }) => post({ account: of, url, headers, body: "{}" }))

describe("the reason why there was no answer", () => {
  const reasonAt = (url: string) =>
    Effect.map(postTo(url), (result) => ("reason" in result ? result.reason : result.kind)).pipe(
      Effect.provide(transport),
    )

  it.effect("is a refused connection", () =>
    Effect.gen(function* () {
      const { port } = yield* Effect.scoped(listenTcp(() => {}, "127.0.0.1"))
      expect(yield* reasonAt(`http://127.0.0.1:${port}/`)).toBe("connection refused")
      expect(yield* reasonAt(`http://receiver.test:${port}/`)).toBe("connection refused")
    }),
  )

  it.scoped("is a connection closed before an answer", () =>
    Effect.gen(function* () {
      const { port } = yield* listenTcp((socket) => socket.once("data", () => socket.end()))
      expect(yield* reasonAt(`http://receiver.test:${port}/`)).toBe("connection closed before an answer")
    }),
  )

  it.scoped("is an answer that is not HTTP", () =>
    Effect.gen(function* () {
      const { port } = yield* listenTcp((socket) => socket.end("220 mail.test ESMTP\r\n"))
      expect(yield* reasonAt(`http://receiver.test:${port}/`)).toBe("the answer is not HTTP")
    }),
  )

  it.scoped("is headers that never end", () =>
    Effect.gen(function* () {
      const { port } = yield* listenTcp((socket) => {
        socket.on("error", () => {})
        socket.end(`HTTP/1.1 200 OK\r\nX-Long: ${"x".repeat(100_000)}\r\n\r\n`)
      })
      expect(yield* reasonAt(`http://receiver.test:${port}/`)).toBe("the headers of the answer are too large")
    }),
  )

  it.scoped("is a receiver without TLS", () =>
    Effect.gen(function* () {
      const { port } = yield* listenHttp((_, response) => response.end())
      expect(yield* reasonAt(`https://receiver.test:${port}/`)).toBe("TLS handshake failed")
    }),
  )

  it.scoped("is an invalid certificate", () =>
    Effect.gen(function* () {
      const { port } = yield* listenHttps((_, response) => response.end())
      expect(yield* reasonAt(`https://receiver.test:${port}/`)).toBe(
        "certificate is not valid: self-signed certificate",
      )
    }),
  )

  it.effect("is a name that does not resolve", () =>
    Effect.gen(function* () {
      expect(yield* reasonAt("https://nowhere.test/")).toBe("name does not resolve")
      expect(yield* reasonAt("https://silent.test/")).toBe("name server does not answer")
    }),
  )

  it.effect("is a URL that webhooks may not have", () =>
    Effect.gen(function* () {
      expect(yield* reasonAt("hook")).toBe("the URL must be an absolute URL")
      expect(yield* reasonAt("ftp://receiver.test/")).toBe("the URL must start with https://")
      expect(yield* reasonAt("https://a:b@receiver.test/")).toBe(
        "the URL must not contain a user name or password",
      )
    }),
  )

  it.scoped("is a header that cannot be sent; nothing is sent", () =>
    Effect.gen(function* () {
      const server = yield* listenHttp((_, response) => response.end())
      const result = yield* postTo(`http://receiver.test:${server.port}/`, { "x-bad": "a\r\nx-more: b" })
      expect(result).toEqual({ kind: "unreachable", reason: "request failed: invalid x-bad header" })
      expect(server.connections()).toBe(0)
    }).pipe(Effect.provide(transport)),
  )
})

describe("the body of an answer", () => {
  it.scoped("is not awaited beyond the deadline, because the receiver has answered", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const { port } = yield* listenHttp((message, response) => {
        response.writeHead(202).write("x")
        message.resume()
        Deferred.unsafeDone(begun, Effect.void)
      })
      // Once a second exchange is complete, the headers of the first have arrived.
      const attempt = yield* Effect.fork(postTo(`http://receiver.test:${port}/`))
      yield* Deferred.await(begun)
      const other = yield* listenHttp((_, response) => response.end())
      for (let round = 0; round < 20; round++) yield* postTo(`http://receiver.test:${other.port}/`)
      yield* TestClock.adjust("15 seconds")
      expect(yield* Fiber.join(attempt)).toEqual({ kind: "answered", status: 202, retryAfter: null })
    }).pipe(Effect.provide(transport)),
  )

  it.scoped("is aborted soon after 64 kB", () =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<number>()
      const { port } = yield* listenHttp((_, response) => {
        let written = 0
        const flood = () => {
          while (!response.destroyed && response.write(Buffer.alloc(16 * 1024))) written += 16 * 1024
        }
        response.on("drain", flood)
        response.on("close", () => Deferred.unsafeDone(closed, Effect.succeed(written)))
        flood()
      })
      expect(yield* postTo(`http://receiver.test:${port}/`)).toEqual({
        kind: "answered",
        status: 200,
        retryAfter: null,
      })
      // The buffers of both sockets were written, the endless body was not.
      expect(yield* Deferred.await(closed)).toBeLessThan(64 * 1024 * 1024)
    }).pipe(Effect.provide(transport)),
  )

  it.scoped("may end early, because the receiver has answered", () =>
    Effect.gen(function* () {
      const { port } = yield* listenTcp((socket) =>
        socket.once("data", () => socket.end("HTTP/1.1 201 Created\r\nContent-Length: 10\r\n\r\nhalf")),
      )
      expect(yield* postTo(`http://receiver.test:${port}/`)).toMatchObject({ kind: "answered", status: 201 })
    }).pipe(Effect.provide(transport)),
  )
})

describe("connections", () => {
  it.scoped("are reused for the next post", () =>
    Effect.gen(function* () {
      const server = yield* listenHttp((_, response) => response.end("ok"))
      for (let number = 0; number < 20; number++) yield* postTo(`http://receiver.test:${server.port}/`)
      // Up to two, because a post may start before the previous connection is idle.
      expect(server.connections()).toBeLessThanOrEqual(2)
    }).pipe(Effect.provide(transport)),
  )

  it.scoped("are 32 at most to one origin", () =>
    Effect.gen(function* () {
      const server = yield* listenHttp((_, response) => response.end("ok"))
      yield* Effect.forEach(
        Array.from({ length: 300 }),
        () => postTo(`http://receiver.test:${server.port}/`),
        { concurrency: "unbounded" },
      )
      expect(server.connections()).toBeLessThanOrEqual(32)
    }).pipe(Effect.provide(transport)),
  )

  it.scoped("are closed with the layer", () =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<void>()
      const server = yield* listenHttp((message, response) => {
        message.socket.on("close", () => Deferred.unsafeDone(closed, Effect.void))
        response.end("ok")
      })
      yield* Effect.provide(postTo(`http://receiver.test:${server.port}/`), transport)
      yield* Deferred.await(closed)
      expect(server.connections()).toBe(1)
    }),
  )

  it.scoped("of the least recently used origin are closed for new origins", () =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<string>()
      const server = yield* listenHttp((message, response) => {
        const host = message.headers.host ?? ""
        message.socket.on("close", () => Deferred.unsafeDone(closed, Effect.succeed(host)))
        response.end("ok")
      })
      // The server keeps idle connections for a minute, so the client closes this one.
      for (let number = 0; number <= 256; number++) yield* postTo(`http://r${number}.test:${server.port}/`)
      expect(yield* Deferred.await(closed)).toBe(`r0.test:${server.port}`)
    }).pipe(
      Effect.provide(
        UndiciWebhookTransport.layer({ allowPrivate: true }).pipe(
          Layer.provide(
            MemoryDns.layer(
              Object.fromEntries(
                Array.from({ length: 257 }, (_, number) => [`r${number}.test`, ["127.0.0.1"]]),
              ),
            ),
          ),
        ),
      ),
    ),
  )
})

describe("requests of one account to a receiver that does not answer", () => {
  it.scoped("wait for a connection without starting an attempt, and delay no other account's", () =>
    Effect.gen(function* () {
      const arrivals = yield* Queue.unbounded<void>()
      const answering: Array<ServerResponse> = []
      let silent = true
      const { port } = yield* listenHttp((_, response) => {
        if (silent) answering.push(response)
        else response.end()
        Queue.unsafeOffer(arrivals, undefined)
      })
      const url = `http://receiver.test:${port}/`
      yield* Effect.gen(function* () {
        const sent = yield* Effect.forEach(Array.from({ length: 32 }), () => Effect.fork(postTo(url)))
        yield* Queue.takeN(arrivals, 32)
        const waiting = yield* Effect.fork(postTo(url))
        // Until it waits for a connection.
        yield* Effect.repeatN(Effect.yieldNow(), 50)
        silent = false
        expect(yield* postTo(url, {}, otherAccount)).toMatchObject({ status: 200 })
        yield* TestClock.adjust("10 seconds")
        expect(yield* Fiber.join(waiting)).toEqual({ kind: "postponed" })
        const second = yield* Effect.fork(postTo(url))
        yield* TestClock.adjust("5 seconds")
        for (const attempt of sent) expect((yield* Fiber.join(attempt)).kind).toBe("unreachable")
        // Its 15 seconds start after the wait of 5.
        expect(yield* Fiber.join(second)).toMatchObject({ status: 200 })
      }).pipe(Effect.provide(transport))
    }),
  )

  it.effect("are postponed when no resolver was asked for the name", () =>
    Effect.gen(function* () {
      const failing = () => new DnsFailure({ host: "receiver.test", reason: "not asked" })
      const known = () => undefined
      const dns = Layer.succeed(
        Dns,
        Dns.of({ addresses: failing, mx: failing, txt: failing, ask: () => Effect.never, known }),
      )
      const layer = Layer.provide(UndiciWebhookTransport.layer({ allowPrivate: true }), dns)
      expect(yield* Effect.provide(postTo("http://receiver.test/"), layer)).toEqual({ kind: "postponed" })
    }),
  )
})
