/** Large mail in steps of some 2 ms each. Between two steps the event loop serves others. */
import { Readable } from "node:stream"
import { setImmediate as turn } from "node:timers/promises"

/** Bytes that are copied in one step. */
const COPY_BYTES = 2 * 1024 * 1024

/** The bytes in slices of `size` bytes, the last one shorter. */
export function* slicesOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

/** A stream of chunks, which lets the event loop turn before it makes the next one. */
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
 * The parts, copied into one buffer. `allocate` makes the buffer for more bytes than one step copies: one in shared memory
 * can be given to a thread without another copy.
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
