/** What the header of a part says of its content, and its fields as they have to be for mailparser to read the same. */
import { type ContentType, readContentType, writeContentType } from "./contentTypeField.js"
import type { Edit } from "./edits.js"
import type { HeaderField } from "./headerBlock.js"
import { decodingOf } from "./textDecoding.js"

export interface PartHeader {
  readonly type: ContentType
  readonly encoding: string
  readonly disposition: string
  /** whether the text is shown with the mail */
  readonly isInline: boolean
  readonly hasName: boolean
  /** values to be written in the place of those that came, by lower-case name */
  readonly mended: ReadonlyMap<string, string>
}

export interface PartContext {
  /** whether the part is a mail where it does not say what it is (RFC 2046 §5.1.5) */
  readonly isDigested: boolean
  /** whether a line of the mail delimits parts by this boundary */
  readonly isDelimiter: (boundary: string) => boolean
}

export const isMultipart = ({ type }: ContentType): boolean => type?.startsWith("multipart/") === true

/** Of several, the multipart whose boundary is there; else the first that is no multipart. */
const chosen = (types: ReadonlyArray<ContentType>, context: PartContext): ContentType | undefined =>
  types.length === 1
    ? types[0]
    : (types.find(
        (type) => isMultipart(type) && type.boundary !== null && context.isDelimiter(type.boundary),
      ) ??
      types.find((type) => type.type !== null && !isMultipart(type)) ??
      types.find(({ type }) => type !== null) ??
      types[0])

/** A parameter that names a file, with a name. */
const name = /(?:^|[;\s])(?:file)?name(?:\*\d*\*?)?\s*=\s*"?[^\s";]/i

/** A missing semicolon in front of the name of the file. */
const withSemicolon = (disposition: string): string =>
  disposition.replace(/^(inline|attachment)[\s,]+(?=filename)/i, "$1; ")

export const readPartHeader = (fields: ReadonlyArray<HeaderField>, context: PartContext): PartHeader => {
  const types: Array<ContentType> = []
  let written: string | null = null
  let encoding: string | null = null
  for (const { name: field, value } of fields) {
    if (field === "content-type") types.push(readContentType(value))
    else if (field === "content-disposition") written ??= value
    else if (field === "content-transfer-encoding") encoding ??= value
  }
  const disposition = written === null ? "" : withSemicolon(written)
  const type = chosen(types, context)
  const isInline = disposition === "" || /^inline(?![^\s;])/i.test(disposition)
  const hasName = name.test(disposition) || type?.rest.some((parameter) => name.test(parameter)) === true
  const mended = new Map<string, string>()
  if (written !== null && disposition !== written) mended.set("content-disposition", disposition)
  const described = (effective: ContentType): PartHeader => ({
    type: effective,
    encoding: encoding ?? "",
    disposition,
    isInline,
    hasName,
    mended,
  })
  if (type === undefined) {
    // Without a type, a name or a disposition, it is text (RFC 2045 §5.2).
    const implied = context.isDigested ? "message/rfc822" : isInline && !hasName ? "text/plain" : ""
    if (context.isDigested) mended.set("content-type", implied)
    return described(readContentType(implied))
  }
  const isUnknown = type.type === null
  // Nonsense is text (RFC 2045 §5.2), unless something else says that it is a file.
  if (isUnknown && (!isInline || hasName || /^base64/i.test(encoding ?? ""))) return described(type)
  const effective = isUnknown ? { ...type, type: "text/plain" } : type
  if (types.length > 1 || !type.isRegular)
    mended.set("content-type", writeContentType(effective, effective.charset))
  return described(effective)
}

/**
 * The header of a part that has no parts of its own, with the charset under which its content, if it is a text, is
 * decoded. A multipart whose delimiters never came is text, unless nothing is there.
 */
export const textHeader = (header: PartHeader, content: Buffer): PartHeader => {
  const isText = !isMultipart(header.type)
  if (!header.isInline || (!isText && content.toString("latin1").trim() === "")) return header
  const type = isText ? header.type : { ...header.type, type: "text/plain", boundary: null, rest: [] }
  const decoding = decodingOf(type, header.encoding, content)
  if (isText && decoding === null && type.format === null) return header
  const value = writeContentType(type, decoding ?? type.charset)
  return { ...header, type, mended: new Map([...header.mended, ["content-type", value]]) }
}

/** Writes the values that are mended into fields that are `offset` bytes behind the start of what is edited. */
export const headerEdits = (
  fields: ReadonlyArray<HeaderField>,
  { mended }: PartHeader,
  offset: number,
): ReadonlyArray<Edit> => {
  if (mended.size === 0) return []
  const missing = new Set(mended.keys())
  const changes = fields.flatMap((field): ReadonlyArray<Edit> => {
    const value = mended.get(field.name)
    if (value === undefined) return []
    const line = missing.delete(field.name) ? `${field.name}: ${value}\r\n` : ""
    return [{ start: offset + field.start, end: offset + field.end, bytes: Buffer.from(line, "latin1") }]
  })
  const added = [...missing].map((one) => `${one}: ${mended.get(one)}\r\n`).join("")
  return added === ""
    ? changes
    : [{ start: offset, end: offset, bytes: Buffer.from(added, "latin1") }, ...changes]
}
