/** The headers that prove a delivery is ours (spec, Authentication 7; decisions §7; standardwebhooks.com). */
import type { Instant } from "@mailroom/domain"
import { Effect, Encoding } from "effect"
import type { Vault } from "../ports/Crypto.js"

export interface SignedDelivery {
  readonly deliveryId: string
  readonly event: string
  readonly body: string
  readonly at: Instant
}

const utf8 = new TextEncoder()

/** Our own header is lower-case hex, keyed with the secret as given; the standard ones with the bytes it encodes. */
export const signatureHeaders = (
  vault: typeof Vault.Service,
  prefix: string,
  secret: string,
  { deliveryId, event, body, at }: SignedDelivery,
): Effect.Effect<Readonly<Record<string, string>>> =>
  Effect.map(Effect.orDie(Encoding.decodeBase64(secret.replace(/^whsec_/, ""))), (key) => {
    const seconds = Math.floor(at / 1000)
    return {
      [`${prefix}Signature`]: Encoding.encodeHex(vault.hmac(utf8.encode(secret), body)),
      [`${prefix}Delivery-Id`]: deliveryId,
      [`${prefix}Event`]: event,
      "webhook-id": deliveryId,
      "webhook-timestamp": String(seconds),
      "webhook-signature": `v1,${Encoding.encodeBase64(vault.hmac(key, `${deliveryId}.${seconds}.${body}`))}`,
    }
  })
