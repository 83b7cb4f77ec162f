/** The signature of webhook requests, by Standard Webhooks (https://www.standardwebhooks.com). */
import type { EventEnvelope } from "./generated/types.js"
import { WebhookVerificationError } from "./MailroomError.js"

/** Header fields as `fetch` has them, or as Node has them, with names in lower case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Seconds by which the clocks of service and receiver may differ, the time on the way included. */
const TOLERANCE = 300

const utf8 = new TextEncoder()

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

const fieldOf = (headers: WebhookHeaders, name: string): string => {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  if (typeof value !== "string") throw new WebhookVerificationError(`The request has no header ${name}.`)
  return value
}

/** The signatures of version 1 in the header, which has one for each secret that is valid now. */
const signaturesOf = (header: string): ReadonlyArray<Uint8Array<ArrayBuffer>> =>
  header.split(" ").flatMap((signature) => {
    const [version, base64 = ""] = signature.split(",")
    try {
      return version === "v1" ? [bytesOf(base64)] : []
    } catch {
      return []
    }
  })

const keyOf = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey(
    "raw",
    bytesOf(secret.replace(/^whsec_/, "")),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  )

/**
 * Verifies a request that arrived at a webhook, and returns its event. `body` is the raw body, before any parser; `secret` is
 * that of the webhook, `whsec_…`. Requests that are older than five minutes fail. So does one that nobody signed with the
 * secret: `WebhookVerificationError`.
 */
export const unwrapWebhook = async (
  body: string | Uint8Array<ArrayBuffer>,
  headers: WebhookHeaders,
  secret: string,
): Promise<EventEnvelope> => {
  const id = fieldOf(headers, "webhook-id")
  const timestamp = fieldOf(headers, "webhook-timestamp")
  const signatures = signaturesOf(fieldOf(headers, "webhook-signature"))
  const age = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (!(age <= TOLERANCE)) throw new WebhookVerificationError("The request is not of the last five minutes.")
  const text = typeof body === "string" ? body : new TextDecoder("utf-8", { ignoreBOM: true }).decode(body)
  const signed = utf8.encode(`${id}.${timestamp}.${text}`)
  const key = await keyOf(secret)
  // `verify` compares in constant time.
  const verified = await Promise.all(
    signatures.map((signature) => crypto.subtle.verify("HMAC", key, signature, signed)),
  )
  if (!verified.includes(true)) throw new WebhookVerificationError("No signature fits the secret.")
  return JSON.parse(text)
}
