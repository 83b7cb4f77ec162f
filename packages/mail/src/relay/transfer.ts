/**
 * One mail over one connection, to all of its recipients or to none.
 *
 * nodemailer goes on with DATA once any recipient is accepted, and pipelines the whole envelope. So the decision is
 * ours, at the last moment there is: the message is a stream, and when the library first asks it for bytes, after
 * every RCPT TO was answered, we look at the refusals it noted on the envelope object. If there is one, the
 * connection is dropped instead. A message whose end never came must not be delivered (RFC 5321 §4.1.1.4).
 */
import { type RelayRefused, type RelayUnavailable } from "@mailroom/domain"
import type { OutboundEnvelope } from "@mailroom/engine"
import { Effect } from "effect"
import type SMTPConnection from "nodemailer/lib/smtp-connection"
import type { SMTPConnectionEnvelope } from "nodemailer/lib/smtp-connection"
import { isAscii } from "node:buffer"
import { Readable } from "node:stream"
import { mailRefused, recipientsRefused } from "./answers.js"

export const transfer = (
  smtp: SMTPConnection,
  envelope: OutboundEnvelope,
  raw: Uint8Array,
): Effect.Effect<{ readonly answer: string }, RelayRefused | RelayUnavailable> =>
  Effect.async((resume) => {
    const tracked: SMTPConnectionEnvelope = {
      from: envelope.from,
      to: [...envelope.to],
      size: raw.length,
      use8BitMime: !isAscii(raw),
      rcptQueue: [],
      rejected: [],
      rejectedErrors: [],
      accepted: [],
    }
    const message = new Readable({
      read() {
        if (tracked.rejected.length > 0) {
          resume(Effect.fail(recipientsRefused(tracked.rejectedErrors)))
          smtp.close()
          return
        }
        this.push(raw)
        this.push(null)
      },
    })
    smtp.send(tracked, message, (error, info) => {
      // A refused sender makes the relay refuse every pipelined recipient too; the sender is the reason.
      const senderRefused = error?.command === "MAIL FROM"
      if (!senderRefused && tracked.rejectedErrors.length > 0)
        resume(Effect.fail(recipientsRefused(tracked.rejectedErrors)))
      else if (error) resume(Effect.fail(mailRefused(error, envelope.to)))
      else resume(Effect.succeed({ answer: info.response.replace(/[\r\n]+/g, " ") }))
    })
    return Effect.sync(() => smtp.close())
  })
