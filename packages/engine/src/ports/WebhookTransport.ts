/** One HTTP POST to a webhook's receiver. */
import type { AttemptResult } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Never fails: an answer of any status, or the reason why there was none, after 15 seconds at most. Follows no
 * redirect. Resolves the host at every attempt and connects to the very address it checked, which must be public
 * (decisions §7), unless private targets are allowed for development.
 */
export class WebhookTransport extends Context.Tag("@mailroom/WebhookTransport")<
  WebhookTransport,
  { readonly post: (request: WebhookRequest) => Effect.Effect<AttemptResult> }
>() {}
