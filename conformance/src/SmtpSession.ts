/** An SMTP client that says what it is told to, byte for byte, and shows every reply (decisions §6). */
import { Effect, type Scope } from "effect"
import { connect, type Socket } from "node:net"

export interface SmtpSession {
  /** Writes as it is (Latin-1), and waits for nothing. */
  readonly write: (text: string) => Effect.Effect<void>
  /** The next reply, its lines joined with `\n`; `closed` when the server has hung up. */
  readonly reply: Effect.Effect<string>
  /** Writes one line and waits for its reply. */
  readonly say: (line: string) => Effect.Effect<string>
}

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
    resolve(reply?.trimEnd() ?? "closed")
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
  const write = (text: string) => Effect.sync(() => void socket.write(text, "latin1"))
  const reply = Effect.async<string>((resume) => {
    waiting = (text) => resume(Effect.succeed(text))
    answer()
  })
  return { write, reply, say: (line) => Effect.zipRight(write(`${line}\r\n`), reply) }
}

/** Connected, greeted, and greeting back. */
export const smtpSession = (port: number): Effect.Effect<SmtpSession, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => connect({ port, host: "127.0.0.1", noDelay: true })),
    (socket) => Effect.sync(() => socket.destroy()),
  ).pipe(
    Effect.map(converse),
    Effect.tap((session) => Effect.zipRight(session.reply, session.say("EHLO client.sender.dev"))),
  )
