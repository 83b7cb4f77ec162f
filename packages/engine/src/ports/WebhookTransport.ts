/** One HTTP POST to a webhook's receiver. */
import type { AccountId, AttemptResult } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export interface WebhookRequest {
  /** whose webhook it is: accounts share neither connections nor places */
  readonly account: AccountId
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * `postponed`: nothing was sent, for a reason of our own. The account has too many requests to this receiver or too many
 * names to look up, or our resolver is away. It is no attempt.
 */
export type PostResult = AttemptResult | { readonly kind: "postponed" }

/**
 * Never fails: an answer of any status, or the reason why there was none. The answer is waited for for 15 seconds, which
 * begin with the connection; looking the name up and waiting for a place take 17 seconds more at most. Follows no redirect.
 * Looks the host up for every attempt, in the cache of `Dns` or past it, and connects to the very address it checked,
 * which must be public (decisions §7), unless private targets are allowed for development.
 */
export class WebhookTransport extends Context.Tag("@mailroom/WebhookTransport")<
  WebhookTransport,
  { readonly post: (request: WebhookRequest) => Effect.Effect<PostResult> }
>() {}
