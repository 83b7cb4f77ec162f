/**
 * The location of an attachment's bytes: a blob of its own, or a range of the raw mail (docs/decisions/0049). Both are
 * stored as a key.
 */
import { RawMailId } from "../ids.js"

/** A range of base64 lines in a raw mail: from byte `start` (inclusive) to byte `end` (exclusive). */
export interface EncodedLines {
  readonly start: number
  readonly end: number
}

export interface PlaceInMail {
  readonly rawId: RawMailId
  readonly lines: EncodedLines
}

export const keyInMail = ({ rawId, lines: { start, end } }: PlaceInMail): string =>
  `part/${rawId}/${start}-${end}`

const placeKey = /^part\/([^/]+)\/(\d+)-(\d+)$/

/** The range that a key names; null for the key of a blob. */
export const placeInMail = (key: string): PlaceInMail | null => {
  const [, rawId, start, end] = placeKey.exec(key) ?? []
  return rawId === undefined
    ? null
    : { rawId: RawMailId.make(rawId), lines: { start: Number(start), end: Number(end) } }
}

/** The keys that name blobs. */
export const blobsAmong = (keys: ReadonlyArray<string>): ReadonlyArray<string> =>
  keys.filter((key) => placeInMail(key) === null)
