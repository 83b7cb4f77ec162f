/** The error of a draft whose send was refused when it was due. Its code is that of the refused send over HTTP. */
import type { MailroomError, ResourceKind } from "../errors.js"
import { relayRefusalText } from "../sending/relayed.js"
import type { DraftError } from "./Draft.js"

/** `RECIPIENT_SUPPRESSED` for `RecipientSuppressed`. */
const spelled = (tag: string): string => tag.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase()

const notFound = (resource: ResourceKind): string => `${resource.toUpperCase()}_NOT_FOUND`

/** The code of a refused send over HTTP. Errors whose code is not their name stand here. */
export const refusalCode = (refusal: MailroomError): string => {
  switch (refusal._tag) {
    case "InvalidInput":
      return "VALIDATION_FAILED"
    case "NotFound":
      return notFound(refusal.resource)
    case "AttachmentUnknown":
      return notFound("attachment")
    case "OverInboundLimit":
      return refusal.gate
    case "SendingIsStopped":
      return "SENDING_STOPPED"
    case "RelayUncertain":
      return "SEND_UNCERTAIN"
    default:
      return spelled(refusal._tag)
  }
}

const messageOf = (refusal: MailroomError): string => {
  switch (refusal._tag) {
    case "RecipientSuppressed":
      return `${refusal.address} is on the suppression list`
    case "RecipientBlocked":
      return `${refusal.address} is on a block list of the account or the mailbox`
    case "AccountSuspended":
      return "The account is suspended"
    case "EmailNotVerified":
      return "The owner has not verified the email of the account"
    case "SendingIsStopped":
      return `${refusal.address} may not send: too many of its last mails bounced or were reported as spam`
    case "NotFound":
      return `The ${refusal.resource} does not exist any more`
    case "AttachmentUnknown":
      return `The attachment ${refusal.id} does not exist any more`
    case "StorageFull":
      return `The storage of the account, ${refusal.limitBytes} bytes, is full`
    case "DailySendLimitReached":
      return `The ${refusal.of} had used its ${refusal.limit} sends of the day`
    case "MonthlySendLimitReached":
      return `The mailbox had used its ${refusal.limit} sends of the month`
    case "MailLoopCut":
      return `Two machines answer each other: at most ${refusal.limit} automatic mails an hour`
    case "RecipientNotAllowed":
      return `${refusal.address} cannot be written to: ${refusal.reason}`
    case "PaymentRequired":
      return `Payment required: ${refusal.reason}`
    case "TrialRecipientLocked":
      return `During the trial mail can only be sent to ${refusal.allowed}`
    case "MailboxNotActive":
      return `Mailbox ${refusal.address} is ${refusal.status}`
    case "DomainNotVerified":
      return `The domain ${refusal.domain} is not verified`
    case "RelayRefused":
      return relayRefusalText(refusal)
    case "RelayUnavailable":
      return `The mail could not be sent for too long: ${refusal.reason}`
    case "ThreadTakenOver":
      return "A person has taken the thread over"
    case "SizeExceeded":
      return `Too large: ${refusal.what}`
    case "InvalidInput":
      return refusal.issues.map(({ path, message }) => `${path} ${message}`).join("; ")
    default:
      return "The send was refused when it was due"
  }
}

export const draftError = (refusal: MailroomError): DraftError => ({
  code: refusalCode(refusal),
  message: messageOf(refusal),
})
