/** What kind of file some bytes are: by their signature, then by their type and name. */
import type { DocumentKind } from "@mailroom/domain"
import { relatedParts } from "./relations.js"
import { Unreadable } from "./collect.js"
import { type Archive, openArchive } from "./zip.js"

/** Without bytes that name it, what the type or the name of a file says it is. */
export interface DeclaredFile {
  readonly filename: string
  /** may have parameters */
  readonly contentType: string
}

/** A file of a known kind, opened as far as recognizing it needed. */
export type Recognized =
  | { readonly kind: "pdf" | "rtf" }
  | { readonly kind: "word" | "excel" | "powerpoint"; readonly archive: Archive; readonly main: string }
  | { readonly kind: "opendocument"; readonly archive: Archive }
  | { readonly kind: TextKind }

/** A PDF may begin with other bytes (ISO 32000-1, implementation note 13). */
const PDF_HEADER_WITHIN = 1024

const has = (bytes: Uint8Array, signature: string, from = 0): boolean =>
  Buffer.from(bytes.subarray(from, from + signature.length)).toString("latin1") === signature

const latin1 = (bytes: Uint8Array, length: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(length, bytes.length)).toString("latin1")

/** An OLE file: a document of Office 97, or the envelope of an encrypted one ([MS-OFFCRYPTO] §2.3.4.4). */
const OLE = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
const encryptedPackage = Buffer.from("EncryptedPackage", "utf16le")

const officeKinds = [
  ["word", /^word\//],
  ["excel", /^xl\//],
  ["powerpoint", /^ppt\//],
] as const

const recognizeArchive = async (archive: Archive): Promise<Recognized | null> => {
  const type = archive.names.includes("mimetype") ? ((await archive.read("mimetype")) ?? "") : ""
  if (/^application\/vnd\.oasis\.opendocument\.(?:text|spreadsheet|presentation)/.test(type.trim()))
    return { kind: "opendocument", archive }
  if (!archive.names.includes("[Content_Types].xml")) return null
  const [main] = await relatedParts(archive, "", ["officeDocument"])
  const [kind] = officeKinds.find(([, folder]) => main !== undefined && folder.test(main)) ?? []
  return kind === undefined || main === undefined ? null : { kind, archive, main }
}

/** Types and extensions whose files have a signature: without it, such a file is damaged. */
const signedType =
  /^application\/(?:pdf|rtf|msword|vnd\.openxmlformats-officedocument\.|vnd\.oasis\.opendocument\.(?:text|spreadsheet|presentation))|^text\/rtf/
const signedName = /\.(?:pdf|rtf|doc[xm]|dotx|xls[xm]|xltx|ppt[xm]|potx|od[tsp])$/i

const isSigned = ({ contentType, filename }: DeclaredFile): boolean =>
  signedType.test(contentType) || signedName.test(filename)

/** Bytes that are looked at to tell text from other files. */
const LOOKED_AT_BYTES = 64 * 1024

/** A control character that no text has: none of BS, TAB, LF, VT, FF, CR and ESC. */
const isBinary = (byte: number): boolean => byte < 32 && !(byte >= 8 && byte <= 13) && byte !== 27

/** Whether bytes are text in some charset. */
const isText = (bytes: Uint8Array): boolean =>
  has(bytes, "\xff\xfe") || has(bytes, "\xfe\xff") || !bytes.subarray(0, LOOKED_AT_BYTES).some(isBinary)

type TextKind = Extract<DocumentKind, "html" | "csv" | "json" | "text" | "calendar" | "mail">

const byType: ReadonlyArray<readonly [kind: TextKind, type: RegExp, name: RegExp]> = [
  ["calendar", /^text\/calendar|^application\/ics/, /\.(?:ics|ical|ifb)$/i],
  ["html", /^text\/html|^application\/xhtml/, /\.x?html?$/i],
  ["csv", /^text\/(?:csv|tab-separated-values)|^application\/csv/, /\.[ct]sv$/i],
  ["json", /^application\/(?:.+\+)?json|^text\/json/, /\.(?:json|geojson|ndjson|jsonl)$/i],
  ["mail", /^message\/(?:rfc822|global)/, /\.eml$/i],
]

const textKind = (file: DeclaredFile, bytes: Uint8Array): Recognized => {
  const head = latin1(bytes, 1024)
    .replace(/^\xef\xbb\xbf/, "")
    .trimStart()
  if (/^BEGIN:VCALENDAR/i.test(head)) return { kind: "calendar" }
  if (/^(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html)[\s>]/i.test(head)) return { kind: "html" }
  const byDeclaredType = byType.find(([, type]) => type.test(file.contentType))
  const declared = byDeclaredType ?? byType.find(([, , name]) => name.test(file.filename))
  return { kind: declared?.[0] ?? "text" }
}

/** null for a file without text. Throws `Unreadable` for an encrypted or damaged file of a kind with text. */
export const recognize = async (file: DeclaredFile, bytes: Uint8Array): Promise<Recognized | null> => {
  if (latin1(bytes, PDF_HEADER_WITHIN).includes("%PDF-")) return { kind: "pdf" }
  if (has(bytes, "{\\rt")) return { kind: "rtf" }
  if (has(bytes, "PK\x03\x04") || has(bytes, "PK\x05\x06")) {
    const found = await recognizeArchive(await openArchive(bytes))
    if (found === null && isSigned(file)) throw new Unreadable("damaged")
    return found
  }
  if (has(bytes, OLE)) {
    if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(encryptedPackage))
      throw new Unreadable("encrypted")
    return null
  }
  if (isText(bytes)) return textKind(file, bytes)
  if (isSigned(file)) throw new Unreadable("damaged")
  return null
}
