/** Sends HTTP POST requests to webhook receivers. */
import type { AccountId, AttemptResult } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export interface WebhookRequest {
  /** the owner of the webhook; accounts share neither connections nor the limit of concurrent requests */
  readonly account: AccountId
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * `postponed`: nothing was sent, and the delivery attempt does not count. The account has too many requests to this
 * receiver or too many DNS queries, or our resolver is unavailable.
 */
export type PostResult = AttemptResult | { readonly kind: "postponed" }

/**
 * Never fails: returns the response, of any status, or the reason why there is none. Allows 15 seconds to
 * connect and to get the response, and before that at most 17 seconds for DNS and a free connection of the account. Follows no redirect. Resolves the
 * host for every attempt (`Dns`) and connects to the address that it checked, which must be public unless
 * `webhookAllowPrivate` (`spec: decisions.webhook.private-name`).
 */
export class WebhookTransport extends Context.Tag("@mailroom/WebhookTransport")<
  WebhookTransport,
  { readonly post: (request: WebhookRequest) => Effect.Effect<PostResult> }
>() {}
