/** The bytes of attachments, wherever they are. */
import { type EncodedLines, type PlaceInMail, placeInMail } from "@mailroom/domain"
import { Effect, Option, Stream } from "effect"
import { readBlob, readRaw } from "../inbound/rawContent.js"
import type { Blob, Blobs, ByteRange } from "../ports/Blobs.js"
import type { RawMailStore } from "../ports/stores/RawMailStore.js"

/** What a parser found for an attachment of the mail `raw`, as bytes. */
export const bytesIn = (raw: Uint8Array, content: Uint8Array | EncodedLines): Uint8Array => {
  if (content instanceof Uint8Array) return content
  const lines = Buffer.from(raw.buffer, raw.byteOffset + content.start, content.end - content.start)
  return Buffer.from(lines.toString("latin1"), "base64")
}

export interface AttachmentContent {
  /** none when the bytes are gone; a range beyond the end is empty */
  readonly open: (blobKey: string, range?: ByteRange) => Effect.Effect<Option.Option<Blob>>
  /** all bytes; dies when they are gone */
  readonly read: (blobKey: string) => Effect.Effect<Uint8Array>
}

/** `blobKey` is that of an `AttachmentRecord`. Both die with `StorageFailure`. */
export const attachmentContent = (
  blobs: typeof Blobs.Service,
  rawMails: typeof RawMailStore.Service,
): AttachmentContent => {
  const bytesAt = ({ rawId, lines }: PlaceInMail): Effect.Effect<Option.Option<Uint8Array>> =>
    Effect.flatMap(
      rawMails.byId(rawId),
      Option.match({
        onNone: () => Effect.succeedNone,
        onSome: ({ content }) =>
          Effect.map(readRaw(blobs, content), (raw) => Option.some(bytesIn(raw, lines))),
      }),
    )
  return {
    open: (blobKey, range) => {
      const place = placeInMail(blobKey)
      if (place === null) return blobs.get(blobKey, range)
      return Effect.map(
        bytesAt(place),
        Option.map((bytes) => ({
          sizeBytes: bytes.length,
          content: Stream.make(range === undefined ? bytes : bytes.subarray(range.start, range.end + 1)),
        })),
      )
    },
    read: (blobKey) => {
      const place = placeInMail(blobKey)
      if (place === null) return readBlob(blobs, blobKey)
      return Effect.flatMap(
        bytesAt(place),
        Option.match({
          onNone: () => Effect.dieMessage(`raw mail ${place.rawId} is missing`),
          onSome: Effect.succeed,
        }),
      )
    },
  }
}
