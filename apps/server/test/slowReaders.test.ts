/** Clients that read large answers slowly or not at all are bounded and disconnected (docs/decisions/0045). */
import { describe, expect, it } from "@effect/vitest"
import { LEAST_RATE, slowReaderCheck } from "@mailroom/server/layers/slowReaders"
import { deliver, eventually } from "@mailroom/test-services"
import { Effect, Schema, type Scope } from "effect"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"
import { Readable } from "node:stream"
import { signUp } from "./support/account.js"
import { read } from "./support/http.js"
import { listenLocally } from "./support/listening.js"
import { arrivedAs } from "./support/messages.js"
import { freshServer, type Server } from "./support/server.js"

const MB = 1024 * 1024

interface Paused {
  readonly socket: Socket
  /** the status line, once the answer has begun */
  readonly status: () => string
  readonly closed: () => boolean
}

/** A client that reads the first bytes of the answer and then nothing more. */
const paused = (
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Effect.Effect<Paused, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Paused>((resume) => {
      let start = ""
      let closed = false
      const socket = connect({ host: "127.0.0.1", port })
      socket.on("error", () => {})
      socket.on("close", () => (closed = true))
      socket.once("data", (bytes) => {
        start = bytes.toString("latin1", 0, 12)
        socket.pause()
      })
      socket.on("connect", () => {
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${lines.join("")}\r\n`)
        resume(Effect.succeed({ socket, status: () => start, closed: () => closed }))
      })
    }),
    ({ socket }) => Effect.sync(() => socket.destroy()),
  )

describe("a connection whose client reads an answer", () => {
  const { within } = LEAST_RATE

  /** Reads at least so many bytes, and then pauses again. */
  const readMore = (socket: Socket, bytes: number) =>
    Effect.async<void>((resume) => {
      let left = bytes
      const count = (read: Buffer): void => {
        left -= read.length
        if (left > 0) return
        socket.off("data", count).pause()
        resume(Effect.void)
      }
      socket.on("data", count).resume()
    })

  /** A server that answers with 32 MB in pieces, and a client that has read the first of them. */
  const answered = (type: string) =>
    Effect.gen(function* () {
      const running = new Set<ServerResponse>()
      const server = createServer((_, response) => {
        running.add(response)
        response.once("close", () => running.delete(response))
        response.writeHead(200, { "content-type": type })
        const pieces = Array.from({ length: 512 }, () => Buffer.alloc(64 * 1024))
        Readable.from(pieces).pipe(response, { end: false })
      })
      const client = yield* paused(yield* listenLocally(server), "/")
      const check = slowReaderCheck(LEAST_RATE)
      yield* eventually("the answer begins", Effect.sync(client.status), (status) => status !== "")
      return { client, check: (now: number) => check(running, now), isOpen: () => running.size === 1 }
    })

  for (const [type, after] of [
    ["application/json", within],
    ["text/event-stream", 120_000],
  ] as const)
    it.scopedLive(`not at all: is closed after ${after / 1000} s (${type})`, () =>
      Effect.gen(function* () {
        const { client, check, isOpen } = yield* answered(type)
        check(0)
        check(after - 1)
        expect(isOpen()).toBe(true)
        check(after)
        yield* eventually("it is closed", Effect.sync(isOpen), (open) => !open)
        client.socket.resume()
        yield* eventually("the client sees it", Effect.sync(client.closed), Boolean)
      }),
    )

  it.scopedLive("slowly: is left alone while it reads 8 kB/s", () =>
    Effect.gen(function* () {
      const { client, check, isOpen } = yield* answered("application/json")
      for (let looks = 0; looks < 4; looks++) {
        check(looks * within)
        // More than the kernels hold between the two, so that some of it comes from this process.
        yield* readMore(client.socket, 5 * MB)
      }
      expect(isOpen()).toBe(true)
    }),
  )

  it.scopedLive("to its end: is left alone, however long nothing more comes", () =>
    Effect.gen(function* () {
      const { client, check, isOpen } = yield* answered("application/json")
      check(0)
      client.socket.resume()
      yield* eventually(
        "all of it is read",
        Effect.sync(() => client.socket.bytesRead),
        (read) => read > 32 * MB,
      )
      for (let looks = 1; looks < 10; looks++) check(looks * within)
      expect(isOpen()).toBe(true)
    }),
  )
})

describe("forty clients that ask for large answers and read nothing", () => {
  const mail = (subject: string, body: string) =>
    `From: Bob <bob@corp.org>\r\nTo: agent\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@corp.org>\r\n${body}`
  const line = "The quick brown fox jumps over the lazy dog.\r\n"
  const text = mail("text", `\r\n${line.repeat((16 * MB) / line.length)}`)
  const file = mail(
    "file",
    "MIME-Version: 1.0\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n" +
      `Content-Disposition: attachment; filename=a.bin\r\n\r\n${`${"QUJD".repeat(19)}\r\n`.repeat((20 * MB) / 78)}`,
  )

  const residentMegabytes = (pid: number) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
  /** Files of blobs that are open; the folders they are in stay open. */
  const openBlobs = (pid: number) =>
    readdirSync(`/proc/${pid}/fd`).filter((name) => {
      try {
        return /\/blobs\/[0-9a-f]{2}\/./.test(readlinkSync(`/proc/${pid}/fd/${name}`))
      } catch {
        return false
      }
    }).length

  const Link = Schema.Struct({ url: Schema.String })

  /** Forty at once; how many of them were answered with each status, once all were. */
  const forty = (server: Server, path: string, headers: Readonly<Record<string, string>>) =>
    Effect.gen(function* () {
      const clients = yield* Effect.replicateEffect(paused(server.httpPort, path, headers), 40)
      yield* eventually(
        "all are answered",
        Effect.sync(() => clients.every(({ status }) => status() !== "")),
        Boolean,
      )
      const statuses = clients.map(({ status }) => status().slice(-3))
      return { ok: statuses.filter((one) => one === "200").length, statuses: new Set(statuses) }
    })

  it.scopedLive("cost little memory, are told to come again, and leave the others alone", () =>
    Effect.gen(function* () {
      const server = yield* freshServer({ TRUST_PROXY: "true" })
      const account = yield* signUp(server, "acme")
      const other = yield* signUp(server, "other")
      for (const content of [file, text])
        expect(yield* deliver(server.smtpPort, account.address, content)).toMatch(/^250/)
      const [withFile, withText] = [yield* arrivedAs(account, "file"), yield* arrivedAs(account, "text")]
      const attachment = yield* account.call(`GET /v1/attachments/${withFile.attachments[0]?.id}`)
      const link = new URL(read(Link, attachment).url)
      const messagesPath = `/v1/mailboxes/${account.mailboxId}/messages`
      const headers = { authorization: `Bearer ${account.key}` }
      const before = residentMegabytes(server.pid)

      for (const [path, sent] of [
        [`${messagesPath}/${withFile.id}/raw`, headers],
        [`${link.pathname}${link.search}`, {}],
        [`${link.pathname}${link.search}`, { range: "bytes=1000-" }],
      ] as const)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { ok, statuses } = yield* forty(server, path, sent)
            expect([ok <= 32, [...statuses].sort()]).toEqual([true, ["range" in sent ? "206" : "200", "429"]])
            expect(openBlobs(server.pid)).toBeLessThanOrEqual(32)
            expect(residentMegabytes(server.pid) - before).toBeLessThan(64)
            const refused = yield* account.call(`GET ${messagesPath}/${withFile.id}/raw`)
            expect([refused.status, refused.headers.get("retry-after"), refused.json]).toMatchObject([
              429,
              "10",
              { code: "TOO_MANY_UNREAD" },
            ])
            expect((yield* other.call(`GET /v1/mailboxes/${other.mailboxId}/messages`)).status).toBe(200)
            expect((yield* account.call(`GET ${messagesPath}?limit=1`)).status).toBe(200)
          }),
        ).pipe(
          Effect.zipRight(
            eventually(
              "their files are closed",
              Effect.sync(() => openBlobs(server.pid)),
              (open) => open === 0,
            ),
          ),
        )

      yield* Effect.scoped(
        Effect.gen(function* () {
          const { ok, statuses } = yield* forty(server, `${messagesPath}/${withText.id}`, headers)
          // Two have room at once; on a slow machine some are closed after 30 s and make room for others.
          expect([ok < 10, [...statuses].sort()]).toEqual([true, ["200", "429"]])
          expect((yield* account.call(`GET ${messagesPath}?limit=1`)).status).toBe(200)
        }),
      )
      yield* eventually(
        "the message can be read again",
        Effect.map(account.call(`GET ${messagesPath}/${withText.id}`), ({ status }) => status),
        (status) => status === 200,
      )
    }),
  )
})
