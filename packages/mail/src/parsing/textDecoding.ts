/**
 * Decodes the bytes of a text part: its charset, and the line breaks of `format=flowed` (RFC 3676 §4). mailparser passes
 * a decoder only the name of a charset, and uses none for ASCII and UTF-8. So the header that we write for a part has a
 * made-up charset, which names the format as well.
 */
import { isAscii } from "node:buffer"
import { decodeBytes, decodeUndeclared, isAsciiLabel, isUtf8Label } from "./charsets.js"
import type { ContentType } from "./contentTypeField.js"

interface Line {
  /** quote depth: the number of leading `>` (§4.5) */
  readonly depth: number
  /** without the `>` and the space that space-stuffing added (§4.4) */
  readonly text: string
  readonly isFlowed: boolean
}

const lineOf = (line: string): Line => {
  let depth = 0
  while (line[depth] === ">") depth++
  const text = line.slice(line[depth] === " " ? depth + 1 : depth)
  // The separator line of a signature ends with a space and is fixed (§4.3).
  return { depth, text, isFlowed: text.endsWith(" ") && text !== "-- " }
}

const written = (depth: number, text: string): string =>
  depth === 0 ? text : text === "" ? ">".repeat(depth) : `${">".repeat(depth)} ${text}`

/** Whether `next` belongs to the paragraph of `line`. */
const continues = (line: Line, next: Line | undefined): boolean =>
  line.isFlowed && next?.depth === line.depth && next.text !== "-- " && next.text !== ""

/**
 * Joins the lines of each paragraph of `format=flowed`. A paragraph ends with a fixed line, before a signature separator,
 * and where the quote depth changes (§4.5), so a quote and its answer stay apart. An empty line ends it too, although §4.2
 * joins it: people leave a space at the end of their last line. A quote depth of two becomes `>> `.
 * `isDelSp` removes the space at which a line was broken (§4.1).
 */
const unflowed = (text: string, isDelSp: boolean): string => {
  const out: Array<string> = []
  let paragraph: Array<string> = []
  const lines = text.split(/\r?\n/).map(lineOf)
  for (const [at, line] of lines.entries()) {
    const isOpen = continues(line, lines[at + 1])
    paragraph.push(isOpen && isDelSp ? line.text.slice(0, -1) : line.text)
    if (isOpen) continue
    out.push(written(line.depth, paragraph.join("")))
    paragraph = []
  }
  return out.join("\n")
}

const UNDECLARED = "undeclared"
const UNDECLARED_HTML = "undeclared-html"
const FLOWED = "flowed:"
const FLOWED_DELSP = "flowed-delsp:"

const flowOf = ({ type, format, delSp }: ContentType): string => {
  if (type !== "text/plain" || format !== "flowed") return ""
  return delSp === "yes" ? FLOWED_DELSP : FLOWED
}

const ESCAPE = 0x1b

/** Whether the decoded text is ASCII, judged by the encoded bytes. false when that cannot be told, as with ISO-2022-JP. */
const isSurelyAscii = (encoding: string, bytes: Buffer): boolean => {
  if (/^base64/i.test(encoding) || bytes.includes(ESCAPE)) return false
  return isAscii(bytes) && !(/^quoted/i.test(encoding) && /=(?:[89A-F]|1B)/i.test(bytes.toString("latin1")))
}

/** The charset to write into the header of a text, for `decodeText`; null when mailparser decodes it correctly. */
export const decodingOf = (type: ContentType, encoding: string, bytes: Buffer): string | null => {
  if (type.type !== "text/plain" && type.type !== "text/html") return null
  const flow = flowOf(type)
  const charset = type.charset === null || isAsciiLabel(type.charset) ? null : type.charset
  if (flow !== "") return flow + (charset ?? UNDECLARED)
  if (charset !== null || isSurelyAscii(encoding, bytes)) return null
  return type.type === "text/html" ? UNDECLARED_HTML : UNDECLARED
}

/** Bytes in which a page names its charset (HTML §13.2.3.2). */
const META_MAX_BYTES = 1024

/** The charset that a page names in a `meta` element; null without one, and for UTF-16, in which nobody could read it. */
const metaCharset = (bytes: Uint8Array): string | null => {
  const head = Buffer.from(bytes.subarray(0, META_MAX_BYTES)).toString("latin1")
  const charset = /<meta\s[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1] ?? null
  return charset === null || /^utf-?16/i.test(charset) ? null : charset
}

/** As UTF-8 when it is that, although its `meta` element says otherwise: programs on the way convert only the text. */
const decodedHtml = (bytes: Uint8Array): string => {
  const charset = metaCharset(bytes)
  // ISO-2022-JP is valid UTF-8.
  return charset !== null && /^iso-2022-jp/i.test(charset)
    ? decodeBytes(bytes, charset)
    : decodeUndeclared(bytes, charset)
}

const lenientUtf8 = new TextDecoder()

/** Text that is declared as UTF-8 is decoded as UTF-8, even if some of its bytes are invalid. */
const decoded = (bytes: Uint8Array, charset: string): string => {
  if (charset === UNDECLARED_HTML) return decodedHtml(bytes)
  return isUtf8Label(charset) ? lenientUtf8.decode(bytes) : decodeBytes(bytes, charset)
}

/** `charset` comes from `decodingOf`, or is any other. */
export const decodeText = (bytes: Uint8Array, charset: string): string => {
  for (const flow of [FLOWED, FLOWED_DELSP])
    if (charset.startsWith(flow))
      return unflowed(decoded(bytes, charset.slice(flow.length)), flow === FLOWED_DELSP)
  return decoded(bytes, charset)
}
