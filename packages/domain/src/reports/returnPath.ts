/**
 * Addresses that mail which left carries along, and that tell which message it was when something comes back (VERP;
 * decisions §6): `bounces+{message id}-{signature}@{domain of its sender}`, the return path, and
 * `unsub+{message id}-{signature}@…`. Hexadecimal, because some servers change the case of a local part; 61 characters, of
 * the 64 that one may have (RFC 5321 §4.5.3.1.1).
 */
import { Option, Schema } from "effect"
import { MessageId } from "../ids.js"

export const ReturnKind = Schema.Literal("bounces", "unsub")
export type ReturnKind = typeof ReturnKind.Type

/** 80 bits: more than anybody can try, one RCPT TO at a time. */
export const RETURN_SIGNATURE_LENGTH = 20

export interface ReturnAddress {
  readonly kind: ReturnKind
  readonly messageId: MessageId
  readonly signature: string
}

/** The local part alone: what is signed does not depend on the domain. */
export const returnLocalPart = ({ kind, messageId, signature }: ReturnAddress): string =>
  `${kind}+${messageId.replaceAll("-", "")}-${signature}`

const local = new RegExp(
  `^(${ReturnKind.literals.join("|")})\\+([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})` +
    `-([0-9a-f]{${RETURN_SIGNATURE_LENGTH}})(?:@|$)`,
  "i",
)
const kindOf = Schema.decodeUnknownOption(ReturnKind)
const messageIdOf = Schema.decodeOption(MessageId)

/** What such an address claims, whole or its local part alone. Its signature is not looked at. */
export const readReturnAddress = (text: string): Option.Option<ReturnAddress> => {
  const match = local.exec(text.trim())
  if (match === null) return Option.none()
  const [, kind = "", ...parts] = match.map((part) => part.toLowerCase())
  return Option.all({
    kind: kindOf(kind),
    messageId: messageIdOf(parts.slice(0, 5).join("-")),
    signature: Option.fromNullable(parts[5]),
  })
}

/** Where providers and mailbox operators send the complaints that they collect (RFC 6449 §3). */
export const feedbackAddress = (platformDomain: string): string => `feedback@${platformDomain}`
