/**
 * Reads the structure of a multipart mail (RFC 2046 §5.1), and repairs it where mailparser would lose parts or show their
 * source as text. A regular mail is not changed. Makes one pass over the lines with leading `--`, in linear time.
 */
import { appendedTextEdits } from "./appendedText.js"
import { isAsciiLabel, isUtf8Label } from "./charsets.js"
import { type ContentType, writeContentType } from "./contentTypeField.js"
import {
  boundariesIn,
  type DashLine,
  dashLineAfter,
  delimiterTest,
  firstDashLine,
  closedBoundary,
} from "./delimiters.js"
import type { Edit } from "./edits.js"
import { type HeaderField, readHeaderBlock } from "./headerBlock.js"
import { headerEdits, isMultipart, type PartHeader, readPartHeader, textHeader } from "./partHeader.js"

/** mailparser stops at more parts. */
const PARTS_MAX = 1000

export interface Structure {
  /** the repairs of the body */
  readonly edits: ReadonlyArray<Edit>
  /** the first charset other than ASCII and UTF-8 that a text declares */
  readonly charset: string | null
  /** whether the mail has at least one part */
  readonly hasParts: boolean
  /** whether it has a multipart/alternative, whose parts should say the same */
  readonly hasAlternatives: boolean
}

/** A part up to its end, or a multipart up to its first delimiter. */
interface Part {
  readonly header: PartHeader
  readonly fields: ReadonlyArray<HeaderField>
  readonly start: number
  readonly bodyStart: number
  readonly isUnended: boolean
}

/** A multipart between its first delimiter and its last. */
interface OpenMultipart {
  readonly type: ContentType
  readonly boundary: string
  /** the depth of an enclosing multipart with the same boundary */
  readonly shadowed: number | undefined
}

interface Delimiter {
  readonly boundary: string
  readonly isLast: boolean
  /** the depth of its multipart in `open`; null for the first delimiter of the current part */
  readonly depth: number | null
}

const isGenericCharset = (charset: string | null): boolean =>
  charset === null || isAsciiLabel(charset) || isUtf8Label(charset)

const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1")

/** An inline text with a name is an attachment as well, except in multipart/alternative and multipart/related. */
const isFileToo = ({ type, isInline, disposition, hasName }: PartHeader, around: ContentType): boolean =>
  (type.type === "text/plain" || type.type === "text/html") &&
  isInline &&
  disposition !== "" &&
  hasName &&
  around.type !== "multipart/alternative" &&
  around.type !== "multipart/related"

const fileHeader = ({ type, encoding, disposition }: PartHeader): string => {
  const semicolon = disposition.indexOf(";")
  return [
    `content-type: ${writeContentType(type, type.charset)}`,
    ...(encoding === "" ? [] : [`content-transfer-encoding: ${encoding}`]),
    `content-disposition: attachment${semicolon === -1 ? "" : disposition.slice(semicolon)}`,
    "\r\n",
  ].join("\r\n")
}

