/** A signed mail is its signature and the mail. */
import type { MailSigner, SigningKey } from "@mailroom/engine"
import { Clock, Effect } from "effect"

/** `field` makes the signature, as of `signedAt`. */
export const signing =
  (
    field: (raw: Uint8Array, key: SigningKey, signedAt: number) => Effect.Effect<string>,
  ): MailSigner["Type"]["sign"] =>
  (raw, key) =>
    Effect.gen(function* () {
      const signature = yield* field(raw, key, yield* Clock.currentTimeMillis)
      return Buffer.concat([Buffer.from(signature, "latin1"), raw])
    })
