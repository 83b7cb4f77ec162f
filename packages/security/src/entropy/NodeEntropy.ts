/** Randomness from the operating system. */
import { Entropy } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { randomBytes, randomFillSync } from "node:crypto"

/** Bytes drawn from the system at once, because a draw costs more than its bytes and ids need thousands a second. */
const POOL = 8192

export const NodeEntropy = {
  /** Cryptographically strong. Never fails and never waits. */
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
      // The bytes may become a secret, so no second copy stays here.
      pool.fill(0, used, used + length)
      used += length
      return bytes
    }

    return Entropy.of({ bytes: (length) => Effect.sync(() => draw(length)) })
  }),
}
