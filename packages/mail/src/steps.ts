/** Processes large mails in steps of some 2 ms, and yields to the event loop between them. */
import { Readable } from "node:stream"
import { setImmediate as turn } from "node:timers/promises"

/** Bytes copied in one step. */
const COPY_BYTES = 2 * 1024 * 1024

/** Slices of `size` bytes; the last one may be shorter. */
export function* slicesOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

/** A stream of the chunks, which yields to the event loop before each but the first. */
export const streamInSteps = (chunks: Iterable<Uint8Array>): Readable => {
  const left = chunks[Symbol.iterator]()
  let isFirst = true
  return new Readable({
    read() {
      const step = () => {
        const next = left.next()
        this.push(next.done === true ? null : next.value)
      }
      if (isFirst) step()
      else setImmediate(step)
      isFirst = false
    },
  })
}

/**
 * Joins the parts in one buffer. `allocate` makes the buffer when it is larger than one step; a buffer in shared memory goes
 * to a thread without another copy.
 */
export const joinInSteps = async (
  parts: ReadonlyArray<Uint8Array>,
  allocate: (bytes: number) => Uint8Array = Buffer.allocUnsafe,
): Promise<Uint8Array> => {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (length <= COPY_BYTES) return Buffer.concat(parts, length)
  const whole = allocate(length)
  let copied = 0
  let copiedInStep = 0
  for (const part of parts)
    for (const slice of slicesOf(part, COPY_BYTES)) {
      if (copiedInStep + slice.length > COPY_BYTES) {
        await turn()
        copiedInStep = 0
      }
      whole.set(slice, copied)
      copied += slice.length
      copiedInStep += slice.length
    }
  return whole
}
