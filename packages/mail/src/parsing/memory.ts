/** Memory that a parser thread reads from and writes to. A new buffer for each mail makes it collect its whole heap. */
import { INLINE_MAX_BYTES } from "@mailroom/domain/limits"
import type { Allocate } from "./encodedFiles.js"

/** How many bytes they are together. */
export const sizeOf = (parts: ReadonlyArray<Uint8Array>): number =>
  parts.reduce((sum, part) => sum + part.length, 0)

/**
 * Copies of byte strings, as views of `memory`, which is handed to another thread or shared with it. Transferring the
 * original buffers would take them from their owners; cloning them would copy whatever else they hold.
 */
export const copiedInto = (
  memory: ArrayBufferLike,
  parts: ReadonlyArray<Uint8Array>,
): ReadonlyArray<Uint8Array> => {
  let start = 0
  return parts.map((part) => {
    const view = new Uint8Array(memory, start, part.length)
    view.set(part)
    start += part.length
    return view
  })
}

/** Most files that stay in their mails, of one batch. */
const REUSED_BYTES = 1024 * 1024

/**
 * The same memory again for the files of each batch: after some 8 MB of new buffers a thread collects all of its heap,
 * which takes longer than to parse them. A file of a larger mail gets a buffer of its own, which can be handed over.
 */
export const reusedMemory = (): { readonly allocate: Allocate; readonly reset: () => void } => {
  const memory = Buffer.allocUnsafeSlow(REUSED_BYTES)
  let used = 0
  return {
    allocate: (bytes) => {
      if (bytes > INLINE_MAX_BYTES || bytes > memory.length - used) return Buffer.allocUnsafeSlow(bytes)
      used += bytes
      return memory.subarray(used - bytes, used)
    },
    reset: () => {
      used = 0
    },
  }
}

/** Whether they are all that is in their buffer, and worth to be handed over rather than copied. */
const hasOwnBuffer = ({ buffer, byteLength }: Uint8Array): boolean =>
  byteLength > INLINE_MAX_BYTES && buffer.byteLength === byteLength

/** Files for another thread, and the buffers to transfer: those of large files, and one with copies of the others. */
export const handedOver = (files: ReadonlyArray<Uint8Array>) => {
  const small = files.filter((bytes) => !hasOwnBuffer(bytes))
  const memory = new ArrayBuffer(sizeOf(small))
  const copies = copiedInto(memory, small)
  let next = 0
  const large = files
    .filter(hasOwnBuffer)
    .flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? buffer : []))
  return {
    files: files.map((bytes) => (hasOwnBuffer(bytes) ? bytes : (copies[next++] ?? bytes))),
    buffers: [memory, ...large],
  }
}
