/** Reads raw mail, whose bytes are in its row or in a blob. */
import { Effect, Option } from "effect"
import type { Blobs, GiveMemory } from "../ports/Blobs.js"
import type { RawContent } from "../ports/MailSpool.js"

/** The size in bytes. */
export const sizeOf = (content: RawContent): number =>
  content.kind === "inline" ? content.bytes.length : content.sizeBytes

/** Reads all bytes. Dies when the blob is missing. */
export const readRaw = (blobs: typeof Blobs.Service, content: RawContent): Effect.Effect<Uint8Array> =>
  content.kind === "inline" ? Effect.succeed(content.bytes) : readBlob(blobs, content.key)

/** Reads the first `max` bytes. Dies when the blob is missing. */
export const readRawStart = (
  blobs: typeof Blobs.Service,
  content: RawContent,
  max: number,
): Effect.Effect<Uint8Array> =>
  content.kind === "inline"
    ? Effect.succeed(content.bytes.subarray(0, max))
    : readBlob(blobs, content.key, max)

/** Reads a whole blob, or its first `max` bytes, into shared memory. Dies when it is missing. */
export const readBlob = (
  blobs: typeof Blobs.Service,
  key: string,
  max?: number,
  giveMemory?: GiveMemory,
): Effect.Effect<Uint8Array> =>
  Effect.flatMap(
    blobs.read(key, max, giveMemory),
    Option.match({ onNone: () => Effect.dieMessage(`blob ${key} is missing`), onSome: Effect.succeed }),
  )
