/** Receives mail over SMTP, as the MX host, and spools it in `MailSpool` (spec: decisions.smtp.250). */
import { MESSAGE_MAX_BYTES } from "@mailroom/domain"
import {
  type IncomingMail,
  Metrics,
  type MailSpool,
  type RecipientRequest,
  type RecipientVerdict,
  storageFailureIn,
} from "@mailroom/engine"
import { type Cause, Context, type Duration, Effect, Exit, Layer, Option } from "effect"
import { groupRequests } from "./groupRequests.js"
import { linesReply, mailAccepted, type Reply, tooManyUnknownRecipients } from "./replies.js"
import type { Answer } from "./sessionHost.js"
import {
  type Certificate,
  type ListenFailed,
  listenSmtp,
  type ServerKind,
  type ServerParts,
  type SmtpServerOptions,
} from "./smtpServer.js"

/** `name`: the host of our MX record. */
export interface SmtpReceiverOptions extends SmtpServerOptions {
  /**
   * how long `MailSpool` may take to answer; then the client gets a 451. The mail may be stored all the same; then the copy that
   * the client sends again is discarded by its Message-ID (`LocalDelivery`). Default 10 seconds
   */
  readonly storeDeadline?: Duration.DurationInput
}

/** Requests of one group: recipients of one lookup, or mails of one commit. */
const GROUP_MAX = 64
/** Bytes of inline mails of one commit; a larger mail is committed alone. */
const GROUP_MAX_BYTES = 4 * 1024 * 1024

const inlineBytes = ({ content }: IncomingMail): number =>
  content.kind === "inline" ? content.bytes.length : 0

/** The reply to EHLO, before and after STARTTLS. */
const helloReplies = (name: string, offersTls: boolean) => {
  const before = ["PIPELINING", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES"]
  const size = `SIZE ${MESSAGE_MAX_BYTES}`
  return {
    insecure: linesReply(250, [name, ...before, ...(offersTls ? ["STARTTLS"] : []), size]),
    secure: linesReply(250, [name, ...before, size]),
  }
}

const kindOf = ({ name, tls, storeDeadline = "10 seconds" }: SmtpReceiverOptions): ServerKind => {
  const hello = helloReplies(name, tls !== undefined)
  return {
    storeDeadline,
    guessedTooOften: tooManyUnknownRecipients,
    isTlsFirst: false,
    refusalLine: "mail refused",
    countRefusal: Metrics.mailRefused,
    host: (parts) => ({
      plainHello: linesReply(250, [name]),
      hello: (_, isSecure) => (isSecure ? hello.secure : hello.insecure),
      signIn: null,
      ...spooling(parts),
    }),
  }
}

/** Judges recipients and accepts mail, both in groups. */
const spooling = ({
  run,
  spool,
  ask,
  note,
  replies,
}: ServerParts): Pick<ReturnType<ServerKind["host"]>, "judge" | "accept"> => {
  const gathering = { max: GROUP_MAX, activity: replies, now: () => performance.now() }
  const judgeInGroup = groupRequests<RecipientRequest, RecipientVerdict>({
    ...gathering,
    work: (requests, onExit) => run(spool.recipients(requests), onExit),
  })
  const acceptInGroup = groupRequests<IncomingMail, Reply>({
    ...gathering,
    weigh: { of: inlineBytes, max: GROUP_MAX_BYTES },
    work: (mails, onExit) =>
      run(
        Effect.as(
          spool.accept(mails),
          mails.map(() => mailAccepted),
        ),
        onExit,
      ),
  })

  /** Discards the blob only when storage was full: after another failure the mail may be stored, and needs its blob. */
  const discardUntaken = ({ content }: IncomingMail, cause: Cause.Cause<never>): void => {
    const isFull = Option.exists(storageFailureIn(cause), ({ reason }) => reason === "full")
    if (isFull && content.kind === "blob") run(spool.discard(content), () => {})
  }

  return {
    judge: (session, request, answer) =>
      ask(session, judgeInGroup, request, (exit) => {
        if (Exit.isFailure(exit)) note("judging a recipient", exit.cause)
        answer(exit)
      }),
    accept: (session, mail, release, answer) =>
      ask(
        session,
        (request: IncomingMail, onExit: Answer<Reply>) =>
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
  }
}

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
  ): Layer.Layer<SmtpReceiver, ListenFailed, MailSpool> =>
    Layer.scoped(SmtpReceiver, listenSmtp(options, kindOf(options)))
}
