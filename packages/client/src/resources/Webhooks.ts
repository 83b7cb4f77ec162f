/** Webhooks: the methods of the contract, and the check of what arrives at them. */
import { WebhooksMethods } from "../generated/methods.js"
import type { EventEnvelope } from "../generated/types.js"
import { unwrapWebhook, type WebhookHeaders } from "../webhook.js"

export class Webhooks extends WebhooksMethods {
  /**
   * Verify a request that arrived at a webhook, and return its event. `body` is the raw body, before any parser; `secret`
   * is that of the webhook, `whsec_…`. Fails with `WebhookVerificationError`.
   */
  unwrap(
    body: string | Uint8Array<ArrayBuffer>,
    headers: WebhookHeaders,
    secret: string,
  ): Promise<EventEnvelope> {
    return unwrapWebhook(body, headers, secret)
  }
}
