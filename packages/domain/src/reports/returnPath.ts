/**
 * Signed addresses that outgoing mail carries, one for each recipient (VERP; docs/decisions/0042): the return path
 * `bounces+{message id}{recipient}-{signature}@{domain of the sender}` and the addresses to unsubscribe:
 * `unsub+{message id}{recipient}-{signature}@…` from all mail of the account, and `optout+…`, in a mail marked `bulk`,
 * from that of the mailbox (docs/decisions/0069). Only those who have the recipient's mail know such an address.
 * `recipient` is the
 * recipient's index in `sentTo`, as two hexadecimal digits. Everything is hexadecimal because some servers change the
 * case of a local part. 63 characters at most, of the 64 that a local part may have (RFC 5321 §4.5.3.1.1).
 */
import { Option, Schema } from "effect"
import { MessageId } from "../ids.js"

export const ReturnKind = Schema.Literal("bounces", "unsub", "optout")
export type ReturnKind = typeof ReturnKind.Type

/** Hexadecimal digits of the signature: 80 bits, too many to guess by RCPT TO. */
export const RETURN_SIGNATURE_LENGTH = 20

/** The content of a signed address. */
export interface ReturnTarget {
  readonly messageId: MessageId
  /** index in `sentTo`, 0 to 255; null in mail of earlier versions, which had one address for all recipients */
  readonly recipient: number | null
}

export interface ReturnAddress extends ReturnTarget {
  readonly kind: ReturnKind
  readonly signature: string
}

/** The signed text. Without a recipient it is that of earlier versions. */
export const signedTarget = ({ messageId, recipient }: ReturnTarget): string =>
  recipient === null ? messageId : `${messageId} ${recipient}`

/** The local part; the signature does not depend on the domain. */
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

/** Parses a signed address or its local part, without checking the signature. */
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

/** The local part to which providers and mailbox operators send complaints (RFC 6449 §3). */
export const feedbackAddress = (platformDomain: string): string => `feedback@${platformDomain}`
