/** One connection to the relay, greeted and logged in. */
import { Effect, type Option } from "effect"
import SMTPConnection from "nodemailer/lib/smtp-connection"
import { type AttemptFailed, unavailable } from "./answers.js"
import type { RelayAddress } from "./relayUrl.js"

/** Milliseconds of waiting: for TCP and TLS, for the greeting, for each answer after it. */
export interface RelayTimeouts {
  readonly connect: number
  readonly greeting: number
  readonly socket: number
}

export interface RelayConnection {
  readonly smtp: SMTPConnection
  readonly isOpen: () => boolean
  /** keywords of the reply to EHLO, in capitals (RFC 5321 §4.1.1.1); over TLS those heard over TLS */
  readonly extensions: ReadonlySet<string>
  /** Ends the session with QUIT, if the connection is open. */
  readonly close: () => void
}

export interface ConnectionOptions {
  readonly name: Option.Option<string>
  readonly timeouts: RelayTimeouts
  readonly requireTls: boolean
  /** who signs for the relay, in PEM, instead of the authorities that Node knows */
  readonly authorities: Option.Option<string>
}

/** The first line is the relay's name. */
const keywordsOf = (reply: string): ReadonlySet<string> =>
  new Set(
    reply
      .split("\n")
      .slice(1)
      .flatMap((line) => /^\d{3}[ -]([a-z0-9-]+)/i.exec(line)?.[1]?.toUpperCase() ?? []),
  )

/** Connects, hears the greeting and logs in. */
export const openConnection = (
  address: RelayAddress,
  options: ConnectionOptions,
): Effect.Effect<RelayConnection, AttemptFailed> =>
  Effect.async((resume) => {
    let open = true
    const smtp = new SMTPConnection({
      host: address.host,
      port: address.port,
      secure: address.secure,
      requireTLS: options.requireTls,
      connectionTimeout: options.timeouts.connect,
      greetingTimeout: options.timeouts.greeting,
      dnsTimeout: options.timeouts.connect,
      socketTimeout: options.timeouts.socket,
      ...(options.name._tag === "Some" && { name: options.name.value }),
      ...(options.authorities._tag === "Some" && { tls: { ca: options.authorities.value } }),
    })
    const failed = (error: unknown) => {
      if (!open) return
      open = false
      smtp.close()
      resume(Effect.fail(unavailable(error)))
    }
    smtp.on("error", failed)
    smtp.once("end", () => failed(new Error("connection closed")))
    smtp.connect((error) => {
      if (error) return failed(error)
      const extensions = keywordsOf(smtp.lastServerResponse || "")
      const close = () => (open ? smtp.quit() : smtp.close())
      const ready = () => resume(Effect.succeed({ smtp, isOpen: () => open, extensions, close }))
      if (address.login === null) return ready()
      smtp.login(address.login, (refusal) => (refusal ? failed(refusal) : ready()))
    })
    return Effect.sync(() => smtp.close())
  })
