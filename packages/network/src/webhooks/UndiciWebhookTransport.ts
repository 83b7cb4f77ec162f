/** Posts webhooks over HTTP/1.1 with keep-alive connections. */
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
import { addressIn } from "../dns/localNames.js"
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

/** Why a URL may not be called, as far as it is known without resolving its name. */
const refusal = (text: string, problem: string, allowPrivate: boolean): string => {
  // The URL parser turns every form of an IPv4 address (decimal, octal, hexadecimal) into the dotted one.
  const url = parseUrl(text)
  const literal = url === null ? null : addressIn(url.hostname)
  return allowPrivate || literal === null || isPublicAddress(literal) ? `the URL ${problem}` : PRIVATE_ADDRESS
}

/** Time that a request waits for one of its account's connections to the origin before it is postponed. */
const CONNECTION_TIMEOUT = Duration.seconds(10)

const POSTPONED: PostResult = { kind: "postponed" }

/** Runs `attempt` with a permit for a connection, or postpones it when none is free in time. */
const withConnection = (
  connections: Effect.Semaphore,
  attempt: Effect.Effect<AttemptResult, string>,
): Effect.Effect<PostResult, string> =>
  Effect.flatMap(Deferred.make<void>(), (begun) =>
    Effect.raceFirst(
      connections.withPermits(1)(Effect.zipRight(Deferred.succeed(begun, undefined), attempt)),
      Deferred.isDone(begun).pipe(
        Effect.delay(CONNECTION_TIMEOUT),
        Effect.flatMap((isDone) => (isDone ? Effect.never : Effect.succeed(POSTPONED))),
      ),
    ),
  )

export const UndiciWebhookTransport = {
  /**
   * Connects only to public addresses and only over https; with `allowPrivate`, for development, to any address and over
   * http too. A connection is reused for requests of the same account to the same origin. It keeps the address that was
   * vetted when it was opened.
   */
  layer: (options: { readonly allowPrivate: boolean }): Layer.Layer<WebhookTransport, never, Dns> =>
    Layer.scoped(
      WebhookTransport,
      Effect.gen(function* () {
        const { allowPrivate } = options
        const dns = yield* Dns
        const { withPool } = yield* makePools

        /** One attempt. Its 15 seconds start when it has a connection permit. */
        const send = (pool: Pool, url: URL, request: WebhookRequest): Effect.Effect<AttemptResult, string> =>
          Effect.suspend(() => {
            const { answer, answerSoFar } = exchange(pool, url, request)
            return Effect.timeoutTo(answer, {
              duration: WEBHOOK_TIMEOUT,
              onSuccess: (complete) => complete,
              // A receiver that has sent its headers has answered, even if the body is not complete.
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
            return yield* withPool(request, url, addresses, ({ pool, connections }) =>
              withConnection(connections, send(pool, url, request)),
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
