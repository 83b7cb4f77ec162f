/** RSA key pairs for signing mail, with node:crypto. */
import { DkimKeys } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { generateKeyPair } from "node:crypto"
import { promisify } from "node:util"

/** What every receiver takes, and what fits into a TXT record that a plain UDP answer carries (RFC 8301 §3.2). */
const MODULUS_LENGTH = 2048

/** Making a key holds one of the four threads that also read and write files. */
const AT_ONCE = 1

const generate = promisify(generateKeyPair)

export const NodeDkimKeys = {
  /** Made off the main thread, one after another. */
  layer: Layer.effect(
    DkimKeys,
    Effect.map(Effect.makeSemaphore(AT_ONCE), (permits) =>
      DkimKeys.of({
        generate: Effect.promise(() =>
          generate("rsa", {
            modulusLength: MODULUS_LENGTH,
            publicKeyEncoding: { type: "spki", format: "der" },
            privateKeyEncoding: { type: "pkcs8", format: "pem" },
          }),
        ).pipe(
          // A key that is being made cannot be called off: its permit stays taken until it is done.
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
