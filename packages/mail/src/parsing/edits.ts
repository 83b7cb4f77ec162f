/** Replaces ranges of a buffer, and keeps track of where the other bytes come from. */
import type { EncodedLines } from "@mailroom/domain"

export interface Edit {
  /** replaces the bytes from `start` up to `end` */
  readonly start: number
  readonly end: number
  readonly bytes: Buffer
}

export interface Edited {
  readonly bytes: Buffer
  /** the range of the original that a range of the result was copied from; null when it is not one piece of it */
  readonly originOf: (lines: EncodedLines) => EncodedLines | null
}

/** A range of the result, and the offset it has in the original. */
interface Piece {
  readonly start: number
  readonly end: number
  readonly origin: number
}

/** `edits` are ordered by offset and do not overlap. */
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
