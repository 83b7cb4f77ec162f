/** Cheap password hashes. FOR TESTS ONLY: the password is easy to guess from such a hash. */
import { Entropy, Passwords } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"

const PREFIX = "tests-only-sha256"

const digestOf = (salt: string, password: string): Buffer =>
  createHash("sha256").update(salt).update("$").update(password).digest()

export const DigestPasswords = {
  /** Salted SHA-256. Deterministic over a seeded `Entropy`. */
  layer: Layer.effect(
    Passwords,
    Effect.map(Entropy, (entropy) =>
      Passwords.of({
        hash: (password) =>
          Effect.map(entropy.bytes(8), (bytes) => {
            const salt = Buffer.from(bytes).toString("hex")
            return `${PREFIX}$${salt}$${digestOf(salt, password).toString("hex")}`
          }),
        verify: (hashed, password) =>
          Effect.sync(() => {
            const [prefix, salt = "", digest = "", ...rest] = hashed.split("$")
            if (prefix !== PREFIX || rest.length > 0 || !/^[0-9a-f]{64}$/.test(digest)) return false
            return timingSafeEqual(Buffer.from(digest, "hex"), digestOf(salt, password))
          }),
      }),
    ),
  ),
}
