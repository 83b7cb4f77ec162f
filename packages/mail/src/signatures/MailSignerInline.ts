/**
 * `MailSigner` in the calling thread, for tests. Imports the library when the layer is built: a process that signs in a thread
 * does not load it here.
 */
import { MailSigner } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { signing } from "./signing.js"

export const layer: Layer.Layer<MailSigner> = Layer.effect(
  MailSigner,
  Effect.map(
    Effect.promise(() => import("./dkim.js")),
    ({ signatureField }) => ({
      sign: signing((raw, key, signedAt) => Effect.promise(() => signatureField(raw, key, signedAt))),
    }),
  ),
)
