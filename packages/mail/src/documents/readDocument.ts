/** Reads the text inside a file of any kind that has one. */
import type { DocumentText, UnreadableReason } from "@mailroom/domain"
import { ATTACHMENT_TEXT_MAX_LENGTH } from "@mailroom/domain/limits"
import type { Document } from "@mailroom/engine"
import { decodeBytes } from "../parsing/charsets.js"
import { htmlText } from "../reading/html.js"
import { type Collected, cut, Unreadable } from "./collect.js"
import { type Recognized, recognize } from "./kinds.js"
import { readOpenDocument } from "./openDocument.js"
import { readPowerPoint, readWord } from "./paragraphs.js"
import { readPdf } from "./pdf.js"
import { readRtf } from "./rtf.js"
import { readWorkbook } from "./workbook.js"

/** The text of a file, or why there is none. */
export type DocumentResult =
  | { readonly kind: "text"; readonly document: DocumentText }
  | { readonly kind: "no text"; readonly isEmpty: boolean }
  | { readonly kind: "unreadable"; readonly reason: UnreadableReason }

/** Bytes of UTF-8 that hold all the text that is kept. */
const TEXT_MAX_BYTES = 4 * ATTACHMENT_TEXT_MAX_LENGTH

/** The start of a text in UTF-8, without a part of a character at its end. */
const startOf = (bytes: Uint8Array): Uint8Array => {
  let end = Math.min(bytes.length, TEXT_MAX_BYTES)
  while (end < bytes.length && end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, end)
}

const charsetOf = ([first, second]: Uint8Array): string | null => {
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : null
}

const decoded = (bytes: Uint8Array): string =>
  decodeBytes(startOf(bytes), charsetOf(bytes))
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")

const plain = (bytes: Uint8Array): Collected => cut(decoded(bytes), bytes.length > TEXT_MAX_BYTES)

const readHtml = (html: string): Collected =>
  cut(
    htmlText(html)
      .lines.map(({ text }) => text)
      .join("\n")
      .trim(),
  )

/** Addresses, subject and date; then the text; then the names of the files. */
const readMail = async (bytes: Uint8Array): Promise<Collected> => {
  // The parser is large, and most files are no mails.
  const { parseMail } = await import("../parsing/parseMail.js")
  const mail = await parseMail(bytes)
  const named = (addresses: typeof mail.to) =>
    addresses.map(({ address, name }) => (name === null ? address : `${name} <${address}>`)).join(", ")
  const date = mail.headers["date"]
  const head = [
    ["From", named(mail.from === null ? [] : [mail.from])],
    ["To", named(mail.to)],
    ["Cc", named(mail.cc)],
    ["Date", typeof date === "string" ? date : ""],
    ["Subject", mail.subject],
  ].flatMap(([name, value]) => (value === "" ? [] : [`${name}: ${value}`]))
  const files = mail.attachments.map(({ filename }) => `[${filename}]`)
  const text = mail.text ?? mail.textOfHtml ?? ""
  return cut([head.join("\n"), text.trim(), files.join("\n")].filter((part) => part !== "").join("\n\n"))
}

const readAs = async (recognized: Recognized, bytes: Uint8Array): Promise<Collected> => {
  switch (recognized.kind) {
    case "pdf":
      return readPdf(bytes)
    case "word":
      return readWord(recognized.archive, recognized.main)
    case "powerpoint":
      return readPowerPoint(recognized.archive, recognized.main)
    case "excel":
      return readWorkbook(recognized.archive, recognized.main)
    case "opendocument":
      return readOpenDocument(recognized.archive)
    case "rtf":
      return readRtf(bytes)
    case "html":
      return readHtml(decoded(bytes))
    case "mail":
      return readMail(bytes)
    case "calendar":
      return cut(decoded(bytes).replace(/\n[ \t]/g, ""), bytes.length > TEXT_MAX_BYTES)
    case "csv":
    case "json":
    case "text":
      return plain(bytes)
  }
}

/** Never rejects. */
export const readDocument = async ({ bytes, ...file }: Document): Promise<DocumentResult> => {
  if (bytes.length === 0) return { kind: "no text", isEmpty: true }
  try {
    const recognized = await recognize(file, bytes)
    if (recognized === null) return { kind: "no text", isEmpty: false }
    const collected = await readAs(recognized, bytes)
    return { kind: "text", document: { kind: recognized.kind, ...collected } }
  } catch (error) {
    return { kind: "unreadable", reason: error instanceof Unreadable ? error.reason : "damaged" }
  }
}
