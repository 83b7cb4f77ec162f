/** The body of a mail, read as its header and its structure say. */
// A deep import: a worker thread has a heap of its own, and all of the domain is most of it.
import { INLINE_MAX_BYTES } from "@mailroom/domain/limits"
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
  /** the charset that the mail, or else its first text with one, declares; null when that says nothing of other bytes */
  readonly charset: string | null
}

const contentFields = ({ fields }: HeaderBlock): ReadonlyArray<HeaderField> =>
  fields.filter(({ name }) => name.startsWith("content-"))

const contentHeader = (block: HeaderBlock, body: Buffer): PartHeader =>
  readPartHeader(contentFields(block), { isDigested: false, isDelimiter: delimiterTest(body) })

/** The body of a mail of which only the header is read. */
export const unreadBody = (block: HeaderBlock, failure: string): MailBody => ({
  parts: { ...noParts, failure },
  charset: contentHeader(block, Buffer.alloc(0)).type.charset,
})

/** The fields as mailparser is to see them, each with its line end. */
const writtenFields = (fields: ReadonlyArray<HeaderField>, { mended }: PartHeader): string =>
  [
    ...fields.filter(({ name }) => !mended.has(name)).map(({ name, value }) => [name, value] as const),
    ...mended,
  ]
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")

/** As text, which it is where nothing says what it is. */
const plainText = readPartHeader([], { isDigested: false, isDelimiter: () => false })

const isEmpty = (parts: Parts): boolean =>
  parts.text === null && parts.html === null && parts.attachments.length === 0

const isBlank = (body: Buffer): boolean => body.toString("latin1").trim() === ""

/** The parts by the boundary that is declared, or else by the one that the body seems to have; null without any. */
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
          const origin = raw.length <= INLINE_MAX_BYTES ? originOf(lines) : null
          return origin && { start: origin.start + block.bodyStart, end: origin.end + block.bodyStart }
        },
      },
      allocate,
    )
  }
  const readText = (text: PartHeader, own: ReadonlyArray<HeaderField>) =>
    read(writtenFields(own, textHeader(text, body)), [], header.type.charset)
  const { charset } = header.type
  if (!isMultipart(header.type)) return { parts: await readText(header, fields), charset }

  const found = structureOf(header.type, body)
  const mended =
    found === null || found.type === header.type
      ? header
      : {
          ...header,
          mended: new Map([...header.mended, ["content-type", writeContentType(found.type, null)]]),
        }
  const hint = charset ?? found?.structure.charset ?? null
  const parts =
    found === null ? noParts : await read(writtenFields(fields, mended), found.structure.edits, hint)
  const isLost = found === null || (parts.failure !== null && isEmpty(parts))
  if (!isLost || isBlank(body)) return { parts, charset: hint }
  const text = await readText(plainText, [])
  return { parts: { ...text, failure: parts.failure ?? "multipart without parts" }, charset: hint }
}
