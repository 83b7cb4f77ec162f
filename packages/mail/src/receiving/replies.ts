/** The replies of the SMTP servers (RFC 5321 §4.2, with enhanced status codes of RFC 3463). */
import { MESSAGE_MAX_BYTES, RECEIVED_MAX_COUNT } from "@mailroom/domain"
import { storageFailureIn } from "@mailroom/engine"
import { type Cause, Option } from "effect"
import type { Judgement } from "./sessionHost.js"

export interface Reply {
  /** 200 to 599; 421 ends the session */
  readonly code: number
  /** the whole reply as it is sent: its lines with codes and CRLF; ASCII */
  readonly text: string
}

const reply = (code: number, words: string): Reply => ({ code, text: `${code} ${words}\r\n` })

/** The codes of a reply, such as `550 5.1.1`: `code`, and the enhanced code where it has one. */
export const codesOf = ({ code, text }: Reply): string => {
  const enhanced = /^\d{3} ([245]\.\d+\.\d+)/.exec(text)?.[1]
  return enhanced === undefined ? String(code) : `${code} ${enhanced}`
}

/** A reply of several lines. */
export const linesReply = (code: number, lines: ReadonlyArray<string>): Reply => ({
  code,
  text: lines.map((line, index) => `${code}${index === lines.length - 1 ? " " : "-"}${line}\r\n`).join(""),
})

export const greeting = (name: string): Reply => reply(220, `${name} ESMTP`)

export const ok = reply(250, "2.0.0 OK")
export const senderAccepted = reply(250, "2.1.0 Sender accepted")
export const recipientAccepted = reply(250, "2.1.5 Recipient accepted")
export const startMail = reply(354, "End data with <CR><LF>.<CR><LF>")
export const mailAccepted = reply(250, "2.6.0 Message accepted")
export const noVerification = reply(252, "2.1.5 Cannot verify, but will take a message and try")
export const help = reply(214, "2.0.0 See RFC 5321")
export const readyForTls = reply(220, "2.0.0 Ready to start TLS")
export const bye = reply(221, "2.0.0 Bye")

export const unknownCommand = reply(500, "5.5.2 Command not recognized")
/** STARTTLS where EHLO does not offer it: there is no certificate (RFC 5321 §4.2.2). */
export const noTls = reply(502, "5.5.1 STARTTLS is not implemented here")
export const lineTooLong = reply(500, "5.5.2 Command line too long")
export const needsHostname = reply(501, "5.5.4 Syntax: EHLO hostname")
export const needsNoArguments = reply(501, "5.5.4 No parameters allowed")
export const needsAddress = reply(501, "5.5.4 Syntax: VRFY address")
export const badSender = reply(501, "5.1.7 Bad sender address syntax")
export const badRecipient = reply(501, "5.1.3 Bad recipient address syntax")
export const badParameter = reply(501, "5.5.4 Bad parameter")
export const unsupportedParameter = reply(555, "5.5.4 REQUIRETLS is not supported")
export const needsGreeting = reply(503, "5.5.1 Send EHLO or HELO first")
export const nestedMail = reply(503, "5.5.1 Sender already given")
export const needsMail = reply(503, "5.5.1 Send MAIL first")
export const needsRecipient = reply(503, "5.5.1 Send RCPT first")
export const tlsActive = reply(503, "5.5.1 TLS is already active")
export const tooManyRecipients = reply(452, "4.5.3 Too many recipients")

export const unknownRecipient = reply(550, "5.1.1 No such mailbox here")
export const blockedSender = reply(550, "5.7.1 This mailbox does not accept mail from this sender")
export const suspendedRecipient = reply(550, "5.2.1 This mailbox does not accept mail")
export const recipientBusy = reply(450, "4.7.0 Too much mail for this address, try again in an hour")
export const recipientNotReady = reply(450, "4.2.1 This mailbox is still being set up, try again later")
export const bareCarriageReturn = reply(554, "5.6.0 Bare carriage return in the message")
export const bareLineFeed = reply(554, "5.6.0 Bare line feed in the message")
export const tooLarge = reply(552, `5.3.4 Message larger than ${MESSAGE_MAX_BYTES} bytes`)
export const tooManyHops = reply(554, `5.4.6 More than ${RECEIVED_MAX_COUNT} Received headers: mail loop`)
export const storageFull = reply(452, "4.3.1 No space left, try again later")
export const temporaryFailure = reply(451, "4.3.0 Temporary failure, try again later")

export const tooManySessions = reply(421, "4.3.2 Too many sessions, try again later")
export const tooManyConnections = reply(421, "4.7.0 Too many connections from your network")
export const tooManyUnknownRecipients = reply(421, "4.7.0 Too many unknown recipients from your network")
export const tooManyErrors = reply(421, "4.7.0 Too many errors")
export const tooManyJunkCommands = reply(421, "4.7.0 Too many commands without mail")
export const httpRequest = reply(421, "4.7.0 This is not an HTTP server")
export const idleTooLong = reply(421, "4.4.2 Timeout")
export const makeRoom = reply(421, "4.3.2 Busy, try again later")
export const sessionTooLong = reply(421, "4.4.2 Session open for too long")
export const tooSlow = reply(421, "4.4.2 Message arrives too slowly")
export const refusedGoesOn = reply(421, "4.7.0 The message is refused and does not end")
export const shuttingDown = reply(421, "4.3.2 Shutting down, try again later")

export const signedIn = reply(235, "2.7.0 Signed in")
/** Asks for the next line of a sign-in. `challenge`: in base64 (RFC 4954 §4). */
export const continueSignIn = (challenge: string): Reply => reply(334, challenge)
export const needsTls = reply(530, "5.7.0 Send STARTTLS first")
export const needsSignIn = reply(530, "5.7.0 Sign in first: AUTH with the mailbox address and an API key")
export const needsEncryption = reply(538, "5.7.11 Send STARTTLS first: a password needs encryption")
export const alreadySignedIn = reply(503, "5.5.1 You are signed in already")
export const unknownMechanism = reply(504, "5.5.4 The mechanisms are PLAIN and LOGIN")
export const badSignIn = reply(501, "5.5.2 This is no base64 of what the mechanism asks for")
export const signInCancelled = reply(501, "5.7.0 Sign-in cancelled")
export const signInTooLong = reply(500, "5.5.6 Line of the sign-in too long")
export const signInFailedForNow = reply(454, "4.7.0 Temporary failure, sign in again later")
export const tooManySignIns = reply(421, "4.7.0 Too many failed sign-ins from your network")

/** Characters of a reply line without code and line end: RFC 5321 §4.5.3.1.5 allows 512 bytes in all. */
const WORDS_MAX = 480

/** A reply with words that may have characters beyond ASCII. */
export const replyOf = (code: number, enhanced: string, words: string): Reply =>
  reply(code, `${enhanced} ${words.replace(/[^ -~]+/g, "?").slice(0, WORDS_MAX)}`)

export const recipientReply = (verdict: Judgement): Reply => {
  switch (verdict.kind) {
    case "refused":
      return verdict.reply
    case "accepted":
      return recipientAccepted
    case "unknown":
      return unknownRecipient
    case "blocked":
      return blockedSender
    case "suspended":
      return suspendedRecipient
    case "not provisioned":
      return recipientNotReady
    case "busy":
      return recipientBusy
  }
}

/** The reply to a failure of our storage: transient, so that the client keeps the mail. */
export const failureReply = (cause: Cause.Cause<unknown>): Reply =>
  Option.exists(storageFailureIn(cause), ({ reason }) => reason === "full") ? storageFull : temporaryFailure
