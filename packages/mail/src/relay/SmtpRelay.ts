/** `OutboundMail` through an SMTP relay. */
import { RelayUnavailable } from "@mailroom/domain"
import { type OutboundEnvelope, OutboundMail } from "@mailroom/engine"
import { Clock, Duration, Effect, Layer, Option, Random, Redacted } from "effect"
import { isIP } from "node:net"
import { makePool } from "./connectionPool.js"
import { openConnection, parseRelayUrl, type RelayUrlInvalid } from "./relayConnection.js"
import { type AttemptFailed, uncertain } from "./relayErrors.js"
import { makeTransaction, transfer } from "./transaction.js"

export interface SmtpRelayOptions {
  /** `smtp://…` or `smtps://user:password@host:port`; user and password percent-encoded */
  readonly url: string | Redacted.Redacted
  /** the name in EHLO. Default: the host name of the machine */
  readonly name?: string
  /** connections at the same time. Default 5 */
  readonly maxConnections?: number
  /** for one mail until its data flows, with the wait for a connection and all attempts. Default 30 seconds */
  readonly deadline?: Duration.DurationInput
  /** pause before the second attempt; each further pause is twice as long, up to `LONGEST`. Default 0.5 seconds */
  readonly firstPause?: Duration.DurationInput
  /** to connect, with the TLS handshake for `smtps:`. Default 4 seconds */
  readonly connectTimeout?: Duration.DurationInput
  /** from the connection to the greeting. Default 10 seconds */
  readonly greetingTimeout?: Duration.DurationInput
  /** silence of the relay before the data of a mail. Default 20 seconds */
  readonly socketTimeout?: Duration.DurationInput
  /** silence of the relay while it reads the data of a mail. Default 3 minutes (RFC 5321 §4.5.3.2.5) */
  readonly dataTimeout?: Duration.DurationInput
  /** certificate authorities in PEM, in place of Node's */
  readonly authorities?: string
}

/** Milliseconds until an idle connection is closed, before most relays close it. */
const IDLE = 10_000

/** Longest pause, times the first: after an outage, mail waits at most 2.5 s with the default pause and jitter. */
const LONGEST = 4

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))

/** ±25 %, so that mails that failed together do not retry together. */
const jittered = (pause: number) => Random.nextRange(0.75 * pause, 1.25 * pause)

/** Retries after a growing pause that ends before `deadline`. All in milliseconds, by Effect's clock. */
const retryUntil = <A>(
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
      return yield* retryUntil(attempt, { deadline, pause: Math.min(2 * pause, longest), longest })
    }),
  )

/** The effect that opens a connection to the relay. */
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
          data: Duration.toMillis(options.dataTimeout ?? "3 minutes"),
        },
        // Never send a password unencrypted over a network.
        requireTls: address.login !== null && !isLoopback(address.host),
      }),
  )

/** Opens a connection, logs in and closes it again. */
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
  const limit = Duration.toMillis(options.deadline ?? "30 seconds")
  const pause = Duration.toMillis(options.firstPause ?? "500 millis")
  const pool = yield* makePool({
    open: connection,
    max: options.maxConnections ?? 5,
    idleFor: IDLE,
  })

  const send = Effect.fn("SmtpRelay.send")(function* (
    envelope: OutboundEnvelope,
    raw: Uint8Array,
    within: number,
  ) {
    const transaction = makeTransaction()
    let last = new RelayUnavailable({ reason: "no answer from the relay in time" })
    const attempt = Effect.tapError(
      pool.use((connection) => transfer(connection, envelope, raw, transaction)),
      ({ error }) =>
        Effect.sync(() => {
          if (error._tag === "RelayUnavailable") last = error
        }),
    )
    const untilData = Math.min(limit, within)
    const deadline = (yield* Clock.currentTimeMillis) + untilData
    const overdue = Effect.zipRight(
      Effect.sleep(untilData),
      Effect.suspend(() => (transaction.isUnderWay() ? Effect.sleep(within - untilData) : Effect.void)),
    )
    const sent = yield* retryUntil(attempt, { deadline, pause, longest: LONGEST * pause }).pipe(
      Effect.mapBoth({ onFailure: ({ error }) => error, onSuccess: Option.some }),
      Effect.raceFirst(Effect.as(overdue, Option.none<{ readonly answer: string }>())),
      // In a fiber of its own, so that the deadline holds in an uninterruptible region, too.
      Effect.interruptible,
      Effect.disconnect,
    )
    if (Option.isSome(sent)) return sent.value
    return yield* transaction.cancel() ? uncertain("it took too long") : last
  })
  return { send } satisfies OutboundMail["Type"]
})

/**
 * Keeps connections open between mails; its scope closes them. Verifies TLS certificates. Uses STARTTLS where the relay
 * offers it (RFC 3207), and requires TLS before a login, except to a loopback address.
 */
export const layer = (options: SmtpRelayOptions): Layer.Layer<OutboundMail, RelayUrlInvalid> =>
  Layer.scoped(OutboundMail, make(options))
