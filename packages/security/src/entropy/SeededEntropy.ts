/** Deterministic bytes that look random. FOR TESTS AND SIMULATIONS ONLY: they are predictable. */
import { Entropy } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { createCipheriv, createHash } from "node:crypto"

export const SeededEntropy = {
  /** One sequence of bytes for each seed (the key stream of AES-256-CTR), whatever the lengths of the calls. */
  layer: (seed: string | number): Layer.Layer<Entropy> =>
    Layer.sync(Entropy, () => {
      const key = createHash("sha256").update(String(seed)).digest()
      const stream = createCipheriv("aes-256-ctr", key, Buffer.alloc(16))
      return Entropy.of({ bytes: (length) => Effect.sync(() => stream.update(Buffer.alloc(length))) })
    }),
}
