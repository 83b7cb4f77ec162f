/**
 * Files of a mail that are plain lines of base64, decoded in one step. mailparser reads line by line: 1 MB takes it 10 ms,
 * and most of a large mail is such files. So mailparser gets a short mark in the place of the lines, and the attachment
 * whose bytes are that mark gets the bytes of the file.
 */
import type { EncodedLines } from "@mailroom/domain"
import { randomBytes } from "node:crypto"
import { lineOfDashes } from "./delimiters.js"

/** Gives memory of so many bytes, with whatever was there before. */
export type Allocate = (bytes: number) => Buffer

/** Fewer bytes are left to mailparser. */
const FILE_MIN_BYTES = 2 * 1024
/** A part with a longer header (bytes) is left to mailparser. */
const HEADER_MAX_BYTES = 4 * 1024
/** Characters of a line (RFC 2045 §6.8 allows 76; some send more). */
const WIDTH_MAX = 1000
/** Decoded in one call: short strings stay in the processor's cache. */
const LINES_AT_ONCE = 64
/** Random bytes of a mark: no sender can foresee it. */
const MARK_BYTES = 18

export interface FileBytes {
  readonly bytes: Buffer
  /** where they are in the body; null when mailparser read them */
  readonly lines: EncodedLines | null
}

export interface LiftedFiles {
  /** the body with a mark in the place of each file */
  readonly body: Buffer
  /** of the content that mailparser found for an attachment */
  readonly fileOf: (content: Buffer) => FileBytes
  /** whether every mark was found: otherwise the mail has to be read as it came */
  readonly areAllFound: () => boolean
}

/** The lines of a file, what they decode to, and the mark for them. */
interface LiftedFile {
  readonly lines: EncodedLines
  readonly bytes: Buffer
  readonly mark: string
}

const isEncoded = /^content-transfer-encoding:[ \t]*base64[ \t]*$/im
/** A type that is an attachment wherever it stands. */
const isFile = /^content-type:[ \t]*(?:application|audio|font|image|model|video)\/[^\s;]+/im

/** How many characters stand in front of the padding and the line ends at the end. */
const lengthOf = (lines: Buffer): number => {
  const ending = lines.subarray(-4).toString("latin1")
  return lines.length - ending.length + ending.replace(/[=\r\n]+$/, "").length
}

/** The line end that stands at `at`. */
const isLineEnd = (lines: Buffer, at: number): boolean => lines[at] === 0x0d && lines[at + 1] === 0x0a

/**
 * The bytes of lines of base64 that are equally long but for the last, or null: where anything else is there, decoders
 * differ. What is unknown to base64 makes the result too short; the two characters of its variant for URLs do not.
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

/** The part between two lines that begin with `--`, when it is such a file. */
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

/** Whether the first line may be a boundary: then nothing stands in front of the first part. */
export const beginsWithBoundary = (body: Buffer): boolean => body[0] === 0x2d && body[1] === 0x2d

/** The next line of dashes from `start`, the start of a line, on that has CRLF in front of it; -1 without one. */
const boundaryFrom = (body: Buffer, start: number): number => {
  let line = lineOfDashes(body, start)
  while (line > 0 && !isLineEnd(body, line - 2)) {
    const feed = body.indexOf(0x0a, line)
    line = feed === -1 ? -1 : lineOfDashes(body, feed + 1)
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

/** The bytes of the files are in memory that `allocate` gave. */
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
