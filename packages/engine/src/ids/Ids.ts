/** New ids and secrets, from the clock and `Entropy`: a test that fixes both gets the same ids in every run. */
import { Clock, Context, Effect, Encoding, Layer } from "effect"
import { Entropy } from "../ports/Crypto.js"

/** Random bytes that one id takes. */
const RANDOM_BYTES = 10

export class Ids extends Context.Tag("@mailroom/Ids")<
  Ids,
  {
    /** UUID version 7. Ids made by one process sort in the order they were made, also within a millisecond. */
    readonly uuid: Effect.Effect<string>
    /** `count` ids, in order. */
    readonly uuids: (count: number) => Effect.Effect<ReadonlyArray<string>>
    /** `bytes` random bytes as lower-case hex. */
    readonly secret: (bytes: number) => Effect.Effect<string>
    /** `count` random numbers of 16 bits. */
    readonly random16: (count: number) => Effect.Effect<ReadonlyArray<number>>
  }
>() {
  static readonly layer: Layer.Layer<Ids, never, Entropy> = Layer.effect(
    Ids,
    Effect.gen(function* () {
      const entropy = yield* Entropy
      // Millisecond and 12-bit counter of the last id (RFC 9562 §6.2, method 1).
      let lastMillis = 0
      let counter = 0
      /** The next id, from ten random bytes. */
      const next = (now: number, random: Uint8Array): string => {
        const byte = (index: number) => random[index] ?? 0
        if (now > lastMillis) {
          lastMillis = now
          counter = ((byte(8) << 8) | byte(9)) & 0x7ff
        } else if (++counter > 0xfff) {
          lastMillis += 1
          counter = 0
        }
        const time = lastMillis.toString(16).padStart(12, "0")
        const tail = Encoding.encodeHex(random.subarray(0, 8))
        const variant = ((byte(0) & 0x3f) | 0x80).toString(16)
        return (
          `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, "0")}-` +
          `${variant}${tail.slice(2, 4)}-${tail.slice(4)}`
        )
      }
      /** Makes ids from the time and so many random bytes. Not `Effect.zipWith`, which takes three times as many steps. */
      const drawn = <A>(bytes: number, make: (now: number, random: Uint8Array) => A): Effect.Effect<A> =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.map(entropy.bytes(bytes), (random) => make(now, random)),
        )
      return {
        uuid: drawn(RANDOM_BYTES, next),
        uuids: (count) =>
          drawn(RANDOM_BYTES * count, (now, random) =>
            Array.from({ length: count }, (_, index) =>
              next(now, random.subarray(index * RANDOM_BYTES, (index + 1) * RANDOM_BYTES)),
            ),
          ),
        secret: (bytes) => Effect.map(entropy.bytes(bytes), Encoding.encodeHex),
        random16: (count) =>
          Effect.map(entropy.bytes(2 * count), (random) =>
            Array.from(
              { length: count },
              (_, index) => ((random[2 * index] ?? 0) << 8) | (random[2 * index + 1] ?? 0),
            ),
          ),
      }
    }),
  )
}
