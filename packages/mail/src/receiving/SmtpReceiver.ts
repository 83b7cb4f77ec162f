/** The MX side: listens for SMTP and hands every mail to `Reception` (decisions §6). */
import { MESSAGE_MAX_BYTES, MINUTE, SECOND } from "@mailroom/domain"
import {
  type Envelope,
  type IncomingMail,
  type RawContent,
  Reception,
  type RecipientVerdict,
  StorageFailure,
  storageFailureIn,
} from "@mailroom/engine"
import { Cause, Context, Data, Duration, Effect, Exit, Layer, Option, Runtime, Schedule } from "effect"
import { SMTPServer, type SMTPServerSession } from "smtp-server"
import { adaptConnections } from "./connection.js"
import { inGroups } from "./inGroups.js"
import { startInspection } from "./inspection.js"
import { type Run, takeIn } from "./intake.js"
import { failure, refusedRecipient, temporaryFailure, tooManyConnections } from "./replies.js"
import { makeSessions, type Session } from "./sessions.js"

export interface SmtpReceiverOptions {
  readonly host: string
  /** 0 picks a free one, which `SmtpReceiver.port` tells */
  readonly port: number
  /** the name in the greeting: the host of our MX record */
  readonly name: string
  /** PEM; offers STARTTLS */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** sessions in all; the next client gets a 421. Default 1,000 */
  readonly maxClients?: number
  /** sessions of one address. Default 50 */
  readonly maxClientsPerAddress?: number
  /** a client that says nothing. Default 5 minutes (RFC 5321 §4.5.3.2.7) */
  readonly idleTimeout?: Duration.DurationInput
  /** a session as a whole. Default 1 hour */
  readonly sessionDeadline?: Duration.DurationInput
  /** one message. Default 10 minutes */
  readonly dataDeadline?: Duration.DurationInput
  /** bytes a second of one message, counted once it has taken 30 seconds. Default 1,024 */
  readonly minimumRate?: number
  /** an answer of `Reception`; then the client hears 451. Default 10 seconds */
  readonly storeDeadline?: Duration.DurationInput
  /** how long running transactions may go on when the scope closes. Default 10 seconds */
  readonly closeTimeout?: Duration.DurationInput
}

/** The port cannot be listened on. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{
  readonly host: string
  readonly port: number
  /** such as `EADDRINUSE` */
  readonly reason: string
}> {}

/** decisions §6: recipients of one mail (RFC 5321 §4.5.3.1.8 asks for at least 100) */
const RECIPIENTS_MAX_COUNT = 100
const RATE_GRACE = 30 * SECOND
/** How many recipients one look-up judges, and how many mails one commit makes durable. */
const GROUP_MAX = 64

const noAnswerInTime = Exit.die(new StorageFailure({ reason: "unavailable", cause: "no answer in time" }))

