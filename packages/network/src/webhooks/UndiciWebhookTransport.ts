/** Webhooks over HTTP/1.1 with kept-alive connections. */
import {
  type AttemptResult,
  isPublicAddress,
  parseRetryAfter,
  parseUrl,
  WEBHOOK_TIMEOUT,
  webhookUrlProblem,
} from "@mailroom/domain"
import { Dns, type PostResult, WebhookTransport, type WebhookRequest } from "@mailroom/engine"
import { Clock, Deferred, Duration, Effect, Layer } from "effect"
import type { Pool } from "undici"
import { ownAddress } from "../dns/literals.js"
import { type Answer, exchange } from "./exchange.js"
import { makePools } from "./pools.js"
import { PRIVATE_ADDRESS, TIMED_OUT } from "./reasons.js"
import { vettedAddresses } from "./vettedAddresses.js"

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
  const url = parseUrl(text)
  const literal = url === null ? null : ownAddress(url.hostname)
  return allowPrivate || literal === null || isPublicAddress(literal) ? `the URL ${problem}` : PRIVATE_ADDRESS
}

/** How long a request waits for one of its account's connections to the origin, before it is postponed. */
const PLACE_TIMEOUT = Duration.seconds(10)

const POSTPONED: PostResult = { kind: "postponed" }

/** Runs `attempt` in one of the places; postpones it when none is free in time. */
const whenFree = (
  places: Effect.Semaphore,
  attempt: Effect.Effect<AttemptResult, string>,
): Effect.Effect<PostResult, string> =>
  Effect.flatMap(Deferred.make<void>(), (begun) =>
    Effect.raceFirst(
      places.withPermits(1)(Effect.zipRight(Deferred.succeed(begun, undefined), attempt)),
      Deferred.isDone(begun).pipe(
        Effect.delay(PLACE_TIMEOUT),
        Effect.flatMap((isDone) => (isDone ? Effect.never : Effect.succeed(POSTPONED))),
      ),
    ),
  )

export const UndiciWebhookTransport = {
  /**
   * Connects to public addresses over https only, unless `allowPrivate` (development; decisions §1) lets it call any
   * address and http too. A connection is kept for the next requests of the account to the same origin; it stays with
   * the address that was vetted when it was made.
   */
  layer: (options: { readonly allowPrivate: boolean }): Layer.Layer<WebhookTransport, never, Dns> =>
    Layer.scoped(
      WebhookTransport,
      Effect.gen(function* () {
        const { allowPrivate } = options
        const dns = yield* Dns
        const { withPool } = yield* makePools

        /** The attempt: its 15 seconds begin with the connection. */
        const send = (pool: Pool, url: URL, request: WebhookRequest): Effect.Effect<AttemptResult, string> =>
          Effect.suspend(() => {
            const { answer, answerSoFar } = exchange(pool, url, request)
            return Effect.timeoutTo(answer, {
              duration: WEBHOOK_TIMEOUT,
              onSuccess: (complete) => complete,
              // A receiver that answered and then dawdles over the body has answered.
              onTimeout: answerSoFar,
            })
          }).pipe(
            Effect.flatMap((outcome) =>
              outcome === null ? Effect.succeed(unreachable(TIMED_OUT)) : answered(outcome),
            ),
          )

        const post = Effect.fn("WebhookTransport.post")(
          function* (request: WebhookRequest) {
            const problem = webhookUrlProblem(request.url, allowPrivate)
            if (problem !== null) return unreachable(refusal(request.url, problem, allowPrivate))
            const url = new URL(request.url)
            const host = url.hostname.replace(/^\[|\]$/g, "")
            const addresses = yield* vettedAddresses(dns, host, request.account, allowPrivate)
            return yield* withPool(request, url, addresses, ({ pool, places }) =>
              whenFree(places, send(pool, url, request)),
            )
          },
          Effect.catchAll((failure) =>
            Effect.succeed(
              typeof failure === "string"
                ? unreachable(failure)
                : failure._tag === "DnsFailure"
                  ? POSTPONED
                  : unreachable(failure.reason),
            ),
          ),
        )

        return WebhookTransport.of({ post })
      }),
    ),
}
