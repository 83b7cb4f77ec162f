/** A real SMTP server as the relay. */
import { Data, Effect, type Scope } from "effect"
import type { Server, Socket } from "node:net"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import type { Received } from "../relay.contract.js"

/** The port of a listening server. */
export const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

class Refused extends Data.Error<{ readonly message: string; readonly responseCode: number }> {}

export interface Sink {
  readonly port: number
  readonly received: ReadonlyArray<Received>
  /** the reply to RCPT TO of an address, or to `DATA`, `MAIL`; `LOST` for `DATA` ends the connection instead */
  readonly answers: Map<string, string>
  readonly stop: Effect.Effect<void>
}

const replyError = (reply: string | undefined): Error | null =>
  reply === undefined
    ? null
    : new Refused({ responseCode: Number(reply.slice(0, 3)), message: reply.slice(4) })

export const sink = (options: SMTPServerOptions = {}): Effect.Effect<Sink, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Sink>((resume) => {
      const received: Array<Received> = []
      const answers = new Map<string, string>()
      const sockets = new Set<Socket>()
      const server = new SMTPServer({
        authOptional: true,
        hideSTARTTLS: true,
        disableReverseLookup: true,
        logger: false,
        closeTimeout: 1,
        onMailFrom: (_, __, callback) => callback(replyError(answers.get("MAIL"))),
        onRcptTo: ({ address }, _, callback) => callback(replyError(answers.get(address))),
        onData: (stream, { envelope }, callback) => {
          const chunks: Array<Buffer> = []
          stream.on("data", (chunk: Buffer) => chunks.push(chunk))
          stream.on("error", () => {})
          stream.on("end", () => {
            const answer = answers.get("DATA")
            const refused = answer === "LOST" ? null : replyError(answer)
            if (refused === null)
              received.push({
                from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
                to: envelope.rcptTo.map(({ address }) => address),
                raw: Buffer.concat(chunks).toString("latin1"),
              })
            if (answer === "LOST") for (const socket of sockets) socket.destroy()
            else callback(refused)
          })
        },
        ...options,
      })
      server.on("error", () => {})
      server.server.on("connection", (socket) => sockets.add(socket))
      server.listen(0, "127.0.0.1", () => {
        resume(
          Effect.succeed({
            port: portOf(server.server),
            received,
            answers,
            stop: Effect.async<void>((done) => server.close(() => done(Effect.void))),
          }),
        )
      })
    }),
    ({ stop }) => stop,
  )
