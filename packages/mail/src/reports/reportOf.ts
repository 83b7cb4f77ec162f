/**
 * Recognizes a report of delivery or of a complaint in a received mail. A mail that forwards, quotes or answers a report is
 * no report. Anybody can write a report: the signed return path proves that it is about our mail.
 */
import type { MailReport, ParsedMail, RecipientReport } from "@mailroom/domain"
import { bytesOf } from "@mailroom/domain/messages/ParsedMail"
import { exactStatus } from "@mailroom/domain/reports/status"
import { htmlText } from "../reading/html.js"
import { type DeliveryStatus, readDeliveryStatus } from "./deliveryStatus.js"
import { feedbackOf, outlookComplaintOf } from "./feedback.js"
import {
  failedRecipients,
  hasDelaySubject,
  hasReportSubject,
  isAutomaticReply,
  isFromDaemon,
  isFromList,
  hasNullReturnPath,
  isReplyOrForward,
  reportType,
} from "./headerHeuristics.js"
import {
  addressIn,
  type EnclosedMail,
  enclosedMail,
  onlyRecipient,
  partText,
  readEnclosed,
  RECIPIENTS_MAX,
} from "./reportParts.js"
import { readTextReport, type TextReport } from "./textReport.js"

const TEXT_MAX_LENGTH = 64 * 1024

const isStatus = (contentType: string): boolean => /^message\/(?:global-)?delivery-status$/.test(contentType)

/** Parts that are read; a report has one. */
const STATUS_PARTS_MAX = 5

const statusTexts = (mail: ParsedMail): ReadonlyArray<string> =>
  mail.attachments
    .filter(({ contentType }) => isStatus(contentType))
    .slice(0, STATUS_PARTS_MAX)
    .map((part) => partText(bytesOf(part)))

/** From the message/delivery-status part, or from the text when a server declares it as text. */
const statusOf = (mail: ParsedMail): DeliveryStatus | null => {
  const texts = statusTexts(mail)
  const plain = (mail.text ?? "").slice(0, TEXT_MAX_LENGTH)
  const all = texts.length === 0 && /^final-recipient:/im.test(plain) ? [plain] : texts
  return all.map(readDeliveryStatus).find((status) => status !== null) ?? null
}

/** The text for people: the body, and delivery status parts that are not readable as such. */
const textOf = (mail: ParsedMail): string => {
  const misnamed = statusTexts(mail).filter((text) => readDeliveryStatus(text) === null)
  const lines = mail.text === null ? htmlText(mail.html ?? "").lines.map(({ text }) => text) : [mail.text]
  return [lines.join("\n"), ...misnamed].join("\n\n")
}

/** Adds the diagnostic from the text, which a status part often leaves out. */
const withDiagnostic = (recipient: RecipientReport, text: TextReport, isOnly: boolean): RecipientReport => {
  if (recipient.diagnostic !== null || recipient.outcome === "delivered") return recipient
  const only = text.unnamed ?? (text.recipients.length === 1 ? text.recipients[0] : undefined)
  const about =
    text.recipients.find(({ addresses }) =>
      addresses.some((address) => recipient.addresses.includes(address)),
    ) ?? (isOnly ? only : undefined)
  if (about === undefined) return recipient
  const status = exactStatus(recipient.status, about.status)
  const addresses = recipient.addresses.length > 0 ? recipient.addresses : about.addresses
  return { ...recipient, addresses, status, diagnostic: about.diagnostic }
}

const statusReport = (
  mail: ParsedMail,
  status: DeliveryStatus,
  enclosed: EnclosedMail | null,
): MailReport => {
  const wordless = status.recipients.some(({ diagnostic }) => diagnostic === null)
  const text = wordless ? readTextReport(textOf(mail), { isReport: true, failed: [], sender: "" }) : null
  const isOnly = status.recipients.length === 1
  const recipients = status.recipients
    .slice(0, RECIPIENTS_MAX)
    .map((recipient) => (text === null ? recipient : withDiagnostic(recipient, text, isOnly)))
    .map((recipient) =>
      isOnly && !status.isNamed && recipient.addresses.length === 0
        ? { ...recipient, addresses: onlyRecipient(enclosed) }
        : recipient,
    )
  return { recipients, returnPath: enclosed?.returnPath ?? status.sender ?? null }
}

const textReport = (
  mail: ParsedMail,
  enclosed: EnclosedMail | null,
  isReport: boolean,
): MailReport | null => {
  const failed = failedRecipients(mail)
    .map(addressIn)
    .filter((address) => address !== null)
  const isCalledReport = isReport || failed.length > 0 || hasReportSubject(mail)
  const text = readTextReport(textOf(mail), {
    isReport: isCalledReport,
    failed,
    sender: mail.from?.address ?? "",
  })
  const original = enclosed ?? (text.copy === "" ? null : readEnclosed(Buffer.from(text.copy)))
  const recipients =
    text.unnamed !== null && isCalledReport
      ? [{ ...text.unnamed, addresses: onlyRecipient(original) }]
      : text.recipients
  if (recipients.length === 0) return null
  const isDelay = hasDelaySubject(mail)
  return {
    recipients: isDelay ? recipients.map((recipient) => ({ ...recipient, outcome: "delayed" })) : recipients,
    returnPath: original?.returnPath ?? null,
  }
}

/**
 * null for a mail that is no report, for feedback that is no complaint (RFC 5965 `not-spam`, RFC 6591), and for a
 * disposition notification (RFC 8098). `isNullSender`: whether the envelope sender is null. Default: by Return-Path.
 */
export const reportOf = (mail: ParsedMail, isNullSender = hasNullReturnPath(mail)): MailReport | null => {
  const type = reportType(mail)
  if (type === "disposition-notification" || isFromList(mail)) return null
  const isDaemon = isFromDaemon(mail) && !isReplyOrForward(mail)
  const isMachine = isDaemon || (isNullSender && !isReplyOrForward(mail))
  const feedback = type === null && !isMachine ? null : feedbackOf(mail)
  if (feedback !== null || type === "feedback-report") return feedback
  const complaint = outlookComplaintOf(mail)
  if (complaint !== null) return complaint
  const isReport = type !== null && !isReplyOrForward(mail)
  const status = isReport || isMachine ? statusOf(mail) : null
  const enclosed = enclosedMail(mail.attachments)
  if (status !== null) return statusReport(mail, status, enclosed)
  const isNamed = failedRecipients(mail).length > 0 && !isReplyOrForward(mail)
  const isCalled =
    isDaemon || (isMachine && hasReportSubject(mail)) || (isReport && type === "delivery-status")
  return (isNamed || isCalled) && !isAutomaticReply(mail) ? textReport(mail, enclosed, isReport) : null
}

/** The report judged by the header, and judged as mail with a null envelope sender, which a parser does not know. */
export const reportsOf = (mail: ParsedMail): Pick<ParsedMail, "report" | "nullSenderReport"> => {
  const report = reportOf(mail)
  return { report, nullSenderReport: report === null ? reportOf(mail, true) : null }
}
