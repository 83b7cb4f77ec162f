/**
 * One mail over one connection, accepted for all recipients or for none.
 *
 * nodemailer goes on with DATA as soon as one recipient is accepted, and pipelines the whole envelope. We abort at the
 * last possible moment: the message is a stream, whose first bytes nodemailer reads after the replies to all RCPT TO. If
 * it noted a refusal by then, we close the connection. A relay must not deliver a message whose end never came
 * (RFC 5321 §4.1.1.4).
 */
import { isAscii, withAsciiDomain } from "@mailroom/domain"
import type { OutboundEnvelope } from "@mailroom/engine"
import { Effect } from "effect"
import type { SMTPConnectionEnvelope, SMTPEnvelopeDsn } from "nodemailer/lib/smtp-connection"
import { isAscii as isAsciiOnly } from "node:buffer"
import { Readable } from "node:stream"
import type { RelayConnection } from "./relayConnection.js"
import {
  type AttemptFailed,
  mailRefused,
  messageRefused,
  recipientsRefused,
  refused,
  replyLost,
} from "./relayErrors.js"

/**
 * How far a mail has come, over all attempts to send it. Once the end of its data is sent, the relay may have accepted
 * it, and it must not be sent again.
 */
export interface RelayTransaction {
  /** Call before the first byte of the data. */
  readonly sendData: () => void
  /** Call before the end of the data. false when the mail was cancelled: then the end must not be sent. */
  readonly sendEnd: () => boolean
  /** Forbids to send the end from now on. Returns whether it was sent before. */
  readonly cancel: () => boolean
  /** Whether data flows, or its end was sent. */
  readonly isUnderWay: () => boolean
  readonly isEndSent: () => boolean
  /** The relay did not take the mail: it may be sent again. */
  readonly reopen: () => void
}

export const makeTransaction = (): RelayTransaction => {
  let state: "open" | "data" | "end sent" | "cancelled" = "open"
  return {
    sendData: () => {
      if (state === "open") state = "data"
    },
    sendEnd: () => {
      if (state === "data") state = "end sent"
      return state === "end sent"
    },
    cancel: () => {
      if (state !== "end sent") state = "cancelled"
      return state === "end sent"
    },
    isUnderWay: () => state === "data" || state === "end sent",
    isEndSent: () => state === "end sent",
    reopen: () => {
      if (state !== "cancelled") state = "open"
    },
  }
}

/**
 * Bytes of a chunk. At most one chunk waits in the connection when the end of the mail is sent, so that a slow relay is
 * not taken for a silent one.
 */
const CHUNK_BYTES = 64 * 1024

/** Bytes between two turns of the event loop; nodemailer searches them for dots in 2 ms. */
const STEP_BYTES = 4 * CHUNK_BYTES

/**
 * The message as a stream, which yields to the event loop between steps, because a relay nearby reads without pause.
 * `beforeFirst` is called before the first byte, `beforeEnd` before the end; the stream stops where one returns false.
 */
export const messageStream = (
  raw: Uint8Array,
  beforeFirst: () => boolean,
  beforeEnd: () => boolean,
): Readable => {
  let offset = 0
  return new Readable({
    read() {
      if (offset === 0 && !beforeFirst()) return
      if (offset >= raw.length) {
        if (beforeEnd()) this.push(null)
        return
      }
      const push = () => {
        this.push(raw.subarray(offset, offset + CHUNK_BYTES))
        offset += CHUNK_BYTES
      }
      if (offset === 0 || offset % STEP_BYTES !== 0) push()
      else setImmediate(push)
    },
  })
}

/** DSN parameters (RFC 3461 §4): report success, failure and delay, and return the header only. */
const dsnParameters = (envid: string, recipient: () => string | undefined): SMTPEnvelopeDsn => ({
  ret: "HDRS",
  envid,
  notify: "SUCCESS,FAILURE,DELAY",
  get orcpt() {
    const address = recipient()
    // An address beyond ASCII needs the type `utf-8`, which few relays support (RFC 6533 §3).
    return address === undefined || !isAscii(address) ? null : `rfc822;${address}`
  },
})

/** The envelope in the form that nodemailer updates during the transaction. */
const trackedEnvelope = (
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
  const dsn = dsnParameters(envelopeId, () => recipients[recipients.length - envelope.rcptQueue.length - 1])
  // nodemailer would replace `dsn` by a copy with one ORCPT for all recipients. It reads the field for each RCPT TO, so a
  // getter gives each recipient its own.
  return Object.defineProperty(envelope, "dsn", { get: () => dsn, set: () => {} })
}

/**
 * Succeeds with the relay's reply to the message. While its data flows, the relay may pause for longer than between commands, and
 * the caller limits how long it may take for its last reply.
 */
export const transfer = (
  { extensions, limitSilence, smtp }: RelayConnection,
  given: OutboundEnvelope,
  raw: Uint8Array,
  transaction: RelayTransaction,
): Effect.Effect<{ readonly answer: string }, AttemptFailed> =>
  Effect.async((resume) => {
    const envelope: OutboundEnvelope = {
      ...given,
      from: withAsciiDomain(given.from),
      to: given.to.map(withAsciiDomain),
    }
    const invalid = [envelope.from, ...envelope.to].filter((address) => /[\s\p{C}<>]/u.test(address))
    // Such characters would end the address for the relay or a later server, and start another command or header.
    if (invalid.length > 0) return resume(Effect.fail(refused("that is no address", invalid)))
    const international = [envelope.from, ...envelope.to].filter((address) => !isAscii(address))
    if (international.length > 0 && !extensions.has("SMTPUTF8")) {
      const answer = "the relay takes no address with letters beyond ASCII before the @ (SMTPUTF8)"
      return resume(Effect.fail(refused(answer, international)))
    }
    const sent = trackedEnvelope(envelope, raw)
    limitSilence("command")
    const allAccepted = () => {
      if (sent.rejected.length === 0) {
        transaction.sendData()
        limitSilence("data")
        return true
      }
      resume(Effect.fail(recipientsRefused(sent.rejectedErrors)))
      smtp.close()
      return false
    }
    const mayEnd = () => {
      limitSilence("end")
      return transaction.sendEnd()
    }
    smtp.send(sent, messageStream(raw, allAccepted, mayEnd), (error, info) => {
      limitSilence("command")
      const isLost = transaction.isEndSent() && !messageRefused(error)
      if (error && !isLost) transaction.reopen()
      // A relay that refuses MAIL FROM also refuses every pipelined RCPT TO; report MAIL FROM.
      const senderRefused = error?.command === "MAIL FROM"
      if (!senderRefused && sent.rejectedErrors.length > 0)
        resume(Effect.fail(recipientsRefused(sent.rejectedErrors)))
      else if (error && isLost) resume(Effect.fail(replyLost(error)))
      else if (error) resume(Effect.fail(mailRefused(error, envelope.to)))
      else resume(Effect.succeed({ answer: info.response.replace(/[\r\n]+/g, " ") }))
    })
    return Effect.sync(() => smtp.close())
  })
