/** The signature headers of a webhook delivery (docs/specification/authentication.md; standardwebhooks.com). */
import type { Instant } from "@mailroom/domain"
import { Effect, Encoding } from "effect"
import type { Vault } from "../ports/Crypto.js"

export interface SignedDelivery {
  readonly deliveryId: string
  readonly event: string
  readonly body: string
  readonly at: Instant
}

/** Secrets in the form that the owner knows, `whsec_…`. */
export interface Secrets {
  readonly current: string
  /** the secret before it while it still signs, else null */
  readonly previous: string | null
}

const utf8 = new TextEncoder()

/**
 * Signs a delivery in two ways. `${prefix}Signature` is lower-case hex, keyed with the text of the secret. The standard
 * headers are keyed with the bytes that the secret encodes. A receiver may compare `${prefix}Signature` as a whole, so the
 * previous secret has a header of its own there; the standard header is a list (docs/decisions/0016).
 */
export const signatureHeaders = (
  vault: typeof Vault.Service,
  prefix: string,
  { current, previous }: Secrets,
  { deliveryId, event, body, at }: SignedDelivery,
): Effect.Effect<Readonly<Record<string, string>>> => {
  const seconds = Math.floor(at / 1000)
  const own = (secret: string) => Encoding.encodeHex(vault.hmac(utf8.encode(secret), body))
  const standard = (secret: string) =>
    Effect.map(
      Effect.orDie(Encoding.decodeBase64(secret.replace(/^whsec_/, ""))),
      (key) => `v1,${Encoding.encodeBase64(vault.hmac(key, `${deliveryId}.${seconds}.${body}`))}`,
    )
  const secrets = previous === null ? [current] : [current, previous]
  return Effect.map(Effect.forEach(secrets, standard), (signatures) => ({
    [`${prefix}Signature`]: own(current),
    ...(previous !== null && { [`${prefix}Signature-Previous`]: own(previous) }),
    [`${prefix}Delivery-Id`]: deliveryId,
    [`${prefix}Event`]: event,
    "webhook-id": deliveryId,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatures.join(" "),
  }))
}
