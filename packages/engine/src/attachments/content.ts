/** Reads the bytes of attachments, from a blob of their own or from the raw mail they are part of. */
import {
  type EncodedLines,
  ENCODED_LINE_MAX,
  type PlaceInMail,
  encodedLayout,
  encodedPart,
  placeInMail,
} from "@mailroom/domain"
import { Effect, Option, Stream } from "effect"
import { newSharedMemory, readInto } from "../blobs/sharedMemory.js"
import { readBlob } from "../inbound/rawContent.js"
import type { Blob, Blobs, ByteRange } from "../ports/Blobs.js"
import type { RawContent } from "../ports/MailSpool.js"
import type { RawMailStore } from "../ports/stores/RawMailStore.js"
import { decoded } from "./decoded.js"

/** The bytes of a parsed attachment. One that stays in its mail is given as its base64 lines in `raw`. */
export const bytesIn = (raw: Uint8Array, content: Uint8Array | EncodedLines): Uint8Array => {
  if (content instanceof Uint8Array) return content
  const lines = Buffer.from(raw.buffer, raw.byteOffset + content.start, content.end - content.start)
  return Buffer.from(lines.toString("latin1"), "base64")
}

export interface AttachmentContent {
  /** None when the bytes were removed. A range beyond the end is empty. */
  readonly open: (blobKey: string, range?: ByteRange) => Effect.Effect<Option.Option<Blob>>
  /** All bytes, in shared memory. Dies when they were removed. */
  readonly read: (blobKey: string) => Effect.Effect<Uint8Array>
}

/** `blobKey`: of an `AttachmentRecord`. Both methods die with `StorageFailure`. */
export const attachmentContent = (
  blobs: typeof Blobs.Service,
  rawMails: typeof RawMailStore.Service,
): AttachmentContent => {
  /** A range of the raw mail. */
  const rawRange = (content: RawContent, { start, end }: ByteRange): Stream.Stream<Uint8Array> =>
    content.kind === "inline"
      ? Stream.make(content.bytes.subarray(start, end + 1))
      : Stream.unwrap(
          Effect.map(
            blobs.get(content.key, { start, end }),
            Option.match({
              onNone: () => Stream.dieMessage(`blob ${content.key} is missing`),
              onSome: (blob) => blob.content,
            }),
          ),
        )

  const textOf = (content: RawContent, range: ByteRange): Effect.Effect<string> =>
    Stream.runFold(
      rawRange(content, range),
      "",
      (text, chunk) => text + Buffer.from(chunk).toString("latin1"),
    )

  const openPart = (content: RawContent, { start, end }: EncodedLines, range: ByteRange | undefined) =>
    Effect.gen(function* () {
      const head = yield* textOf(content, { start, end: Math.min(start + ENCODED_LINE_MAX + 1, end - 1) })
      const tail = yield* textOf(content, { start: Math.max(start, end - 4), end: end - 1 })
      const layout = encodedLayout(end - start, head.indexOf("\r\n"), tail)
      const { sizeBytes } = layout
      const part = encodedPart(layout, range ?? { start: 0, end: sizeBytes - 1 })
      if (part === null) return { sizeBytes, content: Stream.empty } satisfies Blob
      const encoded = { start: start + part.encoded.start, end: start + part.encoded.end }
      return { sizeBytes, content: decoded(rawRange(content, encoded), part) } satisfies Blob
    })

  const openAt = (
    { rawId, lines }: PlaceInMail,
    range: ByteRange | undefined,
  ): Effect.Effect<Option.Option<Blob>> =>
    Effect.flatMap(
      rawMails.byId(rawId),
      Option.match({
        onNone: () => Effect.succeedNone,
        onSome: ({ content }) => Effect.asSome(openPart(content, lines, range)),
      }),
    )

  const open: AttachmentContent["open"] = (blobKey, range) => {
    const place = placeInMail(blobKey)
    return place === null ? blobs.get(blobKey, range) : openAt(place, range)
  }

  return {
    open,
    read: (blobKey) =>
      placeInMail(blobKey) === null
        ? readBlob(blobs, blobKey)
        : Effect.flatMap(
            open(blobKey),
            Option.match({
              onNone: () => Effect.dieMessage(`the raw mail of ${blobKey} is missing`),
              onSome: ({ sizeBytes, content }) => readInto(content, sizeBytes, newSharedMemory),
            }),
          ),
  }
}
