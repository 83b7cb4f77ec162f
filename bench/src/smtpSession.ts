/** One SMTP session over a plain socket: lockstep, one reply for each thing said. */
import { once } from "node:events"
import { connect } from "node:net"

export interface Reply {
  readonly code: number
  /** the last line */
  readonly text: string
}

export interface SmtpSession {
  /** Says something and waits for its reply; rejects when the connection ends instead. */
  readonly say: (bytes: string | Uint8Array) => Promise<Reply>
  readonly close: () => void
}

const CRLF = "\r\n"

/** The reply in what has arrived, once its last line (`250 …`, not `250-…`) is complete. */
export const replyIn = (arrived: string): Reply | null => {
  if (!arrived.endsWith(CRLF)) return null
  const start = arrived.lastIndexOf(CRLF, arrived.length - 3)
  const line = arrived.slice(start === -1 ? 0 : start + 2, -2)
  return line.charAt(3) === "-" ? null : { code: Number(line.slice(0, 3)), text: line }
}

/** Connects and takes the greeting. */
export const openSession = async (port: number, host = "127.0.0.1"): Promise<SmtpSession> => {
  const socket = connect({ port, host, noDelay: true })
  let arrived = ""
  let waiting: { readonly resolve: (reply: Reply) => void; readonly reject: (error: Error) => void } | null =
    null
  let failure: Error | null = null

  const settle = () => {
    if (waiting === null) return
    const reply = replyIn(arrived)
    const { resolve, reject } = waiting
    if (reply !== null) {
      arrived = ""
      waiting = null
      resolve(reply)
    } else if (failure !== null) {
      waiting = null
      reject(failure)
    }
  }
  const next = () =>
    new Promise<Reply>((resolve, reject) => {
      waiting = { resolve, reject }
      settle()
    })
  socket.setEncoding("latin1")
  socket.on("data", (chunk: string) => {
    arrived += chunk
    settle()
  })
  socket.on("error", (error) => {
    failure = error
  })
  socket.on("close", () => {
    failure ??= new Error("the connection was closed")
    settle()
  })
  await Promise.race([once(socket, "connect"), once(socket, "close")])

  const greeting = await next()
  if (greeting.code !== 220) throw new Error(`greeted with ${greeting.text}`)
  return {
    say: (bytes) => {
      const reply = next()
      socket.write(bytes)
      return reply
    },
    close: () => socket.destroy(),
  }
}

/** Connects and greets. */
export const greetedSession = async (port: number, host?: string): Promise<SmtpSession> => {
  const session = await openSession(port, host)
  await session.say(`EHLO bench.example${CRLF}`)
  return session
}

/** Hands one mail over; the reply to DATA, or the first refusal before it. `content` ends with CRLF and a dot. */
export const deliver = async (
  session: SmtpSession,
  envelope: { readonly from: string; readonly to: string },
  content: Uint8Array,
): Promise<Reply> => {
  const commands: ReadonlyArray<readonly [string, number]> = [
    [`MAIL FROM:<${envelope.from}>`, 250],
    [`RCPT TO:<${envelope.to}>`, 250],
    ["DATA", 354],
  ]
  for (const [command, expected] of commands) {
    const reply = await session.say(command + CRLF)
    if (reply.code !== expected) return reply
  }
  return session.say(content)
}
