/** Reports of other servers about sent mail. */
import { Effect } from "effect"
import { type Agent, send } from "./agents.js"
import { type Mail, rawMail } from "./mail.js"
import { World } from "./World.js"

export interface Sent {
  readonly recipient: string
  /** envelope sender of the mail, to which reports go */
  readonly returnPath: string
  /** the response of the send */
  readonly json: unknown
}

/** Sends a mail to a recipient that no other test uses. */
export const sentBy = (owner: Agent): Effect.Effect<Sent, never, World> =>
  Effect.gen(function* () {
    const { next, outbox, eventually } = yield* World
    const recipient = `bob-${yield* next}@partner.dev`
    const { json } = yield* send(owner, recipient)
    const [mail] = yield* eventually("a mail", outbox(recipient), ({ length }) => length > 0)
    return { recipient, returnPath: mail?.from ?? "", json }
  })

const report = (to: string, type: string, ...lines: ReadonlyArray<string>): Mail => ({
  ...rawMail(
    to,
    "From: MAILER-DAEMON@mx.partner.dev",
    "Subject: About your mail",
    "MIME-Version: 1.0",
    `Content-Type: multipart/report; report-type=${type}; boundary="edge"`,
    "",
    "--edge",
    "Content-Type: text/plain",
    "",
    "A report.",
    "",
    "--edge",
    `Content-Type: message/${type}`,
    "",
    ...lines,
    "",
    "--edge--",
  ),
  from: "",
})

/** RFC 3464 */
export const deliveryReport = (
  { returnPath, recipient }: Pick<Sent, "returnPath" | "recipient">,
  action: "failed" | "delivered",
  status: string,
  diagnostic: string,
): Mail =>
  report(
    returnPath,
    "delivery-status",
    "Reporting-MTA: dns; mx.partner.dev",
    "",
    `Final-Recipient: rfc822; ${recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: smtp; ${diagnostic}`,
  )

export const bounceOf = (sent: Sent): Mail =>
  deliveryReport(sent, "failed", "5.1.1", "550 5.1.1 No such user")

export const deliveryOf = (sent: Sent): Mail => deliveryReport(sent, "delivered", "2.0.0", "250 OK")

/** RFC 5965 */
export const complaintAbout = ({ returnPath, recipient }: Sent): Mail =>
  report(
    returnPath,
    "feedback-report",
    "Feedback-Type: abuse",
    "User-Agent: Partner/1.0",
    "Version: 1",
    `Original-Mail-From: <${returnPath}>`,
    `Original-Rcpt-To: <${recipient}>`,
  )
