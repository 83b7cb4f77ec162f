/** Presigned download links, valid for 24 hours (`spec: limits.size.download`). They work without an API key. */
import { type AttachmentId, DOWNLOAD_URL_TTL, type Instant, NotFound } from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { Vault } from "../ports/Crypto.js"
import { Settings } from "../ports/Settings.js"

const PURPOSE = "download"
const signedText = (id: AttachmentId, expiresAt: Instant): string => `${id}.${expiresAt}`

export class DownloadLinks extends Context.Tag("@mailroom/DownloadLinks")<
  DownloadLinks,
  {
    /** A link that is valid for 24 hours from now. */
    readonly link: (id: AttachmentId) => Effect.Effect<string>
    /** `NotFound` unless the signature is right and the link has not expired. */
    readonly check: (id: AttachmentId, expiresAt: Instant, signature: string) => Effect.Effect<void, NotFound>
  }
>() {
  static readonly layer: Layer.Layer<DownloadLinks, never, Vault | Settings> = Layer.effect(
    DownloadLinks,
    Effect.gen(function* () {
      const vault = yield* Vault
      const { baseUrl } = yield* Settings
      return {
        link: (id) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const expiresAt = now + DOWNLOAD_URL_TTL
            const signature = vault.sign(PURPOSE, signedText(id, expiresAt))
            return `${baseUrl}/v1/attachments/${id}/content?expires=${expiresAt}&signature=${signature}`
          }),
        check: (id, expiresAt, signature) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            now < expiresAt && vault.verify(PURPOSE, signedText(id, expiresAt), signature)
              ? Effect.void
              : new NotFound({ resource: "attachment" }),
          ),
      }
    }),
  )
}
