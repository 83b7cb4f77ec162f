/**
 * Decodes files in base64 without mailparser, which reads line by line and takes 10 ms for 1 MB; most of a large mail is
 * such files. mailparser gets a short random mark in place of the lines, and the attachment whose bytes are that mark
 * gets the bytes of the file.
 */
import type { EncodedLines } from "@mailroom/domain"
// Deep imports: a worker thread has a heap of its own, and all of the domain is most of it.
import {
  type EncodedLayout,
  ENCODED_LINE_MAX,
  encodedLayout,
  unpaddedLength,
} from "@mailroom/domain/attachments/encodedLines"
import { INLINE_MAX_BYTES } from "@mailroom/domain/limits"
import { randomBytes } from "node:crypto"
import { findDashLine } from "./delimiters.js"

/** Allocates so many bytes, not zeroed. */
export type Allocate = (bytes: number) => Buffer

/** mailparser decodes smaller files. */
const FILE_MIN_BYTES = 2 * 1024
/** mailparser decodes a part with a longer header (bytes). */
const HEADER_MAX_BYTES = 4 * 1024
/** What is kept of a decoded file: enough to see its type. */
const HEAD_BYTES = INLINE_MAX_BYTES
/** Lines decoded in one call: short strings stay in the processor's cache. */
const LINES_AT_ONCE = 64
/** Random bytes of a mark, so that a sender cannot guess it. */
const MARK_BYTES = 18

export interface FileBytes {
  /** all bytes; of a file in lines perhaps only the first 256 kB */
  readonly bytes: Buffer
  readonly sizeBytes: number
  /** where the file is in the body; null when mailparser read it */
  readonly lines: EncodedLines | null
}

/** What mailparser found. */
export const asRead = (bytes: Buffer): FileBytes => ({ bytes, sizeBytes: bytes.length, lines: null })

export interface LiftedFiles {
  /** the body with a mark in the place of each file */
  readonly body: Buffer
  /** the file for the content that mailparser found, which may be a mark */
  readonly fileOf: (content: Buffer) => FileBytes
  /** all bytes of a file in lines */
  readonly wholeOf: (lines: EncodedLines) => Buffer
  /** whether mailparser found every mark; otherwise the mail has to be parsed without marks */
  readonly areAllFound: () => boolean
}

/** A file in lines, and the mark for them. */
interface LiftedFile extends Omit<FileBytes, "lines"> {
  readonly lines: EncodedLines
  readonly mark: string
}

const isEncoded = /^content-transfer-encoding:[ \t]*base64[ \t]*$/im
/** Types that are attachments in any part. */
const isFile = /^content-type:[ \t]*(?:application|audio|font|image|model|video)\/[^\s;]+/im

const isLineEnd = (lines: Buffer, at: number): boolean => lines[at] === 0x0d && lines[at + 1] === 0x0a

/**
 * The layout of lines of base64 that all have the same length, except the last. null for anything else, because decoders
 * differ there: `Buffer` skips other characters, but accepts `-` and `_` of base64url.
 */
const regularLayout = (lines: Buffer): EncodedLayout | null => {
  const width = lines.subarray(0, ENCODED_LINE_MAX + 2).indexOf("\r\n")
  if (width < 4 || width % 4 !== 0) return null
  if (lines.includes("-") || lines.includes("_")) return null
  const tail = lines.subarray(-4).toString("latin1")
  const length = unpaddedLength(lines.length, tail)
  for (let at = width; at < length; at += width + 2) if (!isLineEnd(lines, at)) return null
  return encodedLayout(lines.length, width, tail)
}

/** Holds what the lines decoded in one call decode to. */
const scratch = Buffer.allocUnsafeSlow((ENCODED_LINE_MAX + 2) * LINES_AT_ONCE)

/** Decodes regular lines into `bytes`, as far as there is room. Returns the number of bytes of all lines. */
const decodeInto = (bytes: Buffer, lines: Buffer, { width }: EncodedLayout): number => {
  const step = (width + 2) * LINES_AT_ONCE
  let decoded = 0
  for (let at = 0; at < lines.length; at += step) {
    const written = scratch.write(lines.toString("latin1", at, at + step), "base64")
    if (decoded < bytes.length) scratch.copy(bytes, decoded, 0, written)
    decoded += written
  }
  return decoded
}

/** The file in the part between two lines with leading `--`, which start at `boundary` and end at `end`; or null. */
const fileIn = (body: Buffer, boundary: number, end: number, allocate: Allocate): LiftedFile | null => {
  if (end - boundary < FILE_MIN_BYTES) return null
  const empty = body.subarray(boundary, Math.min(end, boundary + HEADER_MAX_BYTES)).indexOf("\r\n\r\n")
  if (empty === -1) return null
  const header = body.toString("latin1", boundary, boundary + empty)
  if (!isEncoded.test(header) || !isFile.test(header)) return null
  const start = boundary + empty + 4
  if (end - start < FILE_MIN_BYTES) return null
  const lines = body.subarray(start, end)
  const layout = regularLayout(lines)
  if (layout === null) return null
  const { sizeBytes } = layout
  const bytes = allocate(Math.min(sizeBytes, HEAD_BYTES))
  // Fewer bytes than the layout says: another character is among those of base64.
  if (decodeInto(bytes, lines, layout) !== sizeBytes) return null
  return { lines: { start, end }, bytes, sizeBytes, mark: randomBytes(MARK_BYTES).toString("base64") }
}

/** Whether the first line may be a delimiter: then there is no preamble. */
export const beginsWithBoundary = (body: Buffer): boolean => body[0] === 0x2d && body[1] === 0x2d

/** The offset of the next line with leading `--` that follows a CRLF, at or after `start`; -1 without one. */
const boundaryFrom = (body: Buffer, start: number): number => {
  let line = findDashLine(body, start)
  while (line > 0 && !isLineEnd(body, line - 2)) {
    const feed = body.indexOf(0x0a, line)
    line = feed === -1 ? -1 : findDashLine(body, feed + 1)
  }
  return line
}

const filesOf = (body: Buffer, allocate: Allocate): ReadonlyArray<LiftedFile> => {
  const files: Array<LiftedFile> = []
  let boundary = boundaryFrom(body, 0)
  while (boundary !== -1) {
    const feed = body.indexOf(0x0a, boundary)
    const next = feed === -1 ? -1 : boundaryFrom(body, feed + 1)
    if (next === -1) break
    const file = fileIn(body, boundary, next - 2, allocate)
    if (file !== null) files.push(file)
    boundary = next
  }
  return files
}

/** `allocate` gives the memory for the decoded files. */
export const liftFiles = (body: Buffer, allocate: Allocate): LiftedFiles => {
  const files = filesOf(body, allocate)
  const missing = new Map(files.map((file) => [file.mark, file]))
  const pieces: Array<Buffer> = []
  let start = 0
  for (const { lines, mark } of files) {
    pieces.push(body.subarray(start, lines.start), Buffer.from(mark, "latin1"))
    start = lines.end
  }
  return {
    body: files.length === 0 ? body : Buffer.concat([...pieces, body.subarray(start)]),
    fileOf: (content) => {
      const mark = content.length === MARK_BYTES ? content.toString("base64") : ""
      const file = missing.get(mark)
      if (file === undefined) return asRead(content)
      missing.delete(mark)
      return file
    },
    wholeOf: ({ start, end }) => Buffer.from(body.toString("latin1", start, end), "base64"),
    areAllFound: () => missing.size === 0,
  }
}
