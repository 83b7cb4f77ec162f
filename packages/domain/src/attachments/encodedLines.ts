/**
 * A file in base64 lines that all have the same length, except the last, each with CRLF (docs/decisions/0049). So the place
 * of each of its bytes follows from a few numbers.
 */

/** Characters of a line (RFC 2045 §6.8 allows 76; some send more). */
export const ENCODED_LINE_MAX = 1000

export interface EncodedLayout {
  /** bytes of all lines */
  readonly length: number
  /** characters of a line without its end */
  readonly width: number
  /** bytes of the file */
  readonly sizeBytes: number
}

/** Both ends inclusive, like an HTTP Range. */
interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The length without the padding and the line end behind the last line. `tail`: the last four characters of the lines. */
export const unpaddedLength = (length: number, tail: string): number =>
  length - tail.length + tail.replace(/[=\r\n]+$/, "").length

export const encodedLayout = (length: number, width: number, tail: string): EncodedLayout => {
  const withoutEnd = unpaddedLength(length, tail)
  const characters = withoutEnd - 2 * Math.floor(withoutEnd / (width + 2))
  return { length, width, sizeBytes: Math.floor((characters * 3) / 4) }
}

/** The lines that a range of the file is in. */
export interface EncodedPart {
  /** in the lines; it begins with the four characters of three bytes */
  readonly encoded: ByteRange
  /** bytes that the part decodes to in front of the range */
  readonly skip: number
  /** bytes of the range */
  readonly take: number
}

/** The part for a range of the file; null when the range is behind its end. */
export const encodedPart = (
  { length, width, sizeBytes }: EncodedLayout,
  { start, end }: ByteRange,
): EncodedPart | null => {
  const last = Math.min(end, sizeBytes - 1)
  if (start > last) return null
  const offsetOf = (character: number) => character + 2 * Math.floor(character / width)
  const threes = Math.floor(start / 3)
  const lastCharacter = 4 * Math.floor(last / 3) + 3
  return {
    encoded: { start: offsetOf(4 * threes), end: Math.min(offsetOf(lastCharacter), length - 1) },
    skip: start - 3 * threes,
    take: last - start + 1,
  }
}
