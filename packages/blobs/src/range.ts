/** Which bytes of a blob a range means. */
import type { ByteRange } from "@mailroom/engine"

/** First and last byte to read; nothing is to be read when `end` comes before `start`. */
export const bytesToRead = (sizeBytes: number, range: ByteRange | undefined): ByteRange => ({
  start: Math.max(0, range?.start ?? 0),
  end: Math.min(sizeBytes - 1, range?.end ?? sizeBytes - 1),
})
