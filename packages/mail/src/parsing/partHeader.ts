/** Reads the Content fields of a part, and repairs them where mailparser would read them differently. */
import { type ContentType, readContentType, writeContentType } from "./contentTypeField.js"
import type { Edit } from "./edits.js"
import type { HeaderField } from "./headerBlock.js"
import { decodingOf } from "./textDecoding.js"

export interface PartHeader {
  readonly type: ContentType
  readonly encoding: string
  readonly disposition: string
  /** disposition `inline` or none (RFC 2183 §2.1) */
  readonly isInline: boolean
  readonly hasName: boolean
  /** repaired values by lower-case field name */
  readonly repaired: ReadonlyMap<string, string>
}

export interface PartContext {
  /** part of a multipart/digest, where the default type is message/rfc822 (RFC 2046 §5.1.5) */
  readonly isDigested: boolean
  /** whether the mail has a delimiter line of this boundary */
  readonly isDelimiter: (boundary: string) => boolean
}

export const isMultipart = ({ type }: ContentType): boolean => type?.startsWith("multipart/") === true

/** Of several Content-Type fields: a multipart with delimiters in the mail, else the first that is no multipart. */
const chosen = (types: ReadonlyArray<ContentType>, context: PartContext): ContentType | undefined =>
  types.length === 1
    ? types[0]
    : (types.find(
        (type) => isMultipart(type) && type.boundary !== null && context.isDelimiter(type.boundary),
      ) ??
      types.find((type) => type.type !== null && !isMultipart(type)) ??
      types.find(({ type }) => type !== null) ??
      types[0])

/** A parameter with a file name. */
const name = /(?:^|[;\s])(?:file)?name(?:\*\d*\*?)?\s*=\s*"?[^\s";]/i

/** Adds a missing semicolon before the file name. */
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
  const repaired = new Map<string, string>()
  if (written !== null && disposition !== written) repaired.set("content-disposition", disposition)
  const described = (effective: ContentType): PartHeader => ({
    type: effective,
    encoding: encoding ?? "",
    disposition,
    isInline,
    hasName,
    repaired,
  })
  if (type === undefined) {
    // Without a type, a name and a disposition, the part is text (RFC 2045 §5.2).
    const implied = context.isDigested ? "message/rfc822" : isInline && !hasName ? "text/plain" : ""
    if (context.isDigested) repaired.set("content-type", implied)
    return described(readContentType(implied))
  }
  const isUnknown = type.type === null
  // A malformed type is text (RFC 2045 §5.2), unless another field says that the part is a file.
  if (isUnknown && (!isInline || hasName || /^base64/i.test(encoding ?? ""))) return described(type)
  const effective = isUnknown ? { ...type, type: "text/plain" } : type
  if (types.length > 1 || !type.isRegular)
    repaired.set("content-type", writeContentType(effective, effective.charset))
  return described(effective)
}

/**
 * The header of a part without parts of its own; that of a text gets the charset for `decodeText`. A multipart without
 * delimiters is text, unless it is empty.
 */
export const textHeader = (header: PartHeader, content: Buffer): PartHeader => {
  const isText = !isMultipart(header.type)
  if (!header.isInline || (!isText && content.toString("latin1").trim() === "")) return header
  const type = isText ? header.type : { ...header.type, type: "text/plain", boundary: null, rest: [] }
  const decoding = decodingOf(type, header.encoding, content)
  if (isText && decoding === null && type.format === null) return header
  const value = writeContentType(type, decoding ?? type.charset)
  return { ...header, type, repaired: new Map([...header.repaired, ["content-type", value]]) }
}

/** The edits that write the repaired values. The header starts at `offset` in the body to edit. */
export const headerEdits = (
  fields: ReadonlyArray<HeaderField>,
  { repaired }: PartHeader,
  offset: number,
): ReadonlyArray<Edit> => {
  if (repaired.size === 0) return []
  const missing = new Set(repaired.keys())
  const changes = fields.flatMap((field): ReadonlyArray<Edit> => {
    const value = repaired.get(field.name)
    if (value === undefined) return []
    const line = missing.delete(field.name) ? `${field.name}: ${value}\r\n` : ""
    return [{ start: offset + field.start, end: offset + field.end, bytes: Buffer.from(line, "latin1") }]
  })
  const added = [...missing].map((one) => `${one}: ${repaired.get(one)}\r\n`).join("")
  return added === ""
    ? changes
    : [{ start: offset, end: offset, bytes: Buffer.from(added, "latin1") }, ...changes]
}
