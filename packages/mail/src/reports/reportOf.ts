/**
 * Recognises a report in a received mail: only by what the mail itself is, never by a report that it passes on as an
 * attachment, quotes or answers. Whether the report is true, the return path has to prove.
 */
import type { MailReport, ParsedMail, RecipientReport } from "@mailroom/domain"
import { bytesOf } from "@mailroom/domain/messages/ParsedMail"
import { exactStatus } from "@mailroom/domain/reports/status"
import { htmlText } from "../reading/html.js"
import { type DeliveryStatus, readDeliveryStatus } from "./deliveryStatus.js"
import { type EnclosedMail, enclosedMail, onlyRecipient, readEnclosed } from "./enclosed.js"
import { feedbackOf, outlookComplaintOf } from "./feedback.js"
import { partText } from "./fields.js"
import {
  failedRecipients,
  hasDelaySubject,
  hasReportSubject,
  isAutomaticAnswer,
  isFromDaemon,
  isFromList,
  isFromNobody,
  isPassedOn,
  reportType,
} from "./gate.js"
import { addressIn, RECIPIENTS_MAX } from "./addresses.js"
import { readTextReport, type TextReport } from "./textReport.js"

const TEXT_MAX_LENGTH = 64 * 1024

const isStatus = (contentType: string): boolean => /^message\/(?:global-)?delivery-status$/.test(contentType)

/** One is sent; the more are nobody's standard. */
const STATUS_PARTS_MAX = 5

const statusTexts = (mail: ParsedMail): ReadonlyArray<string> =>
  mail.attachments
    .filter(({ contentType }) => isStatus(contentType))
    .slice(0, STATUS_PARTS_MAX)
    .map((part) => partText(bytesOf(part)))

/** Of its own part; or of the text, where a server declares it as that. */
const statusOf = (mail: ParsedMail): DeliveryStatus | null => {
  const texts = statusTexts(mail)
  const plain = (mail.text ?? "").slice(0, TEXT_MAX_LENGTH)
  const all = texts.length === 0 && /^final-recipient:/im.test(plain) ? [plain] : texts
  return all.map(readDeliveryStatus).find((status) => status !== null) ?? null
}

/** Text for people: the bodies, and what is called a delivery status but is none. */
const textOf = (mail: ParsedMail): string => {
  const misnamed = statusTexts(mail).filter((text) => readDeliveryStatus(text) === null)
  const lines = mail.text === null ? htmlText(mail.html ?? "").lines.map(({ text }) => text) : [mail.text]
  return [lines.join("\n"), ...misnamed].join("\n\n")
}

/** A status part often has no words; then the text does. */
const withWords = (recipient: RecipientReport, text: TextReport, isOnly: boolean): RecipientReport => {
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
    .map((recipient) => (text === null ? recipient : withWords(recipient, text, isOnly)))
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
 * The report that a mail is, of delivery or of a complaint; null when it is none, and also when it is one that is no
 * complaint (RFC 5965 `not-spam`, RFC 6591) or only tells that a mail was read. `isNullSender`: whether its envelope sender
 * is null; a Return-Path field tells it, if the mail has one.
 */
export const reportOf = (mail: ParsedMail, isNullSender = isFromNobody(mail)): MailReport | null => {
  const type = reportType(mail)
  if (type === "disposition-notification" || isFromList(mail)) return null
  const isDaemon = isFromDaemon(mail) && !isPassedOn(mail)
  const isMachine = isDaemon || (isNullSender && !isPassedOn(mail))
  const feedback = type === null && !isMachine ? null : feedbackOf(mail)
  if (feedback !== null || type === "feedback-report") return feedback
  const complaint = outlookComplaintOf(mail)
  if (complaint !== null) return complaint
  const isReport = type !== null && !isPassedOn(mail)
  const status = isReport || isMachine ? statusOf(mail) : null
  const enclosed = enclosedMail(mail.attachments)
  if (status !== null) return statusReport(mail, status, enclosed)
  const isNamed = failedRecipients(mail).length > 0 && !isPassedOn(mail)
  const isCalled =
    isDaemon || (isMachine && hasReportSubject(mail)) || (isReport && type === "delivery-status")
  return (isNamed || isCalled) && !isAutomaticAnswer(mail) ? textReport(mail, enclosed, isReport) : null
}

/** What a mail reports by itself, and if its envelope sender is null. Only a server that passed it on adds Return-Path. */
export const reportsOf = (mail: ParsedMail): Pick<ParsedMail, "report" | "nullSenderReport"> => {
  const report = reportOf(mail)
  return { report, nullSenderReport: report === null ? reportOf(mail, true) : null }
}
