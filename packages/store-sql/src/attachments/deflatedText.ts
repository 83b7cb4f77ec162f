/** Texts as they are stored: deflated UTF-8. */
import { Effect } from "effect"
import { promisify } from "node:util"
import { deflateRaw, inflateRaw } from "node:zlib"

// A text may have 6 MB: the main thread does not wait.
const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

export const deflatedText = (text: string): Effect.Effect<Uint8Array> => Effect.promise(() => deflate(text))

/** Dies when the bytes are damaged. */
export const inflatedText = (bytes: Uint8Array): Effect.Effect<string> =>
  Effect.promise(async () => (await inflate(bytes)).toString("utf8"))
