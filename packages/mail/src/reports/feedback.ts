/** Complaints: feedback reports (RFC 5965), and those of Outlook.com, which return the mail itself. */
import type { MailReport, ParsedMail, RecipientReport } from "@mailroom/domain"
import { bytesOf } from "@mailroom/domain/messages/ParsedMail"
import { diagnosticOf } from "@mailroom/domain/reports/diagnostic"
import {
  addressIn,
  enclosedMail,
  onlyRecipient,
  partText,
  readReportFields,
  RECIPIENTS_MAX,
} from "./reportParts.js"

/** Feedback types that are no complaint: the opposite of one, failed authentication (RFC 6591), statistics. */
const noComplaint = /^(?:not-spam|auth-failure|dkim|dmarc)/

const complaint = (addresses: ReadonlyArray<string>, kind: string | null): RecipientReport => ({
  addresses,
  outcome: "complained",
  status: null,
  diagnostic: kind,
  permanent: null,
})

/**
 * The complaint in a feedback report; null without one. The recipient who complains may be redacted (RFC 5965 §3.2,
 * RFC 6590): then only the return path tells it.
 */
export const feedbackOf = (mail: ParsedMail): MailReport | null => {
  const part = mail.attachments.find(({ contentType }) => contentType === "message/feedback-report")
  if (part === undefined) return null
  const fields = readReportFields(partText(bytesOf(part)))
  const all = (name: string): ReadonlyArray<string> =>
    fields.filter((field) => field.name === name).map((field) => field.value)
  const kind = all("feedback-type")[0]?.toLowerCase() ?? ""
  if (noComplaint.test(kind)) return null
  const enclosed = enclosedMail(mail.attachments)
  const named = [...all("original-rcpt-to"), ...all("removal-recipient")].map(addressIn)
  const reader = enclosed?.outlookReader ?? null
  const others = reader === null ? onlyRecipient(enclosed) : [reader]
  const readers = [...new Set(named.filter((address) => address !== null))].map((address) => [address])
  const recipients = readers.length > 0 ? readers.slice(0, RECIPIENTS_MAX) : [others]
  const sender = /^\s*<?([^<>\s]{1,320}@[^<>\s]{1,255})>?\s*$/.exec(all("original-mail-from")[0] ?? "")?.[1]
  return {
    recipients: recipients.map((addresses) => complaint(addresses, diagnosticOf(kind))),
    returnPath: sender ?? enclosed?.returnPath ?? null,
  }
}

/** Outlook.com's Junk Mail Reporting Program attaches the mail and names its reader in a header field of its own. */
export const outlookComplaintOf = (mail: ParsedMail): MailReport | null => {
  if (!/@(?:hotmail|outlook|microsoft|live)\.com$/.test(addressIn(mail.from?.address ?? "") ?? ""))
    return null
  const enclosed = enclosedMail(mail.attachments)
  const reader = enclosed?.outlookReader ?? null
  if (enclosed === null || reader === null) return null
  return { recipients: [complaint([reader], null)], returnPath: enclosed.returnPath }
}
