/**
 * Signed addresses that outgoing mail carries, one for each recipient (VERP; docs/decisions/0042): the return path
 * `bounces+{message id}{recipient}-{signature}@{domain of the sender}` and the address to unsubscribe,
 * `unsub+{message id}{recipient}-{signature}@…`. Whoever writes to such an address has the mail of that recipient.
 * `recipient` is two hexadecimal digits: the recipient's place in `sentTo`. Everything is hexadecimal because some servers
 * change the case of a local part. 63 characters at most, of the 64 that a local part may have (RFC 5321 §4.5.3.1.1).
 */
import { Option, Schema } from "effect"
import { MessageId } from "../ids.js"

export const ReturnKind = Schema.Literal("bounces", "unsub")
export type ReturnKind = typeof ReturnKind.Type

/** Hexadecimal digits: 80 bits, more than anybody can try, one RCPT TO at a time. */
export const RETURN_SIGNATURE_LENGTH = 20

/** What such an address stands for. */
export interface ReturnTarget {
  readonly messageId: MessageId
  /** place in `sentTo`, 0 to 255; null in mail of versions before, which had one address for all recipients */
  readonly recipient: number | null
}

export interface ReturnAddress extends ReturnTarget {
  readonly kind: ReturnKind
  readonly signature: string
}

/** The text that is signed. Without a recipient it is what versions before signed. */
export const signedTarget = ({ messageId, recipient }: ReturnTarget): string =>
  recipient === null ? messageId : `${messageId} ${recipient}`

/** The local part alone: the signature does not depend on the domain. */
export const returnLocalPart = ({ kind, messageId, recipient, signature }: ReturnAddress): string => {
  const place = recipient === null ? "" : recipient.toString(16).padStart(2, "0")
  return `${kind}+${messageId.replaceAll("-", "")}${place}-${signature}`
}

const local = new RegExp(
  `^(${ReturnKind.literals.join("|")})\\+([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})([0-9a-f]{2})?` +
    `-([0-9a-f]{${RETURN_SIGNATURE_LENGTH}})(?:@|$)`,
  "i",
)
const kindOf = Schema.decodeUnknownOption(ReturnKind)
const messageIdOf = Schema.decodeOption(MessageId)

/** What such an address claims, whole or its local part alone. Its signature is not looked at. */
export const readReturnAddress = (text: string): Option.Option<ReturnAddress> => {
  const match = local.exec(text.trim())
  if (match === null) return Option.none()
  const [, kind = "", ...parts] = match.map((part: string | undefined) => part?.toLowerCase())
  const place = parts[5]
  return Option.all({
    kind: kindOf(kind),
    messageId: messageIdOf(parts.slice(0, 5).join("-")),
    recipient: Option.some(place === undefined ? null : Number.parseInt(place, 16)),
    signature: Option.fromNullable(parts[6]),
  })
}

/** Where providers and mailbox operators send the complaints that they collect (RFC 6449 §3). */
export const feedbackAddress = (platformDomain: string): string => `feedback@${platformDomain}`
