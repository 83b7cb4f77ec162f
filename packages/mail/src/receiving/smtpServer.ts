/** A listening SMTP server: its sessions with their limits, its TLS, and how it closes. `SmtpReceiver` and `SubmissionServer` are made of it. */
import {
  SECOND,
  SMTP_IDLE_TIMEOUT,
  SMTP_SESSIONS_MAX,
  SMTP_SESSIONS_PER_HOST,
  SMTP_SESSIONS_PER_SITE,
} from "@mailroom/domain"
import { explain, logLine, makeOutageLog, MailSpool, StorageFailure, withoutServices } from "@mailroom/engine"
import { Cause, Data, Duration, Effect, Exit, Runtime, Schedule } from "effect"
import { createServer, type Server, type Socket } from "node:net"
import { createSecureContext } from "node:tls"
import { makeContentWriter, makeReceivingMemory, type Run } from "./contentWriter.js"
import { makeLargeReads } from "./largeReads.js"
import { codesOf, greeting, type Reply } from "./replies.js"
import { openSession } from "./session.js"
import type { Answer, MailRefusal, Session, SessionHost } from "./sessionHost.js"
import { makeSessions } from "./sessions.js"
import { makeGuesses } from "./guesses.js"

/** A certificate chain and its key, in PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** The text is no certificate chain with its own key, in PEM. */
export class CertificateUnusable extends Data.TaggedError("CertificateUnusable")<{
  /** one line, without the text */
  readonly reason: string
}> {}

/** Checks a certificate and its key, which fit each other. Node takes an empty text for no certificate or no key. */
export const checkCertificate = (certificate: Certificate): Effect.Effect<void, CertificateUnusable> => {
  const { cert, key } = certificate
  const empty = cert.trim() === "" ? "the certificate" : key.trim() === "" ? "the key" : null
  if (empty !== null) return new CertificateUnusable({ reason: `${empty} is empty` })
  return Effect.try({
    try: () => void createSecureContext(certificate),
    catch: (error) =>
      new CertificateUnusable({ reason: error instanceof Error ? error.message : String(error) }),
  })
}

export interface SmtpServerOptions {
  readonly host: string
  /** 0: any free port */
  readonly port: number
  /** the name in the greeting */
  readonly name: string
  /** offers STARTTLS */
  readonly tls?: Certificate
  /** sessions in all; further clients get a 421. Default 1,000 */
  readonly maxClients?: number
  /** sessions of one IPv4 address or IPv6 /64. Default 50 */
  readonly maxClientsPerAddress?: number
  /** sessions of one IPv4 /24 or IPv6 /56. Default 150 */
  readonly maxClientsPerSite?: number
  /** silence of a client. Default 5 minutes (RFC 5321 §4.5.3.2.7) */
  readonly idleTimeout?: Duration.DurationInput
  /** duration of a session. Default 1 hour */
  readonly sessionDeadline?: Duration.DurationInput
  /** duration of one message. Default 10 minutes */
  readonly dataDeadline?: Duration.DurationInput
  /** bytes per second of one message, checked once it has taken 30 seconds. Default 1,024 */
  readonly minimumRate?: number
  /** how long arriving messages and storage requests may take when the scope closes. Default 10 seconds */
  readonly closeTimeout?: Duration.DurationInput
}

/** The server cannot listen on the port. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{
  readonly host: string
  readonly port: number
  /** such as `EADDRINUSE` */
  readonly reason: string
}> {}

const RATE_GRACE = 30 * SECOND

const noAnswerInTime = Exit.die(new StorageFailure({ reason: "unavailable", cause: "no answer in time" }))

/** Sends a reply in place of the greeting, and closes the connection. */
const turnAway = (socket: Socket, reply: Reply): void => {
  socket.on("error", () => {})
  socket.end(reply.text, () => socket.destroy())
}

