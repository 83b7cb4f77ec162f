/** Memory that several threads can read. */
import type { GiveMemory } from "@mailroom/engine"
import { Effect, Stream } from "effect"

export const newMemory: GiveMemory = (bytes) => new Uint8Array(new SharedArrayBuffer(bytes))

/** Copies bytes into the memory given. */
export const copyInto = (bytes: Uint8Array, giveMemory: GiveMemory): Uint8Array => {
  const copy = giveMemory(bytes.length)
  copy.set(bytes)
  return copy
}

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
