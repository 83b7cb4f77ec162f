/**
 * The SMTP reply to a submission (docs/specification/submission.md): a code, an enhanced code (RFC 3463) and a sentence that
 * says what to do. Every error of a send has its reply in `answerTo`.
 */
import type { DraftId, MessageId } from "../ids.js"
import type { MailroomError } from "../errors.js"

export interface SmtpAnswer {
  /** 200 to 599 */
  readonly code: number
  /** enhanced code, such as `5.7.1` */
  readonly enhanced: string
  /** one line without the codes */
  readonly text: string
}

const smtpAnswer = (code: number, enhanced: string, text: string): SmtpAnswer => ({ code, enhanced, text })

export const isRefusal = ({ code }: SmtpAnswer): boolean => code >= 400

export const sentAs = (id: MessageId): SmtpAnswer => smtpAnswer(250, "2.0.0", `sent as ${id}`)

export const queuedForReview = (id: DraftId): SmtpAnswer =>
  smtpAnswer(250, "2.0.0", `queued for review as ${id}`)

/** A failure of the service: the client keeps the mail and tries again. */
export const failedForNow = smtpAnswer(451, "4.3.0", "Temporary failure. Nothing was sent; try again later")

/** MAIL FROM names another sender than the mailbox that signed in (RFC 6409 §6.1). */
export const foreignSender = (mailbox: string): SmtpAnswer =>
  smtpAnswer(550, "5.7.1", `MAIL FROM must be ${mailbox}, the mailbox that signed in, or empty`)

export const badRecipientAddress = smtpAnswer(
  501,
  "5.1.3",
  "This is no mail address that can be written to, such as ada@corp.org",
)

const policy = (text: string): SmtpAnswer => smtpAnswer(550, "5.7.1", text)
const limited = (text: string, retryAfter: number): SmtpAnswer =>
  smtpAnswer(452, "4.7.1", `${text}. Try again in ${retryAfter} s`)

/** Errors that no send has, so that none of them is the reply to a submission. A new error belongs here or to `answerTo`. */
type NeverOfASend =
  | "AlreadyPaid"
  | "AlreadyTaken"
  | "ApiKeyLimitReached"
  | "AttachmentInDraft"
  | "AttachmentInUse"
  | "BillingDisabled"
  | "CheckoutClosed"
  | "ClaimLost"
  | "CustomDomainLimitReached"
  | "DnsUnavailable"
  | "DomainInUse"
  | "EventExpired"
  | "ForeignOrigin"
  | "InvalidSignature"
  | "InvalidToken"
  | "InvitationRequired"
  | "LastFullKey"
  | "ListLimitReached"
  | "MailboxLimitReached"
  | "MailboxSuspended"
  | "MessageClaimed"
  | "NoInvitation"
  | "NoSubscription"
  | "NoText"
  | "NobodyToAnswer"
  | "NotARequest"
  | "NotInvited"
  | "NotPendingReview"
  | "PaymentDeclined"
  | "PaymentsUnavailable"
  | "ProviderUnavailable"
  | "RateLimited"
  | "ReportTooEarly"
  | "RequestTooSlow"
  | "ScopeForbidden"
  | "SessionRequired"
  | "SignupClosed"
  | "SlugReserved"
  | "TextUnreadable"
  | "TooManyBodies"
  | "TooManyStreams"
  | "TooManyUnread"
  | "TooManyWaits"
  | "WebhookLimitReached"
  | "WebhookNotActive"

const unexpected = (_tag: NeverOfASend): SmtpAnswer => failedForNow

const mayHaveBeenSent = (id: MessageId | undefined): string =>
  `The mail may have been sent${id === undefined ? "" : ` as ${id}`}`

/**
 * The reply to a refused or failed submission. 5xx: sending the same again does not help. 4xx: it may help later.
 * `isKnownAgain`: whether the mail has a Message-ID, so that a repetition learns what became of it and is never a second
 * send.
 */
