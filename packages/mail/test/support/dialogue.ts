/** An SMTP client that sends exactly the given bytes. */
import { Effect, type Scope } from "effect"
import { connect, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { certificate } from "./certificate.js"

export interface Dialogue {
  /** Writes bytes as they are: a string is Latin-1. Resolves when the system took them. */
  readonly write: (bytes: string | Uint8Array) => Effect.Effect<void>
  /** The next complete reply, its lines joined with `\n`; `"closed"` when the server closed instead. */
  readonly reply: Effect.Effect<string>
  /** Writes one line and waits for its reply. */
  readonly say: (line: string) => Effect.Effect<string>
  /** Drops the connection without QUIT. */
  readonly drop: Effect.Effect<void>
  /** Starts TLS, after the server replied 220 to STARTTLS. */
  readonly startTls: Effect.Effect<void>
}

export const CLOSED = "closed"

const completeReply = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\n/

const converse = (raw: Socket): Dialogue => {
  let socket = raw
  let received = ""
  let closed = false
  let waiting: ((reply: string) => void) | null = null
  const deliver = () => {
    const text = received.replaceAll("\r\n", "\n")
    const reply = completeReply.exec(text)?.[0]
    if (waiting === null || (reply === undefined && !closed)) return
    const answer = waiting
    waiting = null
    received = reply === undefined ? "" : text.slice(reply.length)
    answer(reply === undefined ? CLOSED : reply.trimEnd())
  }
  const listen = (to: Socket) => {
    to.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1")
      deliver()
    })
    to.on("error", () => {})
    to.on("close", () => {
      closed = true
      deliver()
    })
  }
  listen(raw)
  const write = (bytes: string | Uint8Array) =>
    Effect.async<void>((resume) => {
      const chunk = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes
      socket.write(chunk, () => resume(Effect.void))
    })
  const reply = Effect.async<string>((resume) => {
    waiting = (text) => resume(Effect.succeed(text))
    deliver()
  })
  return {
    write,
    reply,
    say: (line) => Effect.zipRight(write(`${line}\r\n`), reply),
    drop: Effect.sync(() => socket.destroy()),
    startTls: Effect.async<void>((resume) => {
      raw.removeAllListeners("data")
      const secure = connectTls({ socket: raw, ca: certificate, servername: "localhost" }, () =>
        resume(Effect.void),
      )
      socket = secure
      listen(secure)
    }),
  }
}

/** Connects, `from` an address of loopback, and reads nothing yet: the greeting is the first reply. */
export const dial = (port: number, from = "127.0.0.1"): Effect.Effect<Dialogue, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Socket>((resume) => {
      const socket = connect({ port, host: "127.0.0.1", localAddress: from, noDelay: true }, () =>
        resume(Effect.succeed(socket)),
      )
    }),
    (socket) => Effect.sync(() => socket.destroy()),
  ).pipe(Effect.map(converse))

/** Connects, reads the greeting and sends EHLO. */
export const session = (port: number, from?: string): Effect.Effect<Dialogue, never, Scope.Scope> =>
  Effect.tap(dial(port, from), (client) => Effect.zipRight(client.reply, client.say("EHLO client.example")))
