/** What the relay said, as our errors. They hold its words and error codes, never an address or a password of ours. */
import { RelayRefused, RelayUnavailable, RelayUncertain } from "@mailroom/domain"
import { Data, Predicate } from "effect"

/** One try to send a mail came to nothing. */
export class AttemptFailed extends Data.TaggedError("AttemptFailed")<{
  readonly error: RelayRefused | RelayUnavailable | RelayUncertain
  /** whether another try may go better, and cannot send the mail twice */
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

/** 530 and above up to 538 are about our login, not about the mail: somebody has to look at our configuration. */
const isPermanent = (error: unknown): boolean => {
  const code = codeOf(error)
  return code >= 500 && code < 600 && !(code >= 530 && code <= 538)
}

/** Found out by us: the library gives TLS failures no code of their own. */
const distrusts = (error: unknown): boolean => /certificate|altnames/i.test(textOf(error, "message"))

const reasonOf = (error: unknown): string => {
  const code = textOf(error, "originalCode") || textOf(error, "code")
  // What a login is answered is up to the relay, which knows our password by then.
  if (code === "EAUTH") return "the relay refuses our login (EAUTH)"
  const reply = replyOf(error)
  if (reply !== null) return reply
  const reason = distrusts(error) ? "the relay's certificate is not trusted" : "no connection to the relay"
  return code === "" ? reason : `${reason} (${code})`
}

/** Before any mail, or for now: whatever it is, the mail can be sent later. */
export const unavailable = (error: unknown): AttemptFailed =>
  new AttemptFailed({
    error: new RelayUnavailable({ reason: reasonOf(error) }),
    // A login that is refused or a certificate that is wrong stays so, and failing often may lock us out.
    mayRepeat: codeOf(error) < 500 && !distrusts(error),
  })

export const refused = (answer: string, recipients: ReadonlyArray<string>): AttemptFailed =>
  new AttemptFailed({ error: new RelayRefused({ answer, recipients }), mayRepeat: false })

/** Some recipients were not accepted: for good if any of them was refused for good. */
export const recipientsRefused = (refusals: ReadonlyArray<unknown>): AttemptFailed => {
  const forGood = refusals.filter(isPermanent)
  const [first] = forGood
  if (first === undefined) return unavailable(refusals[0])
  return refused(
    replyOf(first) ?? "refused",
    forGood.map((refusal) => textOf(refusal, "recipient")),
  )
}

/** The command that a refusal of the whole mail answers; none where the relay was not asked. */
const commandOf = (error: unknown): "MAIL FROM" | "DATA" | null => {
  const command = textOf(error, "command")
  return command === "MAIL FROM" || command === "DATA" ? command : null
}

/** The mail as a whole was not accepted. */
export const mailRefused = (error: unknown, recipients: ReadonlyArray<string>): AttemptFailed => {
  const code = field(error, "code")
  // Found out before asking: an address that cannot be written into an envelope, a mail above the relay's SIZE.
  const unsendable = codeOf(error) === 0 && (code === "EENVELOPE" || code === "EMESSAGE")
  if (!isPermanent(error) && !unsendable) return unavailable(error)
  const command = codeOf(error) === 0 ? null : commandOf(error)
  const answer = replyOf(error) ?? "the relay takes no such mail"
  const refusal = new RelayRefused({ answer, recipients, ...(command !== null && { command }) })
  return new AttemptFailed({ error: refusal, mayRepeat: false })
}

/** Whether the relay said what became of a whole mail: only a 4xx or 5xx to its end says that it was not taken. */
export const answersEnd = (error: unknown): boolean =>
  field(error, "command") === "DATA" &&
  field(error, "code") === "EMESSAGE" &&
  codeOf(error) >= 400 &&
  codeOf(error) < 600

/** The end of the mail was handed over, and what came then was no answer (RFC 5321 §4.2.5). */
export const uncertain = (reason: string): RelayUncertain =>
  new RelayUncertain({ reason: `no answer after the whole mail was sent: ${reason}` })

/** The connection ended after that. */
export const answerLost = (error: unknown): AttemptFailed =>
  new AttemptFailed({ error: uncertain(reasonOf(error)), mayRepeat: false })
