/** Signs an event as the service signs webhook deliveries (docs/specification/authentication.md; standardwebhooks.com). */
import { createHmac, randomBytes } from "node:crypto"

const SECRET_BYTES = 32

/** A new secret, `whsec_…`. */
export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`

export interface SignedEvent {
  /** id of the delivery */
  readonly id: string
  /** kind of the event */
  readonly event: string
  /** the body as it is sent */
  readonly body: string
  /** milliseconds since the epoch */
  readonly at: number
}

/** The header fields of a delivery; `prefix` is the HEADER_PREFIX of the service. */
export const signatureHeaders = (
  secret: string,
  prefix: string,
  { id, event, body, at }: SignedEvent,
): Readonly<Record<string, string>> => {
  const seconds = Math.floor(at / 1000)
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
  const standard = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")
  return {
    [`${prefix}Signature`]: createHmac("sha256", secret).update(body).digest("hex"),
    [`${prefix}Delivery-Id`]: id,
    [`${prefix}Event`]: event,
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1,${standard}`,
  }
}
