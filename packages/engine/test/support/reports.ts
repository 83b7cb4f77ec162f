/** Reports of other mail servers about sent mail. */
import { Engine } from "@mailroom/engine"
import { Effect } from "effect"
import { accepted } from "./arrivals.js"
import { lastMailTo } from "./outbox.js"
import { RECIPIENT } from "./sends.js"

/** The return path of the newest mail to an address. */
export const returnPathOf = (address: string = RECIPIENT) =>
  Effect.map(lastMailTo(address), ({ envelope }) => envelope.from)

interface Delivery {
  readonly recipient?: string
  readonly action?: "failed" | "delayed" | "delivered"
  readonly status?: string
  readonly diagnostic?: string
}

/** A delivery report (RFC 3464). */
export const deliveryReport = (...recipients: ReadonlyArray<Delivery>): Uint8Array =>
  Buffer.from(
    [
      "From: Mail Delivery System <MAILER-DAEMON@mx.elsewhere.org>",
      "Subject: Undelivered Mail Returned to Sender",
      "Auto-Submitted: auto-replied",
      "MIME-Version: 1.0",
      'Content-Type: multipart/report; report-type=delivery-status; boundary="edge"',
      "",
      "--edge",
      "Content-Type: text/plain; charset=us-ascii",
      "",
      "This is the mail system at host mx.elsewhere.org.",
      "",
      "--edge",
      "Content-Type: message/delivery-status",
      "",
      "Reporting-MTA: dns; mx.elsewhere.org",
      "",
      ...recipients.flatMap(
        ({
          recipient = RECIPIENT,
          action = "failed",
          status = "5.1.1",
          diagnostic = "550 5.1.1 No such user",
        }) => [
          `Final-Recipient: rfc822; ${recipient}`,
          `Action: ${action}`,
          `Status: ${status}`,
          `Diagnostic-Code: smtp; ${diagnostic}`,
          "",
        ],
      ),
      "--edge--",
      "",
    ].join("\r\n"),
  )

/** A complaint (RFC 5965). */
export const complaint = (returnPath: string, recipient: string | null = RECIPIENT): Uint8Array =>
  Buffer.from(
    [
      "From: <complaints@provider.org>",
      "Subject: Abuse report",
      "MIME-Version: 1.0",
      'Content-Type: multipart/report; report-type=feedback-report; boundary="edge"',
      "",
      "--edge",
      "Content-Type: text/plain",
      "",
      "This is an email abuse report.",
      "",
      "--edge",
      "Content-Type: message/feedback-report",
      "",
      "Feedback-Type: abuse",
      "User-Agent: Provider/1.0",
      "Version: 1",
      `Original-Mail-From: <${returnPath}>`,
      ...(recipient === null ? [] : [`Original-Rcpt-To: <${recipient}>`]),
      "",
      "--edge",
      "Content-Type: message/rfc822",
      "",
      "Subject: Hello",
      "",
      "Good morning.",
      "--edge--",
      "",
    ].join("\r\n"),
  )

/** Delivers a mail of a mail system. */
export const returned = (to: string, raw: Uint8Array) => Effect.zipRight(accepted(to, raw, ""), Engine.settle)
