/** Reads the bytes of attachments, from a blob of their own or from the raw mail they are part of. */
import { type EncodedLines, type PlaceInMail, placeInMail } from "@mailroom/domain"
import { Effect, Option, Stream } from "effect"
import { readBlob, readRaw } from "../inbound/rawContent.js"
import type { Blob, Blobs, ByteRange } from "../ports/Blobs.js"
import type { RawMailStore } from "../ports/stores/RawMailStore.js"

/** The bytes of a parsed attachment. A large one is given as its base64 lines in the mail `raw`. */
export const bytesIn = (raw: Uint8Array, content: Uint8Array | EncodedLines): Uint8Array => {
  if (content instanceof Uint8Array) return content
  const lines = Buffer.from(raw.buffer, raw.byteOffset + content.start, content.end - content.start)
  return Buffer.from(lines.toString("latin1"), "base64")
}

export interface AttachmentContent {
  /** None when the bytes were removed. A range beyond the end is empty. */
  readonly open: (blobKey: string, range?: ByteRange) => Effect.Effect<Option.Option<Blob>>
  /** All bytes. Dies when they were removed. */
  readonly read: (blobKey: string) => Effect.Effect<Uint8Array>
}

/** `blobKey`: of an `AttachmentRecord`. Both methods die with `StorageFailure`. */
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
