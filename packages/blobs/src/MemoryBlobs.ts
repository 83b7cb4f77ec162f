/** Blobs in the memory of this process: for tests, and for `BLOB_URL=memory:`. */
import { Blobs, newSharedMemory } from "@mailroom/engine"
import { Chunk, Effect, Layer, Option, Stream } from "effect"
import { bytesToRead, checkKey } from "./arguments.js"

export const MemoryBlobs = {
  /** Empty at the start; lost with the process. */
  layer: Layer.sync(Blobs, () => {
    const blobs = new Map<string, Uint8Array>()
    return Blobs.of({
      put: Effect.fn("MemoryBlobs.put")(function* (key, content) {
        yield* checkKey(key)
        const parts = yield* Stream.runCollect(content)
        const bytes = Buffer.concat(Chunk.toReadonlyArray(parts))
        blobs.set(key, bytes)
        return { sizeBytes: bytes.length }
      }),

      get: Effect.fn("MemoryBlobs.get")(function* (key, range) {
        yield* checkKey(key)
        return Option.fromNullable(blobs.get(key)).pipe(
          Option.map((bytes) => {
            const { start, end } = bytesToRead(bytes.length, range)
            const content = end < start ? Stream.empty : Stream.sync(() => bytes.slice(start, end + 1))
            return { sizeBytes: bytes.length, content }
          }),
        )
      }),

      read: Effect.fn("MemoryBlobs.read")(function* (key, max, giveMemory = newSharedMemory) {
        yield* checkKey(key)
        return Option.map(Option.fromNullable(blobs.get(key)), (blob) => {
          const bytes = blob.subarray(0, max)
          const copy = giveMemory(bytes.length)
          copy.set(bytes)
          return copy
        })
      }),

      remove: Effect.fn("MemoryBlobs.remove")(function* (keys) {
        yield* Effect.forEach(keys, checkKey, { discard: true })
        for (const key of keys) blobs.delete(key)
      }),

      link: Option.none(),
    })
  }),
}
