/** The text inside attachments (docs/decisions/0063): which kinds of files have one, and pages of it. */
import { Schema } from "effect"
import { described } from "../described.js"

export const DocumentKind = Schema.Literal(
  "pdf",
  "word",
  "excel",
  "powerpoint",
  "opendocument",
  "rtf",
  "html",
  "csv",
  "json",
  "text",
  "calendar",
  "mail",
).annotations({ identifier: "DocumentKind", description: "Kind of file that the text was read from" })
export type DocumentKind = typeof DocumentKind.Type

/** The text of a whole file. */
export interface DocumentText {
  readonly kind: DocumentKind
  /** at most `ATTACHMENT_TEXT_MAX_LENGTH` UTF-16 units */
  readonly text: string
  /** whether the file has more text */
  readonly truncated: boolean
}

/** Why a file of a readable kind gave no text. */
export type UnreadableReason = "encrypted" | "damaged" | "too large" | "took too long"

export const AttachmentTextPage = Schema.Struct({
  text: described(Schema.String, "the text from `offset` on, at most `maxChars` characters"),
  offset: described(Schema.Int, "where this part begins, in UTF-16 units from the start of the text"),
  nextOffset: described(Schema.NullOr(Schema.Int), "`offset` of the next part; null at the end"),
  total: described(Schema.Int, "length of the whole text in UTF-16 units"),
  kind: described(DocumentKind, "kind of file, by its bytes"),
  truncated: Schema.optional(Schema.Boolean).annotations({
    description: "true when the file has more than the 2,000,000 characters that are kept",
  }),
}).annotations({ identifier: "AttachmentText", description: "A part of the text inside an attachment" })
export type AttachmentTextPage = typeof AttachmentTextPage.Type

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** `index`, or one more where that would split a surrogate pair. */
const between = (text: string, index: number): number =>
  index < text.length && isLowSurrogate(text.charCodeAt(index)) ? index + 1 : index

/** A part of a text that splits no surrogate pair. `maxChars` is at least 1; beyond the end the part is empty. */
export const textPage = (
  { kind, text, truncated }: DocumentText,
  offset: number,
  maxChars: number,
): AttachmentTextPage => {
  const start = between(text, Math.min(offset, text.length))
  const end = between(text, Math.min(start + maxChars, text.length))
  return {
    text: text.slice(start, end),
    offset: start,
    nextOffset: end < text.length ? end : null,
    total: text.length,
    kind,
    ...(truncated && { truncated }),
  }
}
