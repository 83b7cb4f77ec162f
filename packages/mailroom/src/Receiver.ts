/** Receives mail by SMTP in an embedded Mailroom. */
import type { MailSpool } from "@mailroom/engine"
import { type Certificate, checkCertificate, type ListenFailed, SmtpReceiver } from "@mailroom/mail"
import { Context, Data, Effect, Layer } from "effect"
import { checkedTls, domainOfOptions, type MailroomOptions, OptionsInvalid } from "./options.js"

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

const notListening = ({ host, port, reason }: ListenFailed): PortUnusable =>
  new PortUnusable({
    message: `Mail cannot be received on ${host}:${port} (${reason}). ${advice[reason] ?? "Choose another address with `receive: { host, port }`"}`,
    reason,
  })

/** Checks a certificate and its key. `what`: where they were given. */
const usable = (tls: Certificate, what: string): Effect.Effect<void, OptionsInvalid> =>
  Effect.mapError(
    checkCertificate(tls),
    ({ reason }) =>
      new OptionsInvalid({
        message: `${what} must have a certificate chain and its own key, in PEM (${reason})`,
      }),
  )

const withoutTls = new OptionsInvalid({
  message: "This Mailroom has no certificate to replace: it was started without `receive.tls`",
})

export class Receiver extends Context.Tag("mailroom/Receiver")<
  Receiver,
  {
    /** the port that takes mail; null: mail is received nowhere */
    readonly port: number | null
    /** Sets the certificate for later handshakes, where `receive.tls` was given at the start. */
    readonly useCertificate: (tls: Certificate) => Effect.Effect<void, OptionsInvalid>
  }
>() {
  static readonly layer = (
    options: MailroomOptions,
  ): Layer.Layer<Receiver, OptionsInvalid | PortUnusable, MailSpool> => {
    const { receive = {} } = options
    if (receive === false) return Layer.succeed(Receiver, { port: null, useCertificate: () => withoutTls })
    const { host = DEFAULT_HOST, port = DEFAULT_PORT, tls } = receive
    const name = `mx.${domainOfOptions(options)}`
    const replacing = (receiver: typeof SmtpReceiver.Service) => (given: Certificate) =>
      Effect.gen(function* () {
        if (tls === undefined) return yield* withoutTls
        const renewed = yield* checkedTls(given)
        yield* usable(renewed, "The argument")
        yield* receiver.useCertificate(renewed)
      })
    const listening = Layer.effect(
      Receiver,
      Effect.map(SmtpReceiver, (receiver) => ({
        port: receiver.port,
        useCertificate: replacing(receiver),
      })),
    ).pipe(
      Layer.provide(
        Layer.mapError(
          SmtpReceiver.layer({ host, port, name, ...(tls !== undefined && { tls }) }),
          notListening,
        ),
      ),
    )
    return tls === undefined
      ? listening
      : Layer.unwrapEffect(Effect.as(usable(tls, "`receive.tls`"), listening))
  }
}
