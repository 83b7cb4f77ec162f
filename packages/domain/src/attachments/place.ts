/**
 * Where the bytes of an attachment are: in a blob of its own, or in the raw mail that it came with (docs/decisions/0049).
 * Both are written as a key.
 */
import { RawMailId } from "../ids.js"

/** Lines of base64 in a raw mail: from the byte `start` up to, not including, the byte `end`. */
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

/** The place that a key names; null for the key of a blob. */
export const placeInMail = (key: string): PlaceInMail | null => {
  const [, rawId, start, end] = placeKey.exec(key) ?? []
  return rawId === undefined
    ? null
    : { rawId: RawMailId.make(rawId), lines: { start: Number(start), end: Number(end) } }
}

/** Those keys that name blobs. */
export const blobsAmong = (keys: ReadonlyArray<string>): ReadonlyArray<string> =>
  keys.filter((key) => placeInMail(key) === null)
