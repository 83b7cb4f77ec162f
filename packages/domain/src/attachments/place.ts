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

/** The blob of a received file. It is named after the queue entry of its mail: a second attempt to deliver overwrites it. */
export const receivedFileKey = (queueEntryId: string, index: number): string =>
  `attachments/${queueEntryId}/${index}`

const receivedFile = /^attachments\/([^/]+)\/\d+$/

/** The id in a key of `receivedFileKey`: null for other keys. Files of imports have the same form, and ids of no entry. */
export const queueEntryOf = (key: string): string | null => receivedFile.exec(key)?.[1] ?? null

/** The keys that name blobs. */
export const blobsAmong = (keys: ReadonlyArray<string>): ReadonlyArray<string> =>
  keys.filter((key) => placeInMail(key) === null)
