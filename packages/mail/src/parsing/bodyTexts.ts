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

/** The text of a part with its line ends as LF, paragraphs whole. */
export const bodyText = (bytes: Uint8Array, { type, contentType }: PartHead): string => {
  const text = decodeBytes(bytes, contentType.parameter("charset")).replaceAll("\r\n", "\n")
  return type === "text/plain" && contentType.parameter("format")?.toLowerCase() === "flowed"
    ? unflowed(text, contentType.parameter("delsp")?.toLowerCase() === "yes")
    : text
}
