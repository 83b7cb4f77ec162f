/** Replies and failures of the relay as typed errors. They quote its replies and error codes, never our login. */
import { RelayRefused, RelayUnavailable, RelayUncertain } from "@mailroom/domain"
import { Data, Predicate } from "effect"

/** One attempt to send a mail failed. */
export class AttemptFailed extends Data.TaggedError("AttemptFailed")<{
  readonly error: RelayRefused | RelayUnavailable | RelayUncertain
  /** whether another attempt may succeed, and cannot send the mail twice */
  readonly mayRepeat: boolean
}> {}

const field = (error: unknown, name: string): unknown =>
  Predicate.hasProperty(error, name) ? error[name] : undefined

const textOf = (error: unknown, name: string): string => {
  const value = field(error, name)
  return typeof value === "string" ? value : ""
}

const replyOf = (error: unknown): string | null => {
  const response = textOf(error, "response")
  return response === "" ? null : response.replace(/[\r\n]+/g, " ").slice(0, 500)
}

const codeOf = (error: unknown): number => {
  const code = field(error, "responseCode")
  return typeof code === "number" ? code : 0
}

/** Replies 530 to 538 are about our login (RFC 4954 §6), not about the mail: the operator has to fix the settings. */
const isPermanent = (error: unknown): boolean => {
  const code = codeOf(error)
  return code >= 500 && code < 600 && !(code >= 530 && code <= 538)
}

/** By the message, because nodemailer gives TLS failures no code of their own. */
const isCertificateError = (error: unknown): boolean => /certificate|altnames/i.test(textOf(error, "message"))

const reasonOf = (error: unknown): string => {
  const code = textOf(error, "originalCode") || textOf(error, "code")
  // The reply to a login is not quoted: a relay may repeat our password in it.
  if (code === "EAUTH") return "the relay refuses our login (EAUTH)"
  const reply = replyOf(error)
  if (reply !== null) return reply
  const reason = isCertificateError(error)
    ? "the relay's certificate is not trusted"
    : "no connection to the relay"
  return code === "" ? reason : `${reason} (${code})`
}

/** The relay did not take the mail, and may take it later. `recipientOnly`: it may take it for other recipients. */
export const unavailable = (error: unknown, recipientOnly = false): AttemptFailed =>
  new AttemptFailed({
    error: new RelayUnavailable({ reason: reasonOf(error), ...(recipientOnly && { recipientOnly }) }),
    // A refused login or a wrong certificate needs the operator, and repeated logins may lock us out.
    mayRepeat: codeOf(error) < 500 && !isCertificateError(error),
  })

export const refused = (answer: string, recipients: ReadonlyArray<string>): AttemptFailed =>
  new AttemptFailed({ error: new RelayRefused({ answer, recipients }), mayRepeat: false })

/** At least one RCPT TO was refused: permanently if one reply was 5xx. */
export const recipientsRefused = (refusals: ReadonlyArray<unknown>): AttemptFailed => {
  const permanent = refusals.filter(isPermanent)
  const [first] = permanent
  if (first === undefined) {
    const [refusal] = refusals
    // 421 closes the connection, and 530 to 538 are about our login.
    return unavailable(refusal, codeOf(refusal) < 500 && codeOf(refusal) !== 421)
  }
  return refused(
    replyOf(first) ?? "refused",
    permanent.map((refusal) => textOf(refusal, "recipient")),
  )
}

/** The refused command, for the refusal of a whole mail; null when nodemailer failed before it. */
const commandOf = (error: unknown): "MAIL FROM" | "DATA" | null => {
  const command = textOf(error, "command")
  return command === "MAIL FROM" || command === "DATA" ? command : null
}

/** MAIL FROM or DATA was refused. */
export const mailRefused = (error: unknown, recipients: ReadonlyArray<string>): AttemptFailed => {
  const code = field(error, "code")
  // nodemailer refuses an address that fits no envelope, and a mail above the relay's SIZE, before it sends a command.
  const unsendable = codeOf(error) === 0 && (code === "EENVELOPE" || code === "EMESSAGE")
  if (!isPermanent(error) && !unsendable) return unavailable(error)
  const command = codeOf(error) === 0 ? null : commandOf(error)
  const answer = replyOf(error) ?? "the relay takes no such mail"
  const refusal = new RelayRefused({ answer, recipients, ...(command !== null && { command }) })
  return new AttemptFailed({ error: refusal, mayRepeat: false })
}

/** Whether the relay replied 4xx or 5xx to the end of the data: only then it surely did not take the mail. */
export const messageRefused = (error: unknown): boolean =>
  field(error, "command") === "DATA" &&
  field(error, "code") === "EMESSAGE" &&
  codeOf(error) >= 400 &&
  codeOf(error) < 600

/** The end of the data was sent, and no reply came: the relay may have taken the mail (RFC 5321 §4.2.5). */
export const uncertain = (reason: string): RelayUncertain =>
  new RelayUncertain({ reason: `no answer after the whole mail was sent: ${reason}` })

/** The connection ended between the end of the data and its reply. */
export const replyLost = (error: unknown): AttemptFailed =>
  new AttemptFailed({ error: uncertain(reasonOf(error)), mayRepeat: false })
