/** The reports of the simulator, as mail servers write them: RFC 3464 for delivery, RFC 5965 for complaints. */
import type { Instant } from "../time.js"
import { SIMULATED_DELAY, type SimulatedReport, simulatorDomain } from "./simulator.js"

/** The mail that a report is about. */
export interface ReportedMail {
  readonly recipient: string
  /** its envelope sender, which gets the report */
  readonly returnPath: string
  /** ENVID (RFC 3461 §4.4) */
  readonly envelopeId: string
  /** its header, with CRLF line ends, the last one included */
  readonly header: string
  readonly sentAt: Instant
  readonly platformDomain: string
}

interface Delivery {
  readonly subject: string
  readonly text: string
  readonly action: "delivered" | "failed" | "delayed"
  readonly status: string
  /** the reply of the recipient's server */
  readonly reply: string
}

const deliveries: Readonly<Record<Exclude<SimulatedReport, "complained">, Delivery>> = {
  delivered: {
    subject: "Successful Mail Delivery Report",
    text: "Your message was delivered to",
    action: "delivered",
    status: "2.0.0",
    reply: "250 2.0.0 Ok",
  },
  bounced: {
    subject: "Undelivered Mail Returned to Sender",
    text: "Your message could not be delivered, because this address does not exist:",
    action: "failed",
    status: "5.1.1",
    reply: "550 5.1.1 No such user",
  },
  "soft-bounced": {
    subject: "Undelivered Mail Returned to Sender",
    text: "Your message could not be delivered, because the mailbox is full:",
    action: "failed",
    status: "4.2.2",
    reply: "452 4.2.2 Mailbox full",
  },
  delayed: {
    subject: "Delayed Mail (still being retried)",
    text: "Your message is delayed, and you do not need to send it again:",
    action: "delayed",
    status: "4.4.1",
    reply: "451 4.4.1 Connection timed out",
  },
}

/** RFC 5322 §3.3 */
const dateOf = (at: Instant): string => new Date(at).toUTCString().replace(/GMT$/, "+0000")

interface Report {
  readonly type: "delivery-status" | "feedback-report"
  readonly from: string
  readonly subject: string
  readonly text: string
  /** lines of the part for programs */
  readonly fields: ReadonlyArray<string>
}

/** A multipart/report (RFC 6522) of three parts: for people, for programs, and the header of the mail. */
const multipartReport = (
  kind: SimulatedReport,
  { returnPath, envelopeId, header, platformDomain }: ReportedMail,
  at: Instant,
  { type, from, subject, text, fields }: Report,
): string => {
  const domain = simulatorDomain(platformDomain)
  // No line of a header begins with hyphens.
  const boundary = `simulator-${envelopeId}`
  const part = (contentType: string, ...lines: ReadonlyArray<string>) => [
    `--${boundary}`,
    `Content-Type: ${contentType}`,
    ...lines,
    "",
  ]
  return [
    `From: ${from}`,
    `To: <${returnPath}>`,
    `Subject: ${subject}`,
    `Date: ${dateOf(at)}`,
    // The local part of a return path is unique to the message and the recipient.
    `Message-ID: <${kind}.${returnPath.slice(0, returnPath.lastIndexOf("@"))}@${domain}>`,
    "Auto-Submitted: auto-replied",
    "MIME-Version: 1.0",
    `Content-Type: multipart/report; report-type=${type}; boundary="${boundary}"`,
    "",
    ...part("text/plain; charset=us-ascii", "", text),
    ...part(`message/${type}`, "", ...fields),
    ...part("text/rfc822-headers; charset=utf-8", "Content-Transfer-Encoding: 8bit", "", header),
    `--${boundary}--`,
    "",
  ].join("\r\n")
}

/** A report of another server, written at `at`. */
export const simulatedReport = (kind: SimulatedReport, mail: ReportedMail, at: Instant): string => {
  const { recipient, returnPath, envelopeId, sentAt, platformDomain } = mail
  const domain = simulatorDomain(platformDomain)
  if (kind === "complained")
    return multipartReport(kind, mail, at, {
      type: "feedback-report",
      from: `Feedback Loop <feedback@${domain}>`,
      subject: "Abuse Report",
      text: `${recipient} reported this message as spam.`,
      fields: [
        "Feedback-Type: abuse",
        "User-Agent: Mailroom-Simulator/1.0",
        "Version: 1",
        `Original-Envelope-Id: ${envelopeId}`,
        `Original-Mail-From: <${returnPath}>`,
        `Original-Rcpt-To: <${recipient}>`,
        `Arrival-Date: ${dateOf(sentAt)}`,
        `Reporting-MTA: dns; ${domain}`,
      ],
    })
  const { subject, text, action, status, reply } = deliveries[kind]
  return multipartReport(kind, mail, at, {
    type: "delivery-status",
    from: `Mail Delivery System <MAILER-DAEMON@${domain}>`,
    subject,
    text: `${text} ${recipient}`,
    fields: [
      `Original-Envelope-Id: ${envelopeId}`,
      `Reporting-MTA: dns; ${domain}`,
      `Arrival-Date: ${dateOf(sentAt)}`,
      "",
      `Final-Recipient: rfc822; ${recipient}`,
      `Action: ${action}`,
      `Status: ${status}`,
      `Diagnostic-Code: smtp; ${reply}`,
      ...(kind === "delayed" ? [`Will-Retry-Until: ${dateOf(at + SIMULATED_DELAY)}`] : []),
    ],
  })
}