const start = Effect.fn("SmtpReceiver.start")(function* (options: SmtpReceiverOptions) {
  const reception = yield* Reception
  const runtime = yield* Effect.runtime()
  const clock = yield* Effect.clock
  const closeTimeout = Duration.toMillis(options.closeTimeout ?? "10 seconds")
  const now = () => clock.unsafeCurrentTimeMillis()

  const fork = Runtime.runCallback(runtime)
  const run: Run = (effect, onExit) => void fork(effect, { onExit })

  const sessions = makeSessions(
    {
      sessionsPerAddress: options.maxClientsPerAddress ?? 50,
      sessionDeadline: Duration.toMillis(options.sessionDeadline ?? "1 hour"),
      dataDeadline: Duration.toMillis(options.dataDeadline ?? "10 minutes"),
      minimumRate: options.minimumRate ?? 1024,
      rateGrace: RATE_GRACE,
      storeDeadline: Duration.toMillis(options.storeDeadline ?? "10 seconds"),
    },
    now,
  )

  /** Asks the store while the client waits; gives up after `storeDeadline`. */
  const ask = <A, B>(
    session: Session,
    question: (request: A, answer: (exit: Exit.Exit<B>) => void) => void,
    request: A,
    onExit: (exit: Exit.Exit<B>) => void,
  ): void => {
    let answered = false
    const answer = (exit: Exit.Exit<B>) => {
      if (answered) return
      answered = true
      session.waiting = null
      onExit(exit)
      sessions.settled(session)
    }
    session.waiting = { since: now(), giveUp: () => answer(noAnswerInTime) }
    question(request, answer)
  }

  let replies = 0
  const gathering = { max: GROUP_MAX, activity: () => replies, now: () => performance.now() }
  const judge = inGroups<string, RecipientVerdict>({
    ...gathering,
    work: (addresses, onExit) => run(reception.recipients(addresses), onExit),
  })
  const keep = inGroups<IncomingMail, true>({
    ...gathering,
    work: (mails, onExit) =>
      run(
        Effect.as(
          reception.accept(mails),
          mails.map(() => true),
        ),
        onExit,
      ),
  })

  const note = (what: string, cause: Cause.Cause<never>): void =>
    run(Effect.logWarning(`SMTP: ${what} failed`, cause), () => {})

  const discard = (content: RawContent): Effect.Effect<void> =>
    content.kind === "blob" ? reception.discard(content) : Effect.void

  const accept = (session: Session, mail: IncomingMail, answer: (error: Error | null) => void): void =>
    ask(session, keep, mail, (exit) => {
      if (Exit.isSuccess(exit)) return answer(null)
      note("accepting a mail", exit.cause)
      // Only a full store surely did not take the mail. After any other failure it may have, and then it needs
      // these bytes.
      if (Option.exists(storageFailureIn(exit.cause), ({ reason }) => reason === "full"))
        run(discard(mail.content), () => {})
      answer(failure(exit.cause))
    })

  const server = new SMTPServer({
    name: options.name,
    size: MESSAGE_MAX_BYTES,
    maxRecipients: RECIPIENTS_MAX_COUNT,
    maxClients: options.maxClients ?? 1000,
    socketTimeout: Duration.toMillis(options.idleTimeout ?? 5 * MINUTE),
    closeTimeout,
    heloResponse: "%s",
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    hideSTARTTLS: options.tls === undefined,
    // WIZ, SHELL and KILL are jokes of smtp-server's.
    disabledCommands: ["AUTH", "WIZ", "SHELL", "KILL", ...(options.tls === undefined ? ["STARTTLS"] : [])],
    logger: false,
    ...options.tls,
    onConnect: ({ id }, callback) => {
      const session = sessions.get(id)
      callback(session !== undefined && sessions.admit(session) ? null : tooManyConnections)
    },
    onClose: ({ id }) => sessions.close(id),
    onRcptTo: ({ address }, { id }, callback) => {
      const session = sessions.get(id)
      if (session === undefined) return callback(temporaryFailure)
      ask(session, judge, address, (exit) => {
        if (Exit.isSuccess(exit)) return callback(refusedRecipient(exit.value))
        note("judging a recipient", exit.cause)
        callback(failure(exit.cause))
      })
    },
    onData: (message, smtpSession, callback) => {
      const session = sessions.get(smtpSession.id)
      if (session === undefined) return callback(temporaryFailure)
      const envelope = envelopeOf(smtpSession, now())
      const inspection = startInspection()
      session.transfer = { startedAt: now(), inspection }
      // Over when its last byte is read and its fate is known, whichever comes last.
      let open = 2
      const closeTransfer = () => {
        open--
        if (open > 0) return
        session.transfer = null
        sessions.settled(session)
      }
      message.once("close", closeTransfer)
      takeIn(message, inspection, reception, run, (intake) => {
        closeTransfer()
        if (intake.kind === "refused") callback(intake.refusal)
        else if (intake.kind === "content" && session.ended) run(discard(intake.content), () => {})
        else if (intake.kind === "content") accept(session, { envelope, content: intake.content }, callback)
      })
    },
  })
  adaptConnections(server, sessions.open, () => replies++)

  const listening = Effect.async<number, ListenFailed>((resume) => {
    const { host, port } = options
    server.once("error", (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(new ListenFailed({ host, port, reason: error.code ?? error.message }))),
    )
    server.listen(port, host, () => {
      const address = server.server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })
  const close = Effect.async<void>((resume) => {
    server.close(() => {
      sessions.giveUp()
      resume(Effect.void)
    })
    sessions.drain()
  })
  const port = yield* Effect.acquireRelease(listening, () => close)
  server.on("error", (error: unknown) => note("the listener", Cause.die(error)))
  yield* Effect.sync(sessions.enforce).pipe(Effect.repeat(Schedule.spaced("1 second")), Effect.forkScoped)
  return { port }
})

const envelopeOf = (session: SMTPServerSession, receivedAt: number): Envelope => ({
  from: session.envelope.mailFrom === false ? "" : session.envelope.mailFrom.address,
  to: session.envelope.rcptTo.map(({ address }) => address),
  remoteAddress: session.remoteAddress,
  helo: session.hostNameAppearsAs,
  tls: session.secure,
  receivedAt,
})

/** A listening SMTP receiver. Closing its scope lets running transactions finish, then closes every connection. */
export class SmtpReceiver extends Context.Tag("@mailroom/SmtpReceiver")<
  SmtpReceiver,
  { readonly port: number }
>() {
  static readonly layer = (
    options: SmtpReceiverOptions,
  ): Layer.Layer<SmtpReceiver, ListenFailed, Reception> => Layer.scoped(SmtpReceiver, start(options))
}
