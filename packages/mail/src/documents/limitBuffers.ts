/**
 * Bounds the buffers of a document thread: the heap limit of a thread does not count them, and pdf.js inflates a stream into
 * one buffer that doubles until it holds everything.
 */
import type { DocumentResult } from "./readDocument.js"

/** Bytes of one buffer. The largest file has 25 MB. */
const BUFFER_MAX_BYTES = 32 * 1024 * 1024

/**
 * Changes the globals of this thread: a `Uint8Array` beyond the limit throws, and pdf.js inflates with its own code, whose
 * buffers are `Uint8Array`s, instead of the streams of Node. Returns what turns the result of a file that met the limit
 * into "too large", because pdf.js hides the error.
 */
export const limitBuffers = (): ((result: DocumentResult) => DocumentResult) => {
  let isExceeded = false
  globalThis.Uint8Array = new Proxy(Uint8Array, {
    construct: (target, args: ReadonlyArray<unknown>, newTarget) => {
      const [size] = args
      if (typeof size === "number" && size > BUFFER_MAX_BYTES) {
        isExceeded = true
        throw new RangeError("the buffer is too large")
      }
      const made: unknown = Reflect.construct(target, args, newTarget)
      return made instanceof target ? made : {}
    },
  })
  Reflect.deleteProperty(globalThis, "DecompressionStream")
  return (result) => {
    const wasExceeded = isExceeded
    isExceeded = false
    return wasExceeded ? { kind: "unreadable", reason: "too large" } : result
  }
}
