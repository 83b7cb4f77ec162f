/** The bytes of a mail, as they are written to the relay. */
import { Readable } from "node:stream"

/**
 * Bytes of a chunk. At most one chunk waits in the connection when the end of the mail is given, so that a slow relay is not
 * taken for a silent one.
 */
const CHUNK_BYTES = 64 * 1024

/** Bytes between two turns of the event loop: the library looks for dots in them for 2 ms. */
const STEP_BYTES = 4 * CHUNK_BYTES

/**
 * A stream of the bytes that lets the event loop turn between steps, because a relay nearby takes them all at once.
 * `beforeFirst` is called before the first byte and `beforeEnd` before the end; when one returns false, the stream stops
 * there.
 */
export const mailChunks = (
  raw: Uint8Array,
  beforeFirst: () => boolean,
  beforeEnd: () => boolean,
): Readable => {
  let offset = 0
  return new Readable({
    read() {
      if (offset === 0 && !beforeFirst()) return
      if (offset >= raw.length) {
        if (beforeEnd()) this.push(null)
        return
      }
      const push = () => {
        this.push(raw.subarray(offset, offset + CHUNK_BYTES))
        offset += CHUNK_BYTES
      }
      if (offset === 0 || offset % STEP_BYTES !== 0) push()
      else setImmediate(push)
    },
  })
}
