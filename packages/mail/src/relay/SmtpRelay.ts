/** `OutboundMail` through an SMTP relay. */
import { RelayUnavailable } from "@mailroom/domain"
import { OutboundMail } from "@mailroom/engine"
import { Duration, Effect, Layer, Option, Pool, Redacted } from "effect"
import { isIP } from "node:net"
import { openConnection, type RelayConnection, type RelayTimeouts } from "./relayConnection.js"
import { parseRelayUrl, type RelayUrlInvalid } from "./relayUrl.js"
import { transfer } from "./transfer.js"

export interface SmtpRelayOptions {
  /** `smtp://…` or `smtps://user:password@host:port`; user and password percent-encoded */
  readonly url: string | Redacted.Redacted
  /** the name we greet with. Default: the host's */
  readonly name?: string
  /** connections at the same time. Default 5 */
  readonly maxConnections?: number
  /** one mail in all, waiting for a connection included. Default 30 seconds */
  readonly deadline?: Duration.DurationInput
  /** to connect, log in and hear the greeting. Default 10 seconds */
  readonly connectTimeout?: Duration.DurationInput
  /** silence of the relay. Default 20 seconds */
  readonly socketTimeout?: Duration.DurationInput
}

/** An idle connection is closed after this time, before most relays close it. */
const IDLE = "10 seconds"

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))

const make = Effect.fn("SmtpRelay.make")(function* (options: SmtpRelayOptions) {
  const url = Redacted.isRedacted(options.url) ? Redacted.value(options.url) : options.url
  const address = yield* parseRelayUrl(url)
  const deadline = Duration.decode(options.deadline ?? "30 seconds")
  const timeouts: RelayTimeouts = {
    connect: Duration.toMillis(options.connectTimeout ?? "10 seconds"),
    socket: Duration.toMillis(options.socketTimeout ?? "20 seconds"),
  }
  const pool = yield* Pool.makeWithTTL({
    acquire: openConnection(address, {
      name: Option.fromNullable(options.name),
      timeouts,
      // A password never crosses a network in the clear.
      requireTls: address.login !== null && !isLoopback(address.host),
    }),
    min: 0,
    max: options.maxConnections ?? 5,
    timeToLive: IDLE,
    timeToLiveStrategy: "usage",
  })
  const connection = pool.get.pipe(
    Effect.tap((connection) => (connection.isOpen() ? Effect.void : pool.invalidate(connection))),
    Effect.repeat({ until: (connection: RelayConnection) => connection.isOpen() }),
  )
  return {
    send: Effect.fn("SmtpRelay.send")(
      function* (envelope, raw) {
        const relay = yield* connection
        return yield* transfer(relay.smtp, envelope, raw).pipe(Effect.onError(() => pool.invalidate(relay)))
      },
      Effect.scoped,
      // The deadline does not wait for a connection attempt to notice that it is no longer wanted.
      Effect.disconnect,
      Effect.timeoutFail({
        duration: deadline,
        onTimeout: () => new RelayUnavailable({ reason: "no answer from the relay in time" }),
      }),
    ),
  } satisfies OutboundMail["Type"]
})

/**
 * Keeps connections open between mails, and closes them with its scope. TLS certificates are verified; STARTTLS is
 * used where the relay offers it, and required before a login anywhere but on this machine.
 */
export const layer = (options: SmtpRelayOptions): Layer.Layer<OutboundMail, RelayUrlInvalid> =>
  Layer.scoped(OutboundMail, make(options))
