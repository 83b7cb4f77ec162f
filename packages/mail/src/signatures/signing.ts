/** `MailSigner.sign`, given how the DKIM-Signature field is made: inline or in a thread. */
import type { MailSigner, SigningKey } from "@mailroom/engine"
import { Clock, Effect } from "effect"
import { joinInSteps } from "../steps.js"

/** `signedAt` is the signature's `t=` in milliseconds. */
export const signing =
  (
    signatureField: (raw: Uint8Array, key: SigningKey, signedAt: number) => Effect.Effect<string>,
  ): MailSigner["Type"]["sign"] =>
  (raw, key) =>
    Effect.gen(function* () {
      const field = yield* signatureField(raw, key, yield* Clock.currentTimeMillis)
      return yield* Effect.promise(() => joinInSteps([Buffer.from(field, "latin1"), raw]))
    })
