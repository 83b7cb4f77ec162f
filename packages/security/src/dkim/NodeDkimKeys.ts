/** RSA key pairs for signing mail, with node:crypto. */
import { DkimKeys } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { generateKeyPair } from "node:crypto"
import { promisify } from "node:util"

/** Bits. Every receiver accepts this length (RFC 8301 §3.2), and the TXT record fits into a UDP answer. */
const MODULUS_LENGTH = 2048

/** Keys made concurrently: each blocks one of libuv's four threads, which also read and write files. */
const CONCURRENCY = 1

const generate = promisify(generateKeyPair)

export const NodeDkimKeys = {
  /** Makes keys off the main thread, one at a time. */
  layer: Layer.effect(
    DkimKeys,
    Effect.map(Effect.makeSemaphore(CONCURRENCY), (permits) =>
      DkimKeys.of({
        generate: Effect.promise(() =>
          generate("rsa", {
            modulusLength: MODULUS_LENGTH,
            publicKeyEncoding: { type: "spki", format: "der" },
            privateKeyEncoding: { type: "pkcs8", format: "pem" },
          }),
        ).pipe(
          // Making a key cannot be cancelled, so the permit is held until it is done.
          Effect.uninterruptible,
          permits.withPermits(1),
          Effect.map(({ publicKey, privateKey }) => ({
            publicKey: publicKey.toString("base64"),
            privateKey,
          })),
          Effect.withSpan("NodeDkimKeys.generate"),
        ),
      }),
    ),
  ),
}
