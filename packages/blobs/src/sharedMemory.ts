/** Memory that several threads can read. */
import { Effect, Stream } from "effect"

export const sharedMemory = (bytes: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(bytes))

export const sharedCopy = (bytes: Uint8Array): Uint8Array => {
  const copy = sharedMemory(bytes.length)
  copy.set(bytes)
  return copy
}

/** Reads a stream of `size` bytes. */
export const readShared = <E>(
  content: Stream.Stream<Uint8Array, E>,
  size: number,
): Effect.Effect<Uint8Array, E> =>
  Effect.suspend(() => {
    const whole = sharedMemory(size)
    let offset = 0
    return Stream.runForEach(content, (chunk) =>
      Effect.sync(() => {
        whole.set(chunk, offset)
        offset += chunk.length
      }),
    ).pipe(Effect.as(whole))
  })
