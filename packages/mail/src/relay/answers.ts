/** What the relay said, as our errors. They hold its words and error codes, never an address or a password of ours. */
import { RelayRefused, RelayUnavailable } from "@mailroom/domain"
import { Predicate } from "effect"

const field = (error: unknown, name: string): unknown =>
  Predicate.hasProperty(error, name) ? error[name] : undefined

const replyOf = (error: unknown): string | null => {
  const response = field(error, "response")
  return typeof response === "string" && response !== ""
    ? response.replace(/[\r\n]+/g, " ").slice(0, 500)
    : null
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

/** Before any mail: whatever it is, the mail can be sent later. */
export const unavailable = (error: unknown): RelayUnavailable => {
  const code = field(error, "code")
  // What a login is answered is up to the relay, which knows our password by then.
  const reply = code === "EAUTH" ? null : replyOf(error)
  const reason = code === "EAUTH" ? "the relay refuses our login" : "no connection to the relay"
  return new RelayUnavailable({
    reason: reply ?? (typeof code === "string" ? `${reason} (${code})` : reason),
  })
}

/** Some recipients were not accepted: for good if any of them was refused for good. */
export const recipientsRefused = (refusals: ReadonlyArray<unknown>): RelayRefused | RelayUnavailable => {
  const forGood = refusals.filter(isPermanent)
  const [first] = forGood
  if (first === undefined) return unavailable(refusals[0])
  return new RelayRefused({
    answer: replyOf(first) ?? "refused",
    recipients: forGood.flatMap((refusal) => {
      const recipient = field(refusal, "recipient")
      return typeof recipient === "string" ? [recipient] : []
    }),
  })
}

/** The mail as a whole was not accepted. */
export const mailRefused = (
  error: unknown,
  recipients: ReadonlyArray<string>,
): RelayRefused | RelayUnavailable => {
  const code = field(error, "code")
  // Found out before asking: an address that cannot be written into an envelope, a mail above the relay's SIZE.
  const unsendable = codeOf(error) === 0 && (code === "EENVELOPE" || code === "EMESSAGE")
  if (!isPermanent(error) && !unsendable) return unavailable(error)
  return new RelayRefused({
    answer: replyOf(error) ?? "the relay takes no such mail",
    recipients,
  })
}
