/**
 * One mail over one connection, to all of its recipients or to none.
 *
 * nodemailer goes on with DATA once any recipient is accepted, and pipelines the whole envelope. So the decision is
 * ours, at the last moment there is: the message is a stream, and when the library first asks it for bytes, after
 * every RCPT TO was answered, we look at the refusals it noted on the envelope object. If there is one, the
 * connection is dropped instead. A message whose end never came must not be delivered (RFC 5321 §4.1.1.4).
 */
import { isAscii, withAsciiDomain } from "@mailroom/domain"
import type { OutboundEnvelope } from "@mailroom/engine"
import { Effect } from "effect"
import type { SMTPConnectionEnvelope, SMTPEnvelopeDsn } from "nodemailer/lib/smtp-connection"
import { isAscii as isAsciiOnly } from "node:buffer"
import {
  answerLost,
  answersEnd,
  type AttemptFailed,
  mailRefused,
  recipientsRefused,
  refused,
} from "./answers.js"
import type { Handover } from "./handover.js"
import { mailChunks } from "./mailChunks.js"
import type { RelayConnection } from "./relayConnection.js"

/** The parameters of RFC 3461 §4: a report about everything that becomes of the mail, with its headers only. */
const reports = (envid: string, recipient: () => string | undefined): SMTPEnvelopeDsn => ({
  ret: "HDRS",
  envid,
  notify: "SUCCESS,FAILURE,DELAY",
  get orcpt() {
    const address = recipient()
    // Beyond ASCII the parameter has a form of its own, which few relays know (RFC 6533 §3).
    return address === undefined || !isAscii(address) ? null : `rfc822;${address}`
  },
})

/** The envelope as the library keeps it. */
const tracked = (
  { envelopeId, from, to: recipients }: OutboundEnvelope,
  raw: Uint8Array,
): SMTPConnectionEnvelope => {
  const envelope: SMTPConnectionEnvelope = {
    from,
    to: [...recipients],
    size: raw.length,
    use8BitMime: !isAsciiOnly(raw),
    rcptQueue: [],
    rejected: [],
    rejectedErrors: [],
    accepted: [],
  }
  if (envelopeId === null) return envelope
  const dsn = reports(envelopeId, () => recipients[recipients.length - envelope.rcptQueue.length - 1])
  // The library has one ORCPT for all recipients, in a copy it makes, and reads it anew for each RCPT TO: ours stays.
  return Object.defineProperty(envelope, "dsn", { get: () => dsn, set: () => {} })
}

export const transfer = (
  { extensions, smtp }: RelayConnection,
  given: OutboundEnvelope,
  raw: Uint8Array,
  mail: Handover,
): Effect.Effect<{ readonly answer: string }, AttemptFailed> =>
  Effect.async((resume) => {
    const envelope: OutboundEnvelope = {
      ...given,
      from: withAsciiDomain(given.from),
      to: given.to.map(withAsciiDomain),
    }
    const senseless = [envelope.from, ...envelope.to].filter((address) => /[\s\p{C}<>]/u.test(address))
    // Nothing in an address ends it: neither for the relay nor for a server after it.
    if (senseless.length > 0) return resume(Effect.fail(refused("that is no address", senseless)))
    const international = [envelope.from, ...envelope.to].filter((address) => !isAscii(address))
    if (international.length > 0 && !extensions.has("SMTPUTF8")) {
      const answer = "the relay takes no address with letters beyond ASCII before the @ (SMTPUTF8)"
      return resume(Effect.fail(refused(answer, international)))
    }
    const sent = tracked(envelope, raw)
    const allAccepted = () => {
      if (sent.rejected.length === 0) return true
      resume(Effect.fail(recipientsRefused(sent.rejectedErrors)))
      smtp.close()
      return false
    }
    smtp.send(sent, mailChunks(raw, allAccepted, mail.giveEnd), (error, info) => {
      if (answersEnd(error)) mail.refused()
      // A refused sender makes the relay refuse every pipelined recipient too; the sender is the reason.
      const senderRefused = error?.command === "MAIL FROM"
      if (!senderRefused && sent.rejectedErrors.length > 0)
        resume(Effect.fail(recipientsRefused(sent.rejectedErrors)))
      else if (error && mail.isEndGiven()) resume(Effect.fail(answerLost(error)))
      else if (error) resume(Effect.fail(mailRefused(error, envelope.to)))
      else resume(Effect.succeed({ answer: info.response.replace(/[\r\n]+/g, " ") }))
    })
    return Effect.sync(() => smtp.close())
  })
