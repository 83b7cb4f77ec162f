/** Webhooks over HTTP/1.1 with kept-alive connections. */
import {
  type AttemptResult,
  isPublicAddress,
  parseRetryAfter,
  WEBHOOK_TIMEOUT,
  webhookUrlProblem,
} from "@mailroom/domain"
import { type Dns, WebhookTransport, type WebhookRequest } from "@mailroom/engine"
import { Clock, Effect, Layer } from "effect"
import { ownAddress } from "../dns/literals.js"
import { type Answer, exchange } from "./exchange.js"
import { makePools } from "./pools.js"
import { PRIVATE_ADDRESS, TIMED_OUT } from "./reasons.js"
import { vettedLookup } from "./vettedLookup.js"

const unreachable = (reason: string): AttemptResult => ({ kind: "unreachable", reason })

const answered = ({ status, retryAfter }: Answer): Effect.Effect<AttemptResult> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({
    kind: "answered",
    status,
    retryAfter: parseRetryAfter(retryAfter, now),
  }))

/** Why a URL may not be called, as far as one can tell without resolving its name. */
const refusal = (text: string, problem: string, allowPrivate: boolean): string => {
  // The parser turns every spelling of an IPv4 address (decimal, octal, hexadecimal) into the dotted one.
  const literal = URL.canParse(text) ? ownAddress(new URL(text).hostname) : null
  return allowPrivate || literal === null || isPublicAddress(literal) ? `the URL ${problem}` : PRIVATE_ADDRESS
}

export const UndiciWebhookTransport = {
  /**
   * Connects to public addresses over https only, unless `allowPrivate` (development; decisions §1) lets it call any
   * address and http too. A connection is kept for the next requests to the same origin; it stays with the address
   * that was vetted when it was made.
   */
  layer: (options: { readonly allowPrivate: boolean }): Layer.Layer<WebhookTransport, never, Dns> =>
    Layer.scoped(
      WebhookTransport,
      Effect.gen(function* () {
        const { allowPrivate } = options
        const runtime = yield* Effect.runtime<Dns>()
        const poolFor = yield* makePools(vettedLookup(runtime, allowPrivate))

        const post = Effect.fn("WebhookTransport.post")(
          function* (request: WebhookRequest) {
            const problem = webhookUrlProblem(request.url, allowPrivate)
            if (problem !== null) return unreachable(refusal(request.url, problem, allowPrivate))
            const url = new URL(request.url)
            const { answer, answerSoFar } = exchange(poolFor(url.origin), url, request)
            const outcome = yield* Effect.timeoutTo(answer, {
              duration: WEBHOOK_TIMEOUT,
              onSuccess: (complete) => complete,
              // A receiver that answered and then dawdles over the body has answered.
              onTimeout: answerSoFar,
            })
            return outcome === null ? unreachable(TIMED_OUT) : yield* answered(outcome)
          },
          Effect.catchAll((reason) => Effect.succeed(unreachable(reason))),
        )

        return WebhookTransport.of({ post })
      }),
    ),
}
