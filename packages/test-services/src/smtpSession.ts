/** An SMTP client that sends exactly the bytes it is given. */
import { Effect, type Scope } from "effect"
import { connect, type Socket } from "node:net"

export interface SmtpSession {
  /** Writes bytes; a string is Latin-1. Completes when the system has accepted them or the connection is closed. */
  readonly write: (bytes: string | Uint8Array) => Effect.Effect<void>
  /** The next complete reply, its lines joined with `\n`; `CLOSED` once the server has closed. */
  readonly reply: Effect.Effect<string>
  /** Writes one line and waits for its reply. */
  readonly say: (line: string) => Effect.Effect<string>
  /** Closes the connection without QUIT. */
  readonly drop: Effect.Effect<void>
}

export const CLOSED = "closed"

const completeReply = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\n/

const converse = (socket: Socket): SmtpSession => {
  let received = ""
  let closed = false
  let waiting: ((reply: string) => void) | null = null
  const answer = () => {
    const reply = completeReply.exec(received)?.[0]
    if (waiting === null || (reply === undefined && !closed)) return
    const resolve = waiting
    waiting = null
    received = received.slice(reply?.length ?? received.length)
    resolve(reply?.trimEnd() ?? CLOSED)
  }
  socket.setEncoding("latin1")
  socket.on("data", (text: string) => {
    received += text.replaceAll("\r", "")
    answer()
  })
  socket.on("error", () => {})
  socket.on("close", () => {
    closed = true
    answer()
  })
  const write = (bytes: string | Uint8Array) =>
    Effect.async<void>((resume) => {
      const chunk = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes
      if (socket.destroyed) resume(Effect.void)
      else socket.write(chunk, () => resume(Effect.void))
    })
  const reply = Effect.async<string>((resume) => {
    waiting = (text) => resume(Effect.succeed(text))
    answer()
  })
  return {
    write,
    reply,
    say: (line) => Effect.zipRight(write(`${line}\r\n`), reply),
    drop: Effect.sync(() => socket.destroy()),
  }
}

/** Connects. The first reply is the greeting. */
export const dial = (port: number): Effect.Effect<SmtpSession, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => connect({ port, host: "127.0.0.1", noDelay: true })),
    (socket) => Effect.sync(() => socket.destroy()),
  ).pipe(Effect.map(converse))

/** Connects, reads the greeting and sends EHLO. */
export const smtpSession = (port: number): Effect.Effect<SmtpSession, never, Scope.Scope> =>
  Effect.tap(dial(port), (client) => Effect.zipRight(client.reply, client.say("EHLO client.example")))

/** Sends MAIL, RCPT and DATA. Returns the first unexpected reply, or the 354. */
export const upToData = (client: SmtpSession, to: string, from = "bob@corp.org"): Effect.Effect<string> =>
  Effect.gen(function* () {
    const sender = yield* client.say(`MAIL FROM:<${from}>`)
    if (!sender.startsWith("250")) return sender
    const recipient = yield* client.say(`RCPT TO:<${to}>`)
    if (!recipient.startsWith("250")) return recipient
    return yield* client.say("DATA")
  })

/** Sends one mail. Returns the reply to the end of the message. The caller does the dot-stuffing. */
export const transfer = (client: SmtpSession, to: string, mail: string | Uint8Array): Effect.Effect<string> =>
  Effect.gen(function* () {
    const ready = yield* upToData(client, to)
    if (!ready.startsWith("354")) return ready
    yield* client.write(mail)
    return yield* client.say("\r\n.")
  })

/** Sends one mail over a new connection. */
export const deliver = (port: number, to: string, mail: string | Uint8Array): Effect.Effect<string> =>
  Effect.scoped(Effect.flatMap(smtpSession(port), (client) => transfer(client, to, mail)))

/** A small mail with `name` as its subject and in its Message-ID. */
export const plainMail = (name: string, ...header: ReadonlyArray<string>): string =>
  [
    "From: Bob <bob@corp.org>",
    "To: agent",
    `Subject: ${name}`,
    `Message-ID: <${name}@corp.org>`,
    ...header,
    "",
    `This is ${name}.`,
  ].join("\r\n")
