/** Which parts of a mail are what it says, and not files that come with it. */
import type { StructuredField } from "./parameters.js"
import type { Leaf } from "./multipart.js"
import { decodeBytes } from "./charsets.js"
import { unflowed } from "./flowed.js"

export interface PartHead {
  /** `type/subtype`, lower-case */
  readonly type: string
  readonly contentType: StructuredField
  /** lower-case; empty when there is none */
  readonly disposition: string
  readonly filename: string | null
  /** something else in the mail points to it */
  readonly isReferred: boolean
}

/**
 * Text that was not sent as a file: the rule of RFC 8621 §4.1.4. A named text after the first part is a file, and
 * one that is pointed to in a multipart/related belongs to the HTML that does so.
 */
export const isBodyText = (leaf: Leaf, head: PartHead): boolean =>
  (head.type === "text/plain" || head.type === "text/html") &&
  (head.disposition === "" || head.disposition === "inline") &&
  (leaf.isFirst || (head.filename === null && !(leaf.within === "multipart/related" && head.isReferred)))

/** CRLF as LF, in any charset that has ASCII in it: a string of a large mail would be built of millions of pieces. */
const withoutReturns = (bytes: Uint8Array): Uint8Array => {
  const out = new Uint8Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte !== 0x0d || bytes[at + 1] !== 0x0a) out[length++] = byte
  }
  return out.subarray(0, length)
}

const isWide = (charset: string | null): boolean =>
  /^(?:utf-?(?:16|32)|ucs-?[24]|iso-10646|unicode$|csunicode)/i.test(charset ?? "")

/** The text of a part with its line ends as LF, paragraphs whole. */
export const bodyText = (bytes: Uint8Array, { type, contentType }: PartHead): string => {
  const charset = contentType.parameter("charset")
  const text = isWide(charset)
    ? decodeBytes(bytes, charset).replaceAll("\r\n", "\n")
    : decodeBytes(withoutReturns(bytes), charset)
  return type === "text/plain" && contentType.parameter("format")?.toLowerCase() === "flowed"
    ? unflowed(text, contentType.parameter("delsp")?.toLowerCase() === "yes")
    : text
}
