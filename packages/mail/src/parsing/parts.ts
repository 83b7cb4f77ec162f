/** The body of a mail: its texts, and the files that come with it. */
import type { ParsedAttachment } from "@mailroom/domain"
import { safeFilename } from "@mailroom/domain/attachments/filename"
import { detectExtension } from "nodemailer/lib/mime-funcs"
import { bodyText, isBodyText, type PartHead } from "./bodyTexts.js"
import { calendarMethod } from "./calendar.js"
import { wellFormed } from "./charsets.js"
import { contentTypeOf } from "./contentTypes.js"
import type { HeaderBlock } from "./headerBlock.js"
import { fieldOf, type Leaf, readLeaves } from "./multipart.js"
import { readStructured, type StructuredField } from "./parameters.js"
import { decodeTransfer } from "./transferEncoding.js"

export interface Parts {
  readonly text: string | null
  readonly html: string | null
  readonly attachments: ReadonlyArray<ParsedAttachment>
  /** why not all of it was read as it says */
  readonly failure: string | null
}

export const noParts: Parts = { text: null, html: null, attachments: [], failure: null }

/** Without the angle brackets, and as a `cid:` URL says it once decoded (RFC 2392). */
const contentIdOf = (field: string): string | null => {
  const id = (/<([^<>]*)>/.exec(field)?.[1] ?? field).trim()
  try {
    return wellFormed(decodeURIComponent(id)) || null
  } catch {
    return wellFormed(id) || null
  }
}

/** The last step of the place that a web page has it from (RFC 2557). */
const nameInLocation = (field: string): string | null => {
  const path = field.replace(/[?#].*$/, "").replace(/\s+/g, "")
  return /[^/:]+\.[a-z0-9]{1,8}$/i.exec(path)?.[0] ?? null
}

const filenameOf = (disposition: StructuredField, contentType: StructuredField): string | null =>
  [disposition.text("filename"), contentType.text("name")].find(
    (name) => name !== null && name.trim() !== "",
  ) ?? null

/** What a part that names no type is: text, unless it is a file, or stands in a digest (RFC 2046 §5.1.5). */
const typeOf = (leaf: Leaf, declared: string, isFile: boolean): string => {
  if (leaf.isPartless) return "text/plain"
  if (/^[^/]+\/[^/]+$/.test(declared) || isFile) return declared
  return leaf.within === "multipart/digest" && declared === "" ? "message/rfc822" : "text/plain"
}

const headOf = (leaf: Leaf): PartHead => {
  const contentType = readStructured(fieldOf(leaf.fields, "content-type"))
  const disposition = readStructured(fieldOf(leaf.fields, "content-disposition"))
  const filename = leaf.isPartless ? null : filenameOf(disposition, contentType)
  const isFile = filename !== null || disposition.value === "attachment"
  return {
    type: typeOf(leaf, contentType.value, isFile),
    contentType,
    disposition: disposition.value,
    filename,
    isReferred: fieldOf(leaf.fields, "content-id") !== "" || fieldOf(leaf.fields, "content-location") !== "",
  }
}

const fileOf = async (
  leaf: Leaf,
  head: PartHead,
  bytes: Uint8Array,
  ordinal: number,
): Promise<ParsedAttachment> => {
  const given = head.filename ?? nameInLocation(fieldOf(leaf.fields, "content-location"))
  const type = await contentTypeOf(head.type, given, bytes)
  const method = type === "text/calendar" ? calendarMethod(head.contentType, bytes) : null
  const fallback = method === null ? `attachment-${ordinal}.${detectExtension(type)}` : "invite.ics"
  return {
    filename: wellFormed(safeFilename(given, fallback)),
    contentType: method === null ? type : `${type}; method=${method}`,
    contentId: contentIdOf(fieldOf(leaf.fields, "content-id")),
    bytes,
  }
}

const joined = (texts: ReadonlyArray<string>, separator: string): string | null => {
  const text = wellFormed(texts.filter((one) => one !== "").join(separator))
  return text === "" ? null : text
}

export const readParts = async (raw: Buffer, block: HeaderBlock): Promise<Parts> => {
  const { leaves, defect } = readLeaves(raw, block.fields, block.bodyStart)
  const texts: Array<string> = []
  const htmls: Array<string> = []
  const attachments: Array<ParsedAttachment> = []
  for (const leaf of leaves) {
    const head = headOf(leaf)
    const bytes = decodeTransfer(leaf.content, fieldOf(leaf.fields, "content-transfer-encoding"))
    if (!isBodyText(leaf, head)) attachments.push(await fileOf(leaf, head, bytes, attachments.length + 1))
    else if (head.type === "text/html") htmls.push(bodyText(bytes, head))
    else texts.push(bodyText(bytes, head))
  }
  return { text: joined(texts, "\n"), html: joined(htmls, "<br/>\n"), attachments, failure: defect }
}
