/** One connection to the relay, greeted and logged in. */
import type { RelayUnavailable } from "@mailroom/domain"
import { Effect, Option, type Scope } from "effect"
import SMTPConnection from "nodemailer/lib/smtp-connection"
import { unavailable } from "./answers.js"
import type { RelayAddress } from "./relayUrl.js"

/** milliseconds */
export interface RelayTimeouts {
  readonly connect: number
  readonly socket: number
}

export interface RelayConnection {
  readonly smtp: SMTPConnection
  readonly isOpen: () => boolean
}

export interface ConnectionOptions {
  readonly name: Option.Option<string>
  readonly timeouts: RelayTimeouts
  readonly requireTls: boolean
}

const connect = (address: RelayAddress, options: ConnectionOptions) =>
  Effect.async<RelayConnection, RelayUnavailable>((resume) => {
    let open = true
    const smtp = new SMTPConnection({
      host: address.host,
      port: address.port,
      secure: address.secure,
      requireTLS: options.requireTls,
      connectionTimeout: options.timeouts.connect,
      greetingTimeout: options.timeouts.connect,
      dnsTimeout: options.timeouts.connect,
      socketTimeout: options.timeouts.socket,
      ...Option.match(options.name, { onNone: () => ({}), onSome: (name) => ({ name }) }),
    })
    const failed = (error: unknown) => {
      if (!open) return
      open = false
      smtp.close()
      resume(Effect.fail(unavailable(error)))
    }
    const ready = () => resume(Effect.succeed({ smtp, isOpen: () => open }))
    smtp.on("error", failed)
    smtp.once("end", () => failed(new Error("connection closed")))
    smtp.connect((error) => {
      if (error) return failed(error)
      if (address.login === null) return ready()
      smtp.login(address.login, (refused) => (refused ? failed(refused) : ready()))
    })
    return Effect.sync(() => smtp.close())
  })

/** Interruptible while it connects, so that nobody waits for a relay that does not answer. */
export const openConnection = (
  address: RelayAddress,
  options: ConnectionOptions,
): Effect.Effect<RelayConnection, RelayUnavailable, Scope.Scope> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.tap(restore(connect(address, options)), ({ isOpen, smtp }) =>
      Effect.addFinalizer(() => Effect.sync(() => (isOpen() ? smtp.quit() : smtp.close()))),
    ),
  )
