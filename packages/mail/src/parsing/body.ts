/** Reads the body of a mail: one text, or the parts of a multipart. */
import { appendedTextEdits } from "./appendedText.js"
import { type ContentType, writeContentType } from "./contentTypeField.js"
import { delimiterTest, guessedBoundary } from "./delimiters.js"
import { type Edit, edited } from "./edits.js"
import type { Allocate } from "./encodedFiles.js"
import type { HeaderBlock, HeaderField } from "./headerBlock.js"
import { isMultipart, type PartHeader, readPartHeader, textHeader } from "./partHeader.js"
import { noParts, type Parts, readParts } from "./parts.js"
import { readStructure, type Structure } from "./structure.js"

export interface MailBody {
  readonly parts: Parts
  /** the charset that the mail, else its first text with one, declares: a hint for bytes without a charset */
  readonly charset: string | null
  /** whether its text and its HTML should say the same */
  readonly hasAlternatives: boolean
}

const contentFields = ({ fields }: HeaderBlock): ReadonlyArray<HeaderField> =>
  fields.filter(({ name }) => name.startsWith("content-"))

const contentHeader = (block: HeaderBlock, body: Buffer): PartHeader =>
  readPartHeader(contentFields(block), { isDigested: false, isDelimiter: delimiterTest(body) })

/** The body of a mail whose body is not to be parsed. */
export const unreadBody = (block: HeaderBlock, failure: string): MailBody => ({
  parts: { ...noParts, failure },
  charset: contentHeader(block, Buffer.alloc(0)).type.charset,
  hasAlternatives: false,
})

/** The fields for mailparser, each with its line end: repaired values in place of those that came. */
const writtenFields = (fields: ReadonlyArray<HeaderField>, { repaired }: PartHeader): string =>
  [
    ...fields.filter(({ name }) => !repaired.has(name)).map(({ name, value }) => [name, value] as const),
    ...repaired,
  ]
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")

/** Without a Content-Type, a part is plain text (RFC 2045 §5.2). */
const plainText = readPartHeader([], { isDigested: false, isDelimiter: () => false })

const isEmpty = (parts: Parts): boolean =>
  parts.text === null && parts.html === null && parts.attachments.length === 0

const isBlank = (body: Buffer): boolean => body.toString("latin1").trim() === ""

/** The parts by the declared boundary, else by a guessed one; null when neither has parts. */
const structureOf = (
  type: ContentType,
  body: Buffer,
): { readonly type: ContentType; readonly structure: Structure } | null => {
  if (type.boundary !== null) {
    const structure = readStructure(type, body)
    if (structure.hasParts) return { type, structure }
  }
  const boundary = guessedBoundary(body)
  if (boundary === null) return null
  const guessed = { ...type, boundary }
  return { type: guessed, structure: readStructure(guessed, body) }
}

export const readBody = async (raw: Buffer, block: HeaderBlock, allocate: Allocate): Promise<MailBody> => {
  const body = raw.subarray(block.bodyStart)
  const fields = contentFields(block)
  const header = contentHeader(block, body)
  const read = (written: string, edits: ReadonlyArray<Edit>, charset: string | null): Promise<Parts> => {
    const { bytes, originOf } = edited(body, edits)
    return readParts(
      {
        fields: written,
        body: bytes,
        charset,
        placeOf: (lines) => {
          const origin = originOf(lines)
          return origin && { start: origin.start + block.bodyStart, end: origin.end + block.bodyStart }
        },
      },
      allocate,
    )
  }
  const readText = (text: PartHeader, own: ReadonlyArray<HeaderField>) =>
    read(writtenFields(own, textHeader(text, body)), appendedTextEdits(text, body, 0), header.type.charset)
  const { charset } = header.type
  if (!isMultipart(header.type))
    return { parts: await readText(header, fields), charset, hasAlternatives: false }

  const found = structureOf(header.type, body)
  const repaired =
    found === null || found.type === header.type
      ? header
      : {
          ...header,
          repaired: new Map([...header.repaired, ["content-type", writeContentType(found.type, null)]]),
        }
  const hint = charset ?? found?.structure.charset ?? null
  const parts =
    found === null ? noParts : await read(writtenFields(fields, repaired), found.structure.edits, hint)
  const isLost = found === null || (parts.failure !== null && isEmpty(parts))
  if (!isLost || isBlank(body))
    return { parts, charset: hint, hasAlternatives: found?.structure.hasAlternatives ?? false }
  const text = await readText(plainText, [])
  return {
    parts: { ...text, failure: parts.failure ?? "multipart without parts" },
    charset: hint,
    hasAlternatives: false,
  }
}
