/** Randomness from the operating system. */
import { Entropy } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { randomBytes, randomFillSync } from "node:crypto"

/** Bytes drawn at once: ids are made thousands of times a second, and a draw costs more than its bytes. */
const POOL = 8192

export const NodeEntropy = {
  /** Cryptographically strong; never fails, never waits. */
  layer: Layer.sync(Entropy, () => {
    const pool = new Uint8Array(POOL)
    let used = POOL

    const draw = (length: number): Uint8Array => {
      if (length > POOL) return randomBytes(length)
      if (used + length > POOL) {
        randomFillSync(pool)
        used = 0
      }
      const bytes = pool.slice(used, used + length)
      // What was given out may be a secret; it stays nowhere else.
      pool.fill(0, used, used + length)
      used += length
      return bytes
    }

    return Entropy.of({ bytes: (length) => Effect.sync(() => draw(length)) })
  }),
}
