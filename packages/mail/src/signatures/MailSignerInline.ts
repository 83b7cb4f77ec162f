/** `MailSigner` in the calling thread, for tests. Loads the library when it is used: other processes sign in a thread. */
import { MailSigner } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { signing } from "./signing.js"

export const layer: Layer.Layer<MailSigner> = Layer.succeed(MailSigner, {
  sign: signing((raw, key, signedAt) =>
    Effect.promise(async () => (await import("./dkim.js")).signatureField(raw, key, signedAt)),
  ),
})
