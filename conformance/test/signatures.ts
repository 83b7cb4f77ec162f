/** Signatures as a receiver computes them (spec: decisions.webhook.signature, decisions.webhook.standard). */
import { createHmac } from "node:crypto"
import type { Posted } from "../src/World.js"

/** `X-Service-Signature`: hex, keyed with the secret as given. */
export const signature = (secret: string, posted: Posted | undefined): string =>
  createHmac("sha256", secret)
    .update(posted?.body ?? "")
    .digest("hex")

/** An entry of `webhook-signature`: over id, time and body, keyed with the bytes after `whsec_`. */
export const standardSignature = (secret: string, posted: Posted | undefined): string => {
  const { "webhook-id": id, "webhook-timestamp": at } = posted?.headers ?? {}
  const key = Buffer.from(secret.replace("whsec_", ""), "base64")
  return `v1,${createHmac("sha256", key).update(`${id}.${at}.${posted?.body}`).digest("base64")}`
}
