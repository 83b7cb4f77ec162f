/** `MailSigner` in the calling thread, for tests. */
import { MailSigner } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { signatureField } from "./dkim.js"
import { signing } from "./signing.js"

export const layer: Layer.Layer<MailSigner> = Layer.succeed(MailSigner, {
  sign: signing((raw, key, signedAt) => Effect.promise(() => signatureField(raw, key, signedAt))),
})
