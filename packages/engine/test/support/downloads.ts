/** Download links and their contents. */
import { AttachmentId } from "@mailroom/domain"
import { Attachments, type ByteRange } from "@mailroom/engine"
import { Chunk, Effect, Schema, Stream } from "effect"
import { as, type Owner } from "./owners.js"

/** An attachment with its download link. */
export const attachment = (owner: Pick<Owner, "key">, id: AttachmentId) =>
  Effect.gen(function* () {
    const attachments = yield* Attachments
    return yield* attachments.get(yield* as(owner), id)
  })

const readLink = Schema.decodeUnknown(
  Schema.Struct({ id: AttachmentId, expiresAt: Schema.NumberFromString, signature: Schema.String }),
)

/** The parts of a presigned URL. */
const partsOf = (url: string) => {
  const { pathname, searchParams } = new URL(url)
  return readLink({
    id: pathname.split("/").at(-2),
    expiresAt: searchParams.get("expires"),
    signature: searchParams.get("signature"),
  })
}

export const download = (url: string, range: ByteRange | null = null) =>
  Effect.gen(function* () {
    const attachments = yield* Attachments
    const { attachment, open } = yield* attachments.download(yield* partsOf(url))
    const blob = yield* open(range)
    const text = Buffer.concat(Chunk.toReadonlyArray(yield* Stream.runCollect(blob.content))).toString()
    return { filename: attachment.filename, sizeBytes: blob.sizeBytes, text }
  })
