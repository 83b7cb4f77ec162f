/** The fields of a log line about a send that was refused, or whose outcome is not known. */
import { type MailroomError, refusalCode } from "@mailroom/domain"
import type { LogFields } from "../mailLog.js"

/** What tells apart the checks that refuse with one code. */
const whichCheck = (refusal: MailroomError): LogFields => {
  switch (refusal._tag) {
    case "NotFound":
      return { resource: refusal.resource }
    case "MailboxNotActive":
      return { mailbox: refusal.address, status: refusal.status }
    case "SendingIsStopped":
      return { mailbox: refusal.address, because: refusal.reason }
    case "RecipientNotAllowed":
      return { recipient: refusal.address, because: refusal.reason }
    case "RecipientBlocked":
    case "RecipientSuppressed":
      return { recipient: refusal.address }
    case "SizeExceeded":
      return { what: refusal.what }
    case "DomainNotVerified":
      return { domain: refusal.domain }
    case "ThreadTakenOver":
      return { threadId: refusal.threadId }
    case "AttachmentUnknown":
      return { attachmentId: refusal.id }
    case "RelayUncertain":
      return { messageId: refusal.messageId, because: refusal.reason }
    case "RelayRefused":
      return { answer: refusal.answer, refused: refusal.recipients }
    default:
      return {
        ...("of" in refusal && { of: refusal.of }),
        ...("within" in refusal && { within: refusal.within }),
        ...("limit" in refusal && { limit: refusal.limit }),
        ...("reason" in refusal && { because: refusal.reason }),
      }
  }
}

/** `reason` is the class of the error, `code` that of the response over HTTP. */
export const refusalFields = (refusal: MailroomError): LogFields => ({
  reason: refusal._tag,
  code: refusalCode(refusal),
  ...whichCheck(refusal),
})