export const answerTo = (error: MailroomError, isKnownAgain: boolean): SmtpAnswer => {
  switch (error._tag) {
    case "Unauthenticated":
      return smtpAnswer(535, "5.7.8", "The mailbox address or the API key is wrong, or the key was revoked")
    case "PermissionDenied":
      return policy(`This API key lacks the permission for this: ${error.required.join(", ")}`)
    case "AccountSuspended":
      return policy("The account is suspended. Ask the operator of the service")
    case "PaymentRequired":
      return policy(`Payment required: ${error.reason}`)
    case "TrialRecipientLocked":
      return policy(`During the trial mail can only be sent to ${error.allowed}`)
    case "EmailNotVerified":
      return policy("The account's owner has to verify the email address first")
    case "SendingPaused":
      return policy("The owner has paused all sends of the account")
    case "SendingIsStopped":
      return policy(`${error.address} may not send: too many bounces or complaints. Its owner resumes it`)
    case "DomainNotVerified":
      return policy(`The domain ${error.domain} is not verified. Check its DNS records`)
    case "MailboxNotActive":
      return smtpAnswer(
        550,
        "5.2.1",
        `Mailbox ${error.address} is ${error.status}; only ACTIVE mailboxes send`,
      )
    case "NotFound":
      return smtpAnswer(550, "5.2.1", `There is no such ${error.resource} any more`)
    case "RecipientNotAllowed":
      return smtpAnswer(550, "5.1.2", `${error.address} cannot be written to: ${error.reason}`)
    case "RecipientBlocked":
      return policy(`${error.address} is on a block list of the account or the mailbox`)
    case "RecipientSuppressed":
      return smtpAnswer(
        550,
        "5.1.1",
        `${error.address} is on the suppression list. Remove it from the list to send`,
      )
    case "InvalidInput":
      return smtpAnswer(
        554,
        "5.6.0",
        error.issues.map(({ path, message }) => `${path} ${message}`).join("; "),
      )
    case "AttachmentUnknown":
      return smtpAnswer(554, "5.6.0", `There is no attachment ${error.id}`)
    case "OverInboundLimit":
      return policy("The answered message arrived above the inbound limit. It unlocks by upgrade")
    case "ThreadTakenOver":
      return policy("A person has taken this conversation over and answers it until its release")
    case "DigestMismatch":
      return smtpAnswer(451, "4.3.0", "The draft has changed meanwhile. Try again")
    case "SizeExceeded":
      return smtpAnswer(552, "5.3.4", `Too large: ${error.what} may have ${error.limitBytes} bytes`)
    case "StorageFull":
      return smtpAnswer(
        552,
        "5.2.2",
        `The account's storage of ${error.limitBytes} bytes is full. Delete some files`,
      )
    case "DraftLimitReached":
      return smtpAnswer(
        552,
        "5.2.2",
        `The account has its ${error.limit} drafts. Decide or delete some first`,
      )
    case "SendVelocityExceeded":
      return limited(`The mailbox sends ${error.limit} mails a minute`, error.retryAfter)
    case "Overloaded":
      return smtpAnswer(451, "4.3.0", `Too much to do right now. Try again in ${error.retryAfter} s`)
    case "DailySendLimitReached":
      return limited(`The ${error.of} sends ${error.limit} mails a day`, error.retryAfter)
    case "MailLoopCut":
      return limited(
        `Two machines answer each other: at most ${error.limit} automatic mails an hour`,
        error.retryAfter,
      )
    case "MonthlySendLimitReached":
      // Permanent, because no client keeps a mail until the next month.
      return policy(`The mailbox sends ${error.limit} mails a month. A larger plan sends more`)
    case "RelayRefused":
      return error.command === undefined
        ? smtpAnswer(550, "5.1.1", `Refused for ${error.recipients.join(", ")}: ${error.answer}`)
        : smtpAnswer(554, "5.0.0", `Refused: ${error.answer}`)
    case "RelayUnavailable":
      return smtpAnswer(
        451,
        "4.4.1",
        "The mail cannot leave for now. Nothing was sent or counted; try again later",
      )
    case "RelayUncertain":
      return isKnownAgain
        ? smtpAnswer(
            451,
            "4.4.2",
            `${mayHaveBeenSent(error.messageId)}. Send it again to learn what became of it`,
          )
        : smtpAnswer(
            554,
            "5.4.2",
            `${mayHaveBeenSent(error.messageId)}. Look at this message before sending again`,
          )
    case "SendOutcomeUnknown":
      return smtpAnswer(
        554,
        "5.4.2",
        `${mayHaveBeenSent(error.messageId)}. It is not sent again under this Message-ID`,
      )
    case "IdempotencyKeyInUse":
      return smtpAnswer(451, "4.3.0", `This mail is being sent. Ask again in ${error.retryAfter} s`)
    case "IdempotencyKeyReused":
      return smtpAnswer(
        554,
        "5.6.0",
        "Another mail was sent with this Message-ID. A new mail needs a new one",
      )
    case "IdempotencyResultLost":
      return smtpAnswer(554, "5.3.0", "This mail was dealt with before, and its message is gone")
    default:
      return unexpected(error._tag)
  }
}
