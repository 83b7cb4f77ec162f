/** New ids and secrets, from the clock and `Entropy`: a test that fixes both gets the same ids in every run. */
import { Clock, Context, Effect, Encoding, Layer } from "effect"
import { Entropy } from "../ports/Crypto.js"

/** Random bytes that one id takes. */
const RANDOM_BYTES = 10
/** Every byte as two digits. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

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
      /** The id's text for its millisecond, up to the version. */
      let timeText = ""
      const setTime = (millis: number): void => {
        lastMillis = millis
        const digits = millis.toString(16).padStart(12, "0")
        timeText = `${digits.slice(0, 8)}-${digits.slice(8)}-7`
      }
      // A test's clock may begin at 0.
      setTime(0)
      /** The next id, from ten of the random bytes. */
      const next = (now: number, random: Uint8Array, start: number): string => {
        const byte = (index: number) => random[start + index] ?? 0
        const hex = (index: number) => HEX[byte(index)] ?? ""
        if (now > lastMillis) {
          setTime(now)
          counter = ((byte(8) << 8) | byte(9)) & 0x7ff
        } else if (++counter > 0xfff) {
          setTime(lastMillis + 1)
          counter = 0
        }
        const variant = HEX[(byte(0) & 0x3f) | 0x80] ?? ""
        return (
          `${timeText}${counter.toString(16).padStart(3, "0")}-${variant}${hex(1)}-` +
          `${hex(2)}${hex(3)}${hex(4)}${hex(5)}${hex(6)}${hex(7)}`
        )
      }
      return {
        uuid: Effect.zipWith(Clock.currentTimeMillis, entropy.bytes(RANDOM_BYTES), (now, random) =>
          next(now, random, 0),
        ),
        uuids: (count) =>
          Effect.zipWith(Clock.currentTimeMillis, entropy.bytes(RANDOM_BYTES * count), (now, random) =>
            Array.from({ length: count }, (_, index) => next(now, random, index * RANDOM_BYTES)),
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
