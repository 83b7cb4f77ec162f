/** Changes to bytes at known places. */
import type { EncodedLines } from "@mailroom/domain"

export interface Edit {
  /** the bytes from here, up to `end`, are replaced */
  readonly start: number
  readonly end: number
  readonly bytes: Buffer
}

export interface Edited {
  readonly bytes: Buffer
  /** where bytes of the result are in the original; null when they did not come from there in one piece */
  readonly originOf: (lines: EncodedLines) => EncodedLines | null
}

/** A piece of the original, and where it is in the result. */
interface Piece {
  readonly start: number
  readonly end: number
  readonly origin: number
}

/** Makes the changes, which are in the order of their places and do not overlap. */
export const edited = (original: Buffer, edits: ReadonlyArray<Edit>): Edited => {
  if (edits.length === 0) return { bytes: original, originOf: (lines) => lines }
  const chunks: Array<Buffer> = []
  const pieces: Array<Piece> = []
  let length = 0
  const keep = (start: number, end: number) => {
    chunks.push(original.subarray(start, end))
    pieces.push({ start: length, end: length + end - start, origin: start })
    length += end - start
  }
  let from = 0
  for (const { start, end, bytes } of edits) {
    keep(from, start)
    chunks.push(bytes)
    length += bytes.length
    from = end
  }
  keep(from, original.length)
  return {
    bytes: Buffer.concat(chunks, length),
    originOf: ({ start, end }) => {
      const piece = pieces.findLast((one) => one.start <= start)
      if (piece === undefined || end > piece.end) return null
      const shift = piece.origin - piece.start
      return { start: start + shift, end: end + shift }
    },
  }
}
