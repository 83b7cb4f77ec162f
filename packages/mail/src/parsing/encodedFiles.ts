/**
 * Decodes files in base64 without mailparser, which reads line by line and takes 10 ms for 1 MB; most of a large mail is
 * such files. mailparser gets a short random mark in place of the lines, and the attachment whose bytes are that mark
 * gets the bytes of the file.
 */
import type { EncodedLines } from "@mailroom/domain"
import { randomBytes } from "node:crypto"
import { findDashLine } from "./delimiters.js"

/** Allocates so many bytes, not zeroed. */
export type Allocate = (bytes: number) => Buffer

/** mailparser decodes smaller files. */
const FILE_MIN_BYTES = 2 * 1024
/** mailparser decodes a part with a longer header (bytes). */
const HEADER_MAX_BYTES = 4 * 1024
/** Characters of a line (RFC 2045 §6.8 allows 76; some send more). */
const WIDTH_MAX = 1000
/** Lines decoded in one call: short strings stay in the processor's cache. */
const LINES_AT_ONCE = 64
/** Random bytes of a mark, so that a sender cannot guess it. */
const MARK_BYTES = 18

export interface FileBytes {
  readonly bytes: Buffer
  /** where they are in the body; null when mailparser read them */
  readonly lines: EncodedLines | null
}

export interface LiftedFiles {
  /** the body with a mark in the place of each file */
  readonly body: Buffer
  /** the file for the content that mailparser found, which may be a mark */
  readonly fileOf: (content: Buffer) => FileBytes
  /** whether mailparser found every mark; otherwise the mail has to be parsed without marks */
  readonly areAllFound: () => boolean
}

/** The lines of a file, what they decode to, and the mark for them. */
interface LiftedFile {
  readonly lines: EncodedLines
  readonly bytes: Buffer
  readonly mark: string
}

const isEncoded = /^content-transfer-encoding:[ \t]*base64[ \t]*$/im
/** Types that are attachments in any part. */
const isFile = /^content-type:[ \t]*(?:application|audio|font|image|model|video)\/[^\s;]+/im

/** The length without padding and line ends at the end. */
const lengthOf = (lines: Buffer): number => {
  const ending = lines.subarray(-4).toString("latin1")
  return lines.length - ending.length + ending.replace(/[=\r\n]+$/, "").length
}

const isLineEnd = (lines: Buffer, at: number): boolean => lines[at] === 0x0d && lines[at + 1] === 0x0a

/**
 * Decodes lines of base64 that all have the same length, except the last. null for anything else, because decoders differ
 * there: `Buffer` skips other characters, which makes the result too short, but accepts `-` and `_` of base64url.
 */
const decoded = (lines: Buffer, allocate: Allocate): Buffer | null => {
  const width = lines.indexOf("\r\n")
  if (width < 4 || width > WIDTH_MAX || width % 4 !== 0) return null
  if (lines.includes("-") || lines.includes("_")) return null
  const length = lengthOf(lines)
  for (let at = width; at < length; at += width + 2) if (!isLineEnd(lines, at)) return null
  const characters = length - 2 * Math.floor(length / (width + 2))
  const bytes = allocate(Math.floor((characters * 3) / 4))
  const step = (width + 2) * LINES_AT_ONCE
  let written = 0
  for (let at = 0; at < lines.length; at += step)
    written += bytes.write(lines.toString("latin1", at, at + step), written, "base64")
  return written === bytes.length ? bytes : null
}

/** The file in the part between two lines with leading `--`, which start at `boundary` and end at `end`; or null. */
const fileIn = (body: Buffer, boundary: number, end: number, allocate: Allocate): LiftedFile | null => {
  if (end - boundary < FILE_MIN_BYTES) return null
  const empty = body.subarray(boundary, Math.min(end, boundary + HEADER_MAX_BYTES)).indexOf("\r\n\r\n")
  if (empty === -1) return null
  const header = body.toString("latin1", boundary, boundary + empty)
  if (!isEncoded.test(header) || !isFile.test(header)) return null
  const start = boundary + empty + 4
  const bytes = end - start < FILE_MIN_BYTES ? null : decoded(body.subarray(start, end), allocate)
  return bytes === null
    ? null
    : { lines: { start, end }, bytes, mark: randomBytes(MARK_BYTES).toString("base64") }
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
      if (file === undefined) return { bytes: content, lines: null }
      missing.delete(mark)
      return { bytes: file.bytes, lines: file.lines }
    },
    areAllFound: () => missing.size === 0,
  }
}
