/** `OutboundMail` through an SMTP relay. */
import { RelayUnavailable } from "@mailroom/domain"
import { type OutboundEnvelope, OutboundMail } from "@mailroom/engine"
import { Clock, Duration, Effect, Layer, Option, Random, Redacted } from "effect"
import { isIP } from "node:net"
import { type AttemptFailed, uncertain } from "./answers.js"
import { handover } from "./handover.js"
import { openConnection } from "./relayConnection.js"
import { makeConnections } from "./relayConnections.js"
import { parseRelayUrl, type RelayUrlInvalid } from "./relayUrl.js"
import { transfer } from "./transfer.js"

export interface SmtpRelayOptions {
  /** `smtp://…` or `smtps://user:password@host:port`; user and password percent-encoded */
  readonly url: string | Redacted.Redacted
  /** the name we greet with. Default: the host's */
  readonly name?: string
  /** connections at the same time. Default 5 */
  readonly maxConnections?: number
  /** one mail in all, waiting for a connection and trying again included. Default 30 seconds */
  readonly deadline?: Duration.DurationInput
  /** after a failure that may pass; doubled each time, up to `LONGEST`. Default 0.5 seconds */
  readonly firstPause?: Duration.DurationInput
  /** to connect, with TLS where the URL says so. Default 4 seconds */
  readonly connectTimeout?: Duration.DurationInput
  /** to hear the greeting then. Default 10 seconds */
  readonly greetingTimeout?: Duration.DurationInput
  /** silence of the relay. Default 20 seconds */
  readonly socketTimeout?: Duration.DurationInput
  /** certificates in PEM that sign for the relay, instead of the authorities that Node knows */
  readonly authorities?: string
}

/** Milliseconds until an idle connection is closed, before most relays close it. */
const IDLE = 10_000

/** Times the first pause. Mail waits for so long at most after the relay is back: 2.5 s with the default pause and jitter. */
const LONGEST = 4

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))

/** Each of its own length, so that what failed together does not come back together. */
const jittered = (pause: number) => Random.nextRange(0.75 * pause, 1.25 * pause)

/** Tries again after a while, as long as that ends before `deadline`. The clock's milliseconds. */
const persistently = <A>(
  attempt: Effect.Effect<A, AttemptFailed>,
  {
    deadline,
    pause,
    longest,
  }: { readonly deadline: number; readonly pause: number; readonly longest: number },
): Effect.Effect<A, AttemptFailed> =>
  Effect.catchAll(attempt, (failure) =>
    Effect.gen(function* () {
      const wait = yield* jittered(pause)
      const until = (yield* Clock.currentTimeMillis) + wait
      if (!failure.mayRepeat || until >= deadline) return yield* failure
      yield* Effect.sleep(wait)
      return yield* persistently(attempt, { deadline, pause: Math.min(2 * pause, longest), longest })
    }),
  )

/** How to open a connection to the relay. */
const connectionOf = (options: SmtpRelayOptions) =>
  Effect.map(
    Effect.suspend(() =>
      parseRelayUrl(Redacted.isRedacted(options.url) ? Redacted.value(options.url) : options.url),
    ),
    (address) =>
      openConnection(address, {
        name: Option.fromNullable(options.name),
        authorities: Option.fromNullable(options.authorities),
        timeouts: {
          connect: Duration.toMillis(options.connectTimeout ?? "4 seconds"),
          greeting: Duration.toMillis(options.greetingTimeout ?? "10 seconds"),
          socket: Duration.toMillis(options.socketTimeout ?? "20 seconds"),
        },
        // A password never crosses a network in the clear.
        requireTls: address.login !== null && !isLoopback(address.host),
      }),
  )

/** Whether the relay greets us and takes our login, over a connection that is closed again. */
export const check = (options: SmtpRelayOptions): Effect.Effect<void, RelayUnavailable | RelayUrlInvalid> =>
  Effect.flatMap(connectionOf(options), (connection) =>
    Effect.scoped(connection).pipe(
      Effect.mapError(({ error }) => (error._tag === "RelayUnavailable" ? error : noAnswer)),
      Effect.asVoid,
    ),
  )

const noAnswer = new RelayUnavailable({ reason: "no answer from the relay" })

const make = Effect.fn("SmtpRelay.make")(function* (options: SmtpRelayOptions) {
  const connection = yield* connectionOf(options)
  const patience = Duration.toMillis(options.deadline ?? "30 seconds")
  const pause = Duration.toMillis(options.firstPause ?? "500 millis")
  const connections = yield* makeConnections({
    open: connection,
    max: options.maxConnections ?? 5,
    idleFor: IDLE,
  })

  const send = Effect.fn("SmtpRelay.send")(function* (envelope: OutboundEnvelope, raw: Uint8Array) {
    const mail = handover()
    let lastWords = "no answer from the relay in time"
    const attempt = Effect.tapError(
      connections.use((connection) => transfer(connection, envelope, raw, mail)),
      ({ error }) =>
        Effect.sync(() => {
          if (error._tag === "RelayUnavailable") lastWords = error.reason
        }),
    )
    const deadline = (yield* Clock.currentTimeMillis) + patience
    const sent = yield* persistently(attempt, { deadline, pause, longest: LONGEST * pause }).pipe(
      Effect.mapError(({ error }) => error),
      Effect.timeoutOption(patience),
      // The deadline ends it in a fiber of its own, and so for a sender that nothing may interrupt, too.
      Effect.interruptible,
      Effect.disconnect,
    )
    if (Option.isSome(sent)) return sent.value
    return yield* mail.callOff() ? uncertain("it took too long") : new RelayUnavailable({ reason: lastWords })
  })
  return { send } satisfies OutboundMail["Type"]
})

/**
 * Keeps connections open between mails, and closes them with its scope. TLS certificates are verified; STARTTLS is
 * used where the relay offers it, and required before a login anywhere but on this machine.
 */
export const layer = (options: SmtpRelayOptions): Layer.Layer<OutboundMail, RelayUrlInvalid> =>
  Layer.scoped(OutboundMail, make(options))