/** `type` is that of the mail. */
export const readStructure = (type: ContentType, body: Buffer): Structure => {
  const edits: Array<Edit> = []
  const open: Array<OpenMultipart> = []
  const depths = new Map<string, number>()
  let part: Part | null = null
  let charset: string | null = null
  let hasAlternatives = false
  let parts = 0

  const insert = (at: number, bytes: Buffer) => edits.push({ start: at, end: at, bytes })

  const repairHeader = ({ fields, start, bodyStart, isUnended }: Part, header: PartHeader) => {
    for (const edit of headerEdits(fields, header, start)) edits.push(edit)
    if (isUnended) insert(bodyStart, bytesOf("\r\n"))
  }

  const isDelimiter = delimiterTest(body)

  const beginMultipart = (own: ContentType, boundary: string) => {
    if (own.type === "multipart/alternative") hasAlternatives = true
    open.push({ type: own, boundary, shadowed: depths.get(boundary) })
    depths.set(boundary, open.length - 1)
  }

  const endMultipart = () => {
    const last = open.pop()
    if (last?.shadowed !== undefined) depths.set(last.boundary, last.shadowed)
    else if (last !== undefined) depths.delete(last.boundary)
  }

  const delimiterNamed = (boundary: string, isLast: boolean): Delimiter | null => {
    const awaited = open.length === 0 ? type : part?.header.type
    if (awaited !== undefined && awaited.boundary === boundary && isMultipart(awaited))
      return { boundary, isLast, depth: null }
    const depth = depths.get(boundary)
    return depth === undefined ? null : { boundary, isLast, depth }
  }

  const delimiterIn = (dashes: DashLine): Delimiter | null => {
    for (const boundary of boundariesIn(dashes)) {
      const last = closedBoundary(boundary)
      const found = delimiterNamed(boundary, false) ?? (last === null ? null : delimiterNamed(last, true))
      if (found !== null) return found
    }
    return null
  }

  const endPart = (end: number) => {
    const around = open.at(-1)
    if (part === null || around === undefined) return
    const { header } = part
    const content = body.subarray(part.bodyStart, end)
    repairHeader(part, textHeader(header, content))
    for (const edit of appendedTextEdits(header, content, part.bodyStart)) edits.push(edit)
    part = null
    if (isFileToo(header, around.type))
      insert(
        end,
        Buffer.concat([
          bytesOf(`${body[end - 1] === 0x0a ? "" : "\r\n"}--${around.boundary}\r\n${fileHeader(header)}`),
          content,
        ]),
      )
  }

  const beginPart = (start: number, end: number) => {
    const block = readHeaderBlock(body.subarray(start, end))
    const isDigested = open.at(-1)?.type.type === "multipart/digest"
    const header = readPartHeader(block.fields, { isDigested, isDelimiter })
    if (header.type.type?.startsWith("text/") === true && !isGenericCharset(header.type.charset))
      charset ??= header.type.charset
    const { fields, isUnended } = block
    part = { header, fields, start, bodyStart: start + block.bodyStart, isUnended }
    parts++
  }

  /** Rewrites a delimiter that has trailing white space or no line end. */
  const repairDelimiter = ({ start, end }: DashLine, { boundary, isLast }: Delimiter) => {
    const line = `--${boundary}${isLast ? "--" : ""}`
    const rest = body.toString("latin1", start + line.length, end)
    if (rest === "\r\n" || rest === "\n" || (isLast && rest === "")) return
    edits.push({ start, end, bytes: bytesOf(`${line}\r\n`) })
  }

  const takeDelimiter = (dashes: DashLine, delimiter: Delimiter, headerEnd: number) => {
    if (delimiter.depth !== null) {
      endPart(dashes.start)
      // Close the multiparts inside that have no closing delimiter.
      for (
        let inner = open.at(-1);
        inner !== undefined && open.length - 1 > delimiter.depth;
        inner = open.at(-1)
      ) {
        insert(dashes.start, bytesOf(`--${inner.boundary}--\r\n`))
        endMultipart()
      }
    } else if (part === null) beginMultipart(type, delimiter.boundary)
    else {
      repairHeader(part, part.header)
      beginMultipart(part.header.type, delimiter.boundary)
      part = null
    }
    repairDelimiter(dashes, delimiter)
    if (delimiter.isLast) endMultipart()
    else beginPart(dashes.end, headerEnd)
  }

  for (let dashes = firstDashLine(body); dashes !== null;) {
    const next = dashLineAfter(body, dashes)
    const delimiter = delimiterIn(dashes)
    if (delimiter !== null) {
      takeDelimiter(dashes, delimiter, next?.start ?? body.length)
      if (open.length === 0 || parts > PARTS_MAX) break
    }
    dashes = next
  }
  if (parts <= PARTS_MAX) endPart(body.length)
  return { edits, charset, hasParts: parts > 0, hasAlternatives }
}