const listen = (server: Server, host: string, port: number) =>
  Effect.async<number, ListenFailed>((resume) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(new ListenFailed({ host, port, reason: error.code ?? error.message }))),
    )
    server.listen(port, host, () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

/** What a server gives the host of its sessions. */
export interface ServerParts {
  readonly run: Run
  readonly spool: typeof MailSpool.Service
  /** Makes a storage request of a session, which answers once: after `storeDeadline`, or when the server closes, with a failure. */
  readonly ask: <A, B>(
    session: Session,
    question: (request: A, answer: Answer<B>) => void,
    request: A,
    onExit: Answer<B>,
  ) => void
  /** Logs a failed request, once for each outage. */
  readonly note: (what: string, cause: Cause.Cause<never>) => void
  /** the replies sent so far */
  readonly replies: () => number
}

/** What distinguishes one kind of SMTP server from another. */
export interface ServerKind {
  /** how long a storage request may take; then the client gets a 451 */
  readonly storeDeadline: Duration.DurationInput
  /** the reply to clients that guessed too often, in place of the greeting */
  readonly guessedTooOften: Reply
  /** whether a connection begins with the TLS handshake */
  readonly isTlsFirst: boolean
  /** the log line of a refusal */
  readonly refusalLine: string
  readonly countRefusal: (codes: string) => Effect.Effect<void>
  readonly host: (
    parts: ServerParts,
  ) => Pick<SessionHost, "plainHello" | "hello" | "signIn" | "judge" | "accept">
}

const refusalFields = ({ remoteAddress }: Session, { reply, from, to, helo }: MailRefusal) => ({
  reply: reply.text.trim(),
  from,
  to,
  client: remoteAddress,
  helo,
})

/** Listens in the current scope. Closing it lets arriving messages and storage requests end, then closes every connection. */
export const listenSmtp = Effect.fn("listenSmtp")(function* (options: SmtpServerOptions, kind: ServerKind) {
  const spool = yield* MailSpool
  const runtime = yield* withoutServices(Effect.runtime())
  const clock = yield* Effect.clock
  const closeTimeout = Duration.toMillis(options.closeTimeout ?? "10 seconds")
  const now = () => clock.unsafeCurrentTimeMillis()

  const fork = Runtime.runCallback(runtime)
  const run: Run = (effect, onExit) => void fork(effect, { onExit })

  const memory = makeReceivingMemory()
  const guesses = makeGuesses(now)
  const sessions = makeSessions(
    {
      sessions: options.maxClients ?? SMTP_SESSIONS_MAX,
      sessionsPerHost: options.maxClientsPerAddress ?? SMTP_SESSIONS_PER_HOST,
      sessionsPerSite: options.maxClientsPerSite ?? SMTP_SESSIONS_PER_SITE,
      idleTimeout: Duration.toMillis(options.idleTimeout ?? SMTP_IDLE_TIMEOUT),
      sessionDeadline: Duration.toMillis(options.sessionDeadline ?? "1 hour"),
      dataDeadline: Duration.toMillis(options.dataDeadline ?? "10 minutes"),
      minimumRate: options.minimumRate ?? 1024,
      rateGrace: RATE_GRACE,
      storeDeadline: Duration.toMillis(kind.storeDeadline),
    },
    now,
  )

  const ask: ServerParts["ask"] = (session, question, request, onExit) => {
    let answered = false
    const answer = (exit: Parameters<typeof onExit>[0]) => {
      if (answered) return
      answered = true
      session.storageRequest = null
      onExit(exit)
      sessions.settled(session)
    }
    session.storageRequest = { since: now(), giveUp: () => answer(noAnswerInTime) }
    question(request, answer)
  }

  let replies = 0
  const logFailure = makeOutageLog(Effect.logWarning)
  const note = (what: string, cause: Cause.Cause<never>): void =>
    run(logFailure(`SMTP: ${what} failed`, cause), () => {})

  let tls = options.tls === undefined ? null : createSecureContext(options.tls)
  const useCertificate = (certificate: Certificate) =>
    Effect.sync(() => {
      if (tls !== null) tls = createSecureContext(certificate)
    })

  /** Logs an error reply, at the level `debug`. */
  const logErrorReply = (client: string, { text }: Reply): void =>
    run(
      explain("SMTP error reply", () => ({ client, reply: text.trim() })),
      () => {},
    )

  const host: SessionHost = {
    ...kind.host({ run, spool, ask, note, replies: () => replies }),
    greeting: greeting(options.name),
    tls: () => tls,
    isTlsFirst: kind.isTlsFirst,
    memory,
    largeReads: makeLargeReads(),
    now,
    openWriter: (events) => makeContentWriter({ spool, run, memory, ...events }),
    countGuess: ({ remoteAddress }) => guesses.count(remoteAddress),
    countAccepted: ({ remoteAddress }) => guesses.credit(remoteAddress),
    onRefused: (session, refusal) =>
      run(
        Effect.zipRight(
          kind.countRefusal(codesOf(refusal.reply)),
          logLine(kind.refusalLine, refusalFields(session, refusal)),
        ),
        () => {},
      ),
    onErrorReply: ({ remoteAddress }, reply) => logErrorReply(remoteAddress, reply),
    mayDelay: sessions.mayDelay,
    onReply: () => replies++,
    onSettled: sessions.settled,
    onClose: sessions.close,
  }

  const server = createServer({ noDelay: true }, (socket) => {
    const address = socket.remoteAddress
    // Reset before it was accepted. Its bytes can still be read, and mail without an address would count as the service's own.
    if (address === undefined) {
      socket.destroy()
      return
    }
    const refusal = guesses.isRefused(address) ? kind.guessedTooOften : sessions.refusal(address)
    if (refusal === null) sessions.open(openSession(socket, host))
    else {
      logErrorReply(address, refusal)
      turnAway(socket, refusal)
    }
  })

  /** Lets arriving messages and storage requests end, then closes every connection. Uses the real clock, also under `TestClock`. */
  const close = Effect.async<void>((resume) => {
    const enforcing = setInterval(sessions.enforce, SECOND)
    const destroying = setTimeout(sessions.destroy, closeTimeout)
    server.close(() => {
      clearInterval(enforcing)
      clearTimeout(destroying)
      resume(Effect.void)
    })
    sessions.drain()
  })

  const port = yield* Effect.acquireRelease(listen(server, options.host, options.port), () => close)
  server.on("error", (error: unknown) => note("the listener", Cause.die(error)))
  yield* Effect.sync(sessions.enforce).pipe(Effect.repeat(Schedule.spaced("1 second")), Effect.forkScoped)
  return { port, useCertificate }
})
