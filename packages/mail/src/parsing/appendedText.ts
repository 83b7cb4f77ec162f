/** Repairs a text in base64 to which a mailing list appended a plain footer: decoders read the footer as base64, too. */
import type { Edit } from "./edits.js"
import type { PartHeader } from "./partHeader.js"

/** Lines of base64 alone, as in a body of several pieces that end with `=` each. */
const isEncoded = (text: string): boolean =>
  /^[A-Za-z\d+/=\s]*$/.test(text) && text.replace(/\s/g, "").length % 4 === 0

/** A line of base64, which no footer has: the part goes on behind something else. */
const encodedLine = /^[A-Za-z\d+/]{40,}={0,2}\s*$/m

/** Where other text begins: behind the `=` that end base64, or with the first line that has another character; or null. */
const footerStart = (text: string): number | null => {
  const other = text.search(/[^A-Za-z\d+/\s]/)
  if (other === -1) return null
  const padding = /^={1,2}/.exec(text.slice(other, other + 2))?.[0] ?? ""
  const start = padding === "" ? text.lastIndexOf("\n", other) + 1 : other + padding.length
  const footer = text.slice(start)
  return start === 0 || !isEncoded(text.slice(0, start)) || isEncoded(footer) || encodedLine.test(footer)
    ? null
    : start
}

const LINE_END = Buffer.from("\r\n")

/** The edit that encodes the footer with the text. `content` is at `offset` in the body to edit. */
export const appendedTextEdits = (
  { type, encoding, isInline }: PartHeader,
  content: Buffer,
  offset: number,
): ReadonlyArray<Edit> => {
  if (!isInline || !/^base64/i.test(encoding) || (type.type !== "text/plain" && type.type !== "text/html"))
    return []
  const text = content.toString("latin1")
  const start = footerStart(text)
  if (start === null) return []
  const footer = Buffer.from(text.slice(start).trim(), "latin1")
  const whole = Buffer.concat([Buffer.from(text.slice(0, start), "base64"), LINE_END, footer])
  const lines = whole.toString("base64").replace(/.{76}/g, "$&\r\n")
  return [{ start: offset, end: offset + content.length, bytes: Buffer.from(`${lines}\r\n`, "latin1") }]
}
