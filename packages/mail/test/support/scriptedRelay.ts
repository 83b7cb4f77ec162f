/** A relay that replies line by line by the script of a test, and records what it received. */
import { Effect, type Scope } from "effect"
import { createServer, type Socket } from "node:net"
import { portOf } from "./sink.js"

export interface ScriptedRelay {
  readonly port: number
  /** all lines of all connections, those of a message left out */
  readonly lines: ReadonlyArray<string>
  /** complete messages, still dot-stuffed, in Latin-1 */
  readonly messages: ReadonlyArray<string>
  readonly connections: () => number
  /** Ends all connections, as a relay ends idle ones. */
  readonly hangUp: Effect.Effect<void>
  /** Sends a line on all connections. */
  readonly say: (line: string) => Effect.Effect<void>
}

/** Ends the connection; says nothing; reads no more. */
export const CLOSE = "close"
export const SILENCE = "silence"
export const DEAF = "deaf"

/**
 * The reply to a line on a connection, which counts from 1. The line is `""` for the connection itself, and `.` for the end
 * of a message. undefined: the default reply.
 */
export type Script = (said: string, connection: number) => string | undefined

const usual = (said: string, keywords: ReadonlyArray<string>): string => {
  if (said === "") return "220 relay.test ESMTP"
  if (said.startsWith("EHLO"))
    return ["relay.test", ...keywords]
      .map((line, n) => `250${n < keywords.length ? "-" : " "}${line}`)
      .join("\r\n")
  if (said === "DATA") return "354 go ahead"
  if (said === "QUIT") return "221 bye"
  return "250 2.0.0 ok"
}

export const scriptedRelay = (
  script: Script = () => undefined,
  keywords: ReadonlyArray<string> = ["PIPELINING", "8BITMIME"],
): Effect.Effect<ScriptedRelay, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<ScriptedRelay & { readonly stop: () => void }>((resume) => {
      const lines: Array<string> = []
      const messages: Array<string> = []
      const sockets = new Set<Socket>()
      let connections = 0
      const server = createServer({ noDelay: true }, (socket) => {
        const connection = ++connections
        sockets.add(socket)
        let received = ""
        let inMessage = false
        let accepted = 0
        /** Whether the relay listens. */
        const reply = (said: string): boolean => {
          const nobody = said === "DATA" && accepted === 0 ? "554 5.5.1 no valid recipients" : undefined
          const answer = script(said, connection) ?? nobody ?? usual(said, keywords)
          if (said.startsWith("RCPT") && answer.startsWith("2")) accepted++
          if (answer === CLOSE) socket.destroy()
          else if (answer === DEAF) socket.write("354 go ahead\r\n", () => socket.pause())
          else if (answer !== SILENCE) socket.write(`${answer}\r\n`)
          inMessage = answer.startsWith("354")
          return answer !== CLOSE && answer !== DEAF
        }
        const hear = () => {
          for (;;) {
            const end = received.indexOf(inMessage ? "\r\n.\r\n" : "\r\n")
            if (end < 0) return
            const text = received.slice(0, end)
            received = received.slice(end + (inMessage ? 5 : 2))
            if (inMessage) messages.push(`${text}\r\n`)
            else lines.push(text)
            if (!reply(inMessage ? "." : text)) return
          }
        }
        socket.setEncoding("latin1")
        socket.on("error", () => {})
        socket.on("data", (text: string) => {
          received += text
          hear()
        })
        reply("")
      })
      const hangUp = () => {
        for (const socket of sockets) socket.destroy()
      }
      server.listen(0, "127.0.0.1", () =>
        resume(
          Effect.succeed({
            port: portOf(server),
            lines,
            messages,
            connections: () => connections,
            hangUp: Effect.sync(hangUp),
            say: (line) =>
              Effect.sync(() => {
                for (const socket of sockets) socket.write(`${line}\r\n`)
              }),
            stop: () => {
              hangUp()
              server.close()
            },
          }),
        ),
      )
    }),
    ({ stop }) => Effect.sync(stop),
  )
