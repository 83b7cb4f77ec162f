/** Receives mail over SMTP, as the MX host, and spools it in `MailSpool` (spec: decisions.smtp.250). */
import {
  MESSAGE_MAX_BYTES,
  SECOND,
  SMTP_IDLE_TIMEOUT,
  SMTP_SESSIONS_MAX,
  SMTP_SESSIONS_PER_HOST,
  SMTP_SESSIONS_PER_SITE,
} from "@mailroom/domain"
import {
  explain,
  type IncomingMail,
  logLine,
  makeOutageLog,
  Metrics,
  MailSpool,
  type RecipientRequest,
  type RecipientVerdict,
  StorageFailure,
  storageFailureIn,
} from "@mailroom/engine"
import { Cause, Context, Data, Duration, Effect, Exit, Layer, Option, Runtime, Schedule } from "effect"
import { createServer, type Server, type Socket } from "node:net"
import { createSecureContext } from "node:tls"
import { groupRequests } from "./groupRequests.js"
import { makeContentWriter, makeReceivingMemory, type Run } from "./contentWriter.js"
import { codesOf, greeting, linesReply, type Reply, tooManyUnknownRecipients } from "./replies.js"
import { openSession } from "./session.js"
import type { Answer, Session, SessionHost } from "./sessionHost.js"
import { makeSessions } from "./sessions.js"
import { makeUnknownRecipients } from "./unknownRecipients.js"

/** A certificate chain and its key, in PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface SmtpReceiverOptions {
  readonly host: string
  /** 0: any free port, see `SmtpReceiver.port` */
  readonly port: number
  /** the name in the greeting: the host of our MX record */
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
  /**
   * for an answer of `MailSpool`; after it, the client gets a 451. The mail may be stored all the same; then the copy that
   * the client sends again is discarded by its Message-ID (`LocalDelivery`). Default 10 seconds
   */
  readonly storeDeadline?: Duration.DurationInput
  /** for arriving messages and storage requests to end when the scope closes. Default 10 seconds */
  readonly closeTimeout?: Duration.DurationInput
}

/** The receiver cannot listen on the port. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{
  readonly host: string
  readonly port: number
  /** such as `EADDRINUSE` */
  readonly reason: string
}> {}

const RATE_GRACE = 30 * SECOND
/** Requests of one group: recipients of one lookup, or mails of one commit. */
const GROUP_MAX = 64
/** Bytes of inline mails of one commit; a larger mail is committed alone. */
const GROUP_MAX_BYTES = 4 * 1024 * 1024

const noAnswerInTime = Exit.die(new StorageFailure({ reason: "unavailable", cause: "no answer in time" }))

const inlineBytes = ({ content }: IncomingMail): number =>
  content.kind === "inline" ? content.bytes.length : 0

const helloReplies = (name: string, offersTls: boolean): SessionHost["hello"] => {
  const before = ["PIPELINING", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES"]
  const size = `SIZE ${MESSAGE_MAX_BYTES}`
  return {
    plain: linesReply(250, [name]),
    extended: linesReply(250, [name, ...before, ...(offersTls ? ["STARTTLS"] : []), size]),
    secure: linesReply(250, [name, ...before, size]),
  }
}

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

const start = Effect.fn("SmtpReceiver.start")(function* (options: SmtpReceiverOptions) {
  const spool = yield* MailSpool
  const runtime = yield* Effect.runtime()
  const clock = yield* Effect.clock
  const closeTimeout = Duration.toMillis(options.closeTimeout ?? "10 seconds")
  const now = () => clock.unsafeCurrentTimeMillis()

  const fork = Runtime.runCallback(runtime)
  const run: Run = (effect, onExit) => void fork(effect, { onExit })

  const memory = makeReceivingMemory()
  const unknownRecipients = makeUnknownRecipients(now)
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
      storeDeadline: Duration.toMillis(options.storeDeadline ?? "10 seconds"),
    },
    now,
  )

  /** Makes a storage request of a session, which answers once: after `storeDeadline`, or when the receiver closes, with a failure. */
  const ask = <A, B>(
    session: Session,
    question: (request: A, answer: Answer<B>) => void,
    request: A,
    onExit: Answer<B>,
  ): void => {
    let answered = false
    const answer = (exit: Exit.Exit<B>) => {
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
  const gathering = { max: GROUP_MAX, activity: () => replies, now: () => performance.now() }
  const judgeInGroup = groupRequests<RecipientRequest, RecipientVerdict>({
    ...gathering,
    work: (requests, onExit) => run(spool.recipients(requests), onExit),
  })
  const acceptInGroup = groupRequests<IncomingMail, true>({
    ...gathering,
    weigh: { of: inlineBytes, max: GROUP_MAX_BYTES },
    work: (mails, onExit) =>
      run(
        Effect.as(
          spool.accept(mails),
          mails.map(() => true),
        ),
        onExit,
      ),
  })

  const logFailure = makeOutageLog(Effect.logWarning)
  const note = (what: string, cause: Cause.Cause<never>): void =>
    run(logFailure(`SMTP: ${what} failed`, cause), () => {})

  /** Discards the blob only when storage was full: after another failure the mail may be stored, and needs its blob. */
  const discardUntaken = ({ content }: IncomingMail, cause: Cause.Cause<never>): void => {
    const isFull = Option.exists(storageFailureIn(cause), ({ reason }) => reason === "full")
    if (isFull && content.kind === "blob") run(spool.discard(content), () => {})
  }

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
    greeting: greeting(options.name),
    hello: helloReplies(options.name, options.tls !== undefined),
    tls: () => tls,
    memory,
    now,
    openWriter: (events) => makeContentWriter({ spool, run, memory, ...events }),
    judge: (session, request, answer) =>
      ask(session, judgeInGroup, request, (exit) => {
        if (Exit.isFailure(exit)) note("judging a recipient", exit.cause)
        answer(exit)
      }),
    accept: (session, mail, release, answer) =>
      ask(
        session,
        (request: IncomingMail, onExit: Answer<true>) =>
          acceptInGroup(request, (exit) => {
            release()
            onExit(exit)
          }),
        mail,
        (exit) => {
          if (Exit.isFailure(exit)) {
            note("accepting a mail", exit.cause)
            discardUntaken(mail, exit.cause)
          }
          answer(exit)
        },
      ),
    countUnknown: ({ remoteAddress }) => unknownRecipients.count(remoteAddress),
    countAccepted: ({ remoteAddress }) => unknownRecipients.credit(remoteAddress),
    onRefused: ({ remoteAddress }, { reply, from, to, helo }) =>
      run(
        Effect.zipRight(
          Metrics.mailRefused(codesOf(reply)),
          logLine("mail refused", { reply: reply.text.trim(), from, to, client: remoteAddress, helo }),
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
    const address = socket.remoteAddress ?? ""
    const refusal = unknownRecipients.isRefused(address)
      ? tooManyUnknownRecipients
      : sessions.refusal(address)
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

/** A listening SMTP receiver. Closing its scope lets arriving messages and storage requests end, then closes every connection. */
export class SmtpReceiver extends Context.Tag("@mailroom/SmtpReceiver")<
  SmtpReceiver,
  {
    readonly port: number
    /** Sets the certificate for later handshakes, if the receiver offers STARTTLS. Dies when the key does not fit it. */
    readonly useCertificate: (certificate: Certificate) => Effect.Effect<void>
  }
>() {
  static readonly layer = (
    options: SmtpReceiverOptions,
  ): Layer.Layer<SmtpReceiver, ListenFailed, MailSpool> => Layer.scoped(SmtpReceiver, start(options))
}
