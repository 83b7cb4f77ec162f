/** The submission server (RFC 6409): mail clients sign in and send mail through `MailSubmission`. */
import { isRefusal, MESSAGE_MAX_BYTES, type SmtpAnswer, SUBMISSION_AWAITED_FOR } from "@mailroom/domain"
import {
  type IncomingMail,
  type MailSpool,
  MailSubmission,
  Metrics,
  type SubmissionTransaction,
  type Submitter,
} from "@mailroom/engine"
import { Context, Effect, type Either, Exit, Layer } from "effect"
import { isIP } from "node:net"
import { linesReply, type Reply, replyOf, tooManySignIns } from "../receiving/replies.js"
import type { Answer, Session, SessionHost } from "../receiving/sessionHost.js"
import {
  type Certificate,
  type ListenFailed,
  listenSmtp,
  type ServerKind,
  type ServerParts,
  type SmtpServerOptions,
} from "../receiving/smtpServer.js"

export interface SubmissionServerOptions extends SmtpServerOptions {
  /** a connection begins with the TLS handshake (RFC 8314 §3.3), which needs `tls`. Default false: STARTTLS */
  readonly isTlsFirst?: boolean
  /** Whether a client at this address may sign in without TLS. Default: at a loopback address */
  readonly isTrustedNetwork?: (address: string) => boolean
}

/** Whether an address is of this machine: 127.0.0.0/8 or ::1. */
export const isLoopback = (address: string): boolean =>
  address === "::1" || (isIP(address) === 4 && address.startsWith("127."))

const EXTENSIONS = ["PIPELINING", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES", `SIZE ${MESSAGE_MAX_BYTES}`]

const helloReply = (name: string, offersTls: boolean, offersSignIn: boolean): Reply =>
  linesReply(250, [
    name,
    ...EXTENSIONS,
    ...(offersTls ? ["STARTTLS"] : []),
    ...(offersSignIn ? ["AUTH PLAIN LOGIN"] : []),
  ])

const replyTo = ({ code, enhanced, text }: SmtpAnswer): Reply => replyOf(code, enhanced, text)

/** What a session has reached. */
interface SessionState {
  readonly submitter: Submitter
  readonly transaction: SubmissionTransaction | null
}

const submitting = (
  submission: typeof MailSubmission.Service,
  { run, ask, note, spool }: ServerParts,
): Pick<SessionHost, "judge" | "accept"> & Pick<NonNullable<SessionHost["signIn"]>, "signIn" | "begin"> => {
  const states = new WeakMap<Session, SessionState>()

  /** Runs a request of a session. A failure of the service is logged, and the reply says that it is temporary. */
  const request = <A>(session: Session, what: string, effect: Effect.Effect<A>, answer: Answer<A>): void =>
    ask(
      session,
      (work: Effect.Effect<A>, onExit: Answer<A>) => run(work, onExit),
      effect,
      (exit) => {
        if (Exit.isFailure(exit)) note(what, exit.cause)
        answer(exit)
      },
    )

  /** The reply to a refusal; or null, after `keep` has taken what was granted. */
  const settled =
    <A>(keep: (granted: A) => void) =>
    (result: Either.Either<A, SmtpAnswer>): Reply | null => {
      if (result._tag === "Left") return replyTo(result.left)
      keep(result.right)
      return null
    }

  return {
    signIn: (session, { user, password }, answer) =>
      request(session, "signing in", submission.signIn(user, password), (exit) =>
        answer(
          Exit.map(
            exit,
            settled((submitter) => states.set(session, { submitter, transaction: null })),
          ),
        ),
      ),
    begin: (session, from, answer) => {
      const state = states.get(session)
      if (state === undefined)
        return answer(Exit.die(new Error("a client that has not signed in sends mail")))
      const { submitter } = state
      request(session, "beginning a mail", submission.begin(submitter, from), (exit) =>
        answer(
          Exit.map(
            exit,
            settled((transaction) => states.set(session, { submitter, transaction })),
          ),
        ),
      )
    },
    judge: (session, { to }, answer) => {
      const transaction = states.get(session)?.transaction ?? null
      if (transaction === null) return answer(Exit.die(new Error("a recipient before MAIL FROM")))
      request(session, "judging a recipient", submission.refusal(transaction, to), (exit) =>
        answer(
          Exit.map(exit, (refusal) =>
            refusal === null ? { kind: "accepted" } : { kind: "refused", reply: replyTo(refusal) },
          ),
        ),
      )
    },
    accept: (session, { envelope, content }: IncomingMail, release, answer) => {
      const transaction = states.get(session)?.transaction ?? null
      if (transaction === null) {
        release()
        run(spool.discard(content), () => {})
        return answer(Exit.die(new Error("a mail before MAIL FROM")))
      }
      const sent = Effect.ensuring(
        Effect.tap(submission.submit(transaction, { to: envelope.to, content }), (reply) =>
          isRefusal(reply) ? Effect.void : Metrics.submission(`${reply.code} ${reply.enhanced}`),
        ),
        Effect.sync(release),
      )
      request(session, "a submitted mail", sent, (exit) => answer(Exit.map(exit, replyTo)))
    },
  }
}

const kindOf = (options: SubmissionServerOptions, submission: typeof MailSubmission.Service): ServerKind => {
  const { name, tls, isTlsFirst = false, isTrustedNetwork = isLoopback } = options
  const isAllowed = ({ remoteAddress }: Session, isSecure: boolean): boolean =>
    isSecure || isTrustedNetwork(remoteAddress)
  return {
    storeDeadline: SUBMISSION_AWAITED_FOR,
    guessedTooOften: tooManySignIns,
    isTlsFirst,
    refusalLine: "submission refused",
    countRefusal: Metrics.submission,
    host: (parts) => {
      const { signIn, begin, ...transactions } = submitting(submission, parts)
      return {
        plainHello: linesReply(250, [name]),
        hello: (session, isSecure) =>
          helloReply(name, tls !== undefined && !isSecure, isAllowed(session, isSecure)),
        signIn: { isAllowed, signIn, begin },
        ...transactions,
      }
    },
  }
}

/**
 * A listening submission server. Clients sign in with the address of a mailbox and an API key, after TLS unless they are on
 * this machine. Closing its scope lets mails that are being sent end, then closes every connection.
 */
export class SubmissionServer extends Context.Tag("@mailroom/SubmissionServer")<
  SubmissionServer,
  {
    readonly port: number
    /** Sets the certificate for later handshakes, if the server offers TLS. Dies when the key does not fit it. */
    readonly useCertificate: (certificate: Certificate) => Effect.Effect<void>
  }
>() {
  static readonly layer = (
    options: SubmissionServerOptions,
  ): Layer.Layer<SubmissionServer, ListenFailed, MailSpool | MailSubmission> =>
    Layer.scoped(
      SubmissionServer,
      Effect.flatMap(MailSubmission, (submission) => listenSmtp(options, kindOf(options, submission))),
    )
}
