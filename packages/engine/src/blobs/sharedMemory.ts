/** Memory that other threads can read without a copy. */
import { Effect, Stream } from "effect"
import type { GiveMemory } from "../ports/Blobs.js"

export const newSharedMemory: GiveMemory = (bytes) => new Uint8Array(new SharedArrayBuffer(bytes))

/** Reads a stream of `size` bytes into the memory given. */
export const readInto = <E>(
  content: Stream.Stream<Uint8Array, E>,
  size: number,
  giveMemory: GiveMemory,
): Effect.Effect<Uint8Array, E> =>
  Effect.suspend(() => {
    const whole = giveMemory(size)
    let offset = 0
    return Stream.runForEach(content, (chunk) =>
      Effect.sync(() => {
        whole.set(chunk, offset)
        offset += chunk.length
      }),
    ).pipe(Effect.as(whole))
  })
