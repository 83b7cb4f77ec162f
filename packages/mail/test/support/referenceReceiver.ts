/** The reference for our receiver: npm's smtp-server, with whole messages in memory. */
import { MESSAGE_MAX_BYTES, RECEIVED_MAX_COUNT } from "@mailroom/domain"
import { MailSpool, type RecipientVerdict, StorageFailure } from "@mailroom/engine"
import { SmtpReceiver, type SmtpReceiverOptions } from "@mailroom/mail"
import { Effect, type Exit, Layer, Runtime } from "effect"
import { SMTPServer, type SMTPServerSession } from "smtp-server"
import { SMTPConnection } from "smtp-server/lib/smtp-connection.js"

const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode })

const refusedRecipient = (verdict: RecipientVerdict | undefined): Error | null => {
  switch (verdict?.kind) {
    case "accepted":
      return null
    case "suspended":
      return refusal(550, "5.2.1 suspended")
    case "not provisioned":
      return refusal(450, "4.2.1 not ready")
    default:
      return refusal(550, "5.1.1 unknown")
  }
}

const refusedMessage = (text: string): Error | null => {
  const [header = ""] = text.split("\r\n\r\n", 1)
  if (text.length > MESSAGE_MAX_BYTES) return refusal(552, "5.3.4 too large")
  if (/\r(?!\n)/.test(text)) return refusal(554, "5.6.0 Bare carriage return")
  if (/(?<!\r)\n/.test(text)) return refusal(554, "5.6.0 Bare line feed")
  return (header.match(/^received:/gim)?.length ?? 0) > RECEIVED_MAX_COUNT ? refusal(554, "5.4.6 loop") : null
}

/** smtp-server waits 100 ms before its greeting, and has one enhanced status code for each reply code. */
const withoutItsHabits = (server: SMTPServer): void => {
  server.connect = (socket, options) => {
    const connection = new SMTPConnection(server, socket, options)
    const send = connection.send.bind(connection)
    connection.send = (code, text, context) =>
      send(code, text, typeof text === "string" && /^[245]\.\d\.\d /.test(text) ? false : context)
    const greet = connection.connectionReady.bind(connection)
    let greeted = false
    connection.connectionReady = () => {
      if (!greeted) greet()
      greeted = true
    }
    connection.on("error", () => {})
    server.connections.add(connection)
    connection.init()
    connection.connectionReady()
  }
}

const envelopeOf = (session: SMTPServerSession, receivedAt: number) => ({
  from: session.envelope.mailFrom === false ? "" : session.envelope.mailFrom.address,
  to: session.envelope.rcptTo.map(({ address }) => address),
  remoteAddress: session.remoteAddress,
  helo: session.hostNameAppearsAs,
  tls: session.secure,
  receivedAt,
})

const listening = (options: SmtpReceiverOptions) =>
  Effect.gen(function* () {
    const spool = yield* MailSpool
    const fork = Runtime.runCallback(yield* Effect.runtime())
    const clock = yield* Effect.clock
    const run = <A>(effect: Effect.Effect<A>, onExit: (exit: Exit.Exit<A>) => void) =>
      void fork(effect, { onExit })
    const temporary = refusal(451, "4.3.0 failed")
    const server = new SMTPServer({
      name: options.name,
      size: MESSAGE_MAX_BYTES,
      maxRecipients: 100,
      heloResponse: "%s",
      disableReverseLookup: true,
      hideENHANCEDSTATUSCODES: false,
      hideSTARTTLS: options.tls === undefined,
      disabledCommands: ["AUTH", "WIZ", "SHELL", "KILL", ...(options.tls === undefined ? ["STARTTLS"] : [])],
      logger: false,
      ...options.tls,
      onRcptTo: ({ address }, { envelope: { mailFrom } }, callback) =>
        run(spool.recipients([{ from: mailFrom === false ? "" : mailFrom.address, to: address }]), (exit) =>
          callback(exit._tag === "Success" ? refusedRecipient(exit.value[0]) : temporary),
        ),
      onData: (message, session, callback) => {
        const envelope = envelopeOf(session, clock.unsafeCurrentTimeMillis())
        const chunks: Array<Buffer> = []
        message.on("data", (chunk: Buffer) => chunks.push(chunk))
        message.on("end", () => {
          const bytes = Buffer.concat(chunks)
          const refused = refusedMessage(bytes.toString("latin1"))
          if (refused !== null) return callback(refused)
          run(spool.accept([{ envelope, content: { kind: "inline", bytes } }]), (exit) =>
            callback(exit._tag === "Success" ? null : temporary),
          )
        })
      },
    })
    withoutItsHabits(server)
    return yield* Effect.async<{ readonly port: number; readonly server: SMTPServer }>((resume) => {
      server.listen(options.port, options.host, () => {
        const address = server.server.address()
        if (typeof address === "object" && address !== null)
          resume(Effect.succeed({ port: address.port, server }))
        else resume(Effect.die(new StorageFailure({ reason: "unexpected", cause: "no port" })))
      })
    })
  })

export const referenceReceiver = (
  options: SmtpReceiverOptions,
): Layer.Layer<SmtpReceiver, never, MailSpool> =>
  Layer.scoped(
    SmtpReceiver,
    Effect.acquireRelease(listening(options), ({ server }) =>
      Effect.async<void>((resume) => {
        for (const connection of server.connections) connection.close()
        server.close(() => resume(Effect.void))
      }),
    ).pipe(Effect.map(({ port }) => ({ port, useCertificate: () => Effect.void }))),
  )
