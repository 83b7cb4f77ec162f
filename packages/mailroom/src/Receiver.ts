/** Receives mail by SMTP in an embedded Mailroom. */
import type { MailSpool } from "@mailroom/engine"
import { type ListenFailed, SmtpReceiver } from "@mailroom/mail"
import { Context, Data, Effect, Layer } from "effect"
import { domainOfOptions, type MailroomOptions } from "./options.js"

const DEFAULT_HOST = "127.0.0.1"
const DEFAULT_PORT = 2525

/** The receiver cannot listen on its port. */
export class PortUnusable extends Data.TaggedError("PortUnusable")<{
  readonly message: string
  /** such as `EADDRINUSE` */
  readonly reason: string
}> {}

const advice: Readonly<Record<string, string>> = {
  EADDRINUSE: "Another program listens there. Choose another port with `receive: { port }`",
  EACCES: "This user may not listen there. Choose a port from 1024 on with `receive: { port }`",
}

const unusable = ({ host, port, reason }: ListenFailed): PortUnusable =>
  new PortUnusable({
    message: `Mail cannot be received on ${host}:${port} (${reason}). ${advice[reason] ?? "Choose another address with `receive: { host, port }`"}`,
    reason,
  })

export class Receiver extends Context.Tag("mailroom/Receiver")<
  Receiver,
  {
    /** the port that takes mail; null: mail is received nowhere */
    readonly port: number | null
  }
>() {
  static readonly layer = (options: MailroomOptions): Layer.Layer<Receiver, PortUnusable, MailSpool> => {
    const { receive = {} } = options
    if (receive === false) return Layer.succeed(Receiver, { port: null })
    const { host = DEFAULT_HOST, port = DEFAULT_PORT, tls } = receive
    const name = `mx.${domainOfOptions(options)}`
    return Layer.effect(
      Receiver,
      Effect.map(SmtpReceiver, (receiver) => ({ port: receiver.port })),
    ).pipe(
      Layer.provide(
        Layer.mapError(SmtpReceiver.layer({ host, port, name, ...(tls !== undefined && { tls }) }), unusable),
      ),
    )
  }
}
