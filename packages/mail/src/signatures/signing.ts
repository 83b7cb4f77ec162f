/** A signed mail is its signature and the mail. */
import type { MailSigner, SigningKey } from "@mailroom/engine"
import { Clock, Effect } from "effect"
import { joinInSteps } from "../steps.js"

/** `field` makes the signature, as of `signedAt`. */
export const signing =
  (
    field: (raw: Uint8Array, key: SigningKey, signedAt: number) => Effect.Effect<string>,
  ): MailSigner["Type"]["sign"] =>
  (raw, key) =>
    Effect.gen(function* () {
      const signature = yield* field(raw, key, yield* Clock.currentTimeMillis)
      return yield* Effect.promise(() => joinInSteps([Buffer.from(signature, "latin1"), raw]))
    })
