/** Webhooks that stay in memory, for tests: every request is recorded, every answer scripted. */
import { WEBHOOK_TIMEOUT } from "@mailroom/domain"
import { type PostResult, WebhookTransport, type WebhookRequest } from "@mailroom/engine"
import { Context, Effect, Layer } from "effect"
import { TIMED_OUT } from "./reasons.js"

/** The other side of `MemoryWebhookTransport`: what the receivers got, and what they answer. */
export class MemoryReceivers extends Context.Tag("@mailroom/network/MemoryReceivers")<
  MemoryReceivers,
  {
    /** All requests so far, in the order they were sent. */
    readonly requests: Effect.Effect<ReadonlyArray<WebhookRequest>>
    /**
     * From now on a URL answers so. A script may wait or suspend to be a slow receiver: the transport gives up after
     * 15 seconds, as the real one does. A URL without a script answers 200.
     */
    readonly script: (
      url: string,
      respond: (request: WebhookRequest) => Effect.Effect<PostResult>,
    ) => Effect.Effect<void>
    /** From now on a URL gives these answers in turn, and the last one for ever. */
    readonly answer: (
      url: string,
      first: PostResult,
      ...rest: ReadonlyArray<PostResult>
    ) => Effect.Effect<void>
  }
>() {}

const OK: PostResult = { kind: "answered", status: 200, retryAfter: null }

export const MemoryWebhookTransport = {
  /** A transport without sockets, and its receivers. */
  layer: Layer.effectContext(
    Effect.sync(() => {
      const requests: Array<WebhookRequest> = []
      const scripts = new Map<string, (request: WebhookRequest) => Effect.Effect<PostResult>>()

      const script: MemoryReceivers["Type"]["script"] = (url, respond) =>
        Effect.sync(() => void scripts.set(url, respond))

      const answer: MemoryReceivers["Type"]["answer"] = (url, first, ...rest) =>
        Effect.suspend(() => {
          let last = first
          const waiting = [first, ...rest]
          return script(url, () =>
            Effect.sync(() => {
              last = waiting.shift() ?? last
              return last
            }),
          )
        })

      const post = (request: WebhookRequest) =>
        Effect.suspend(() => {
          requests.push(request)
          return scripts.get(request.url)?.(request) ?? Effect.succeed(OK)
        }).pipe(
          Effect.timeoutTo({
            duration: WEBHOOK_TIMEOUT,
            onSuccess: (result) => result,
            onTimeout: (): PostResult => ({ kind: "unreachable", reason: TIMED_OUT }),
          }),
        )

      return Context.make(WebhookTransport, WebhookTransport.of({ post })).pipe(
        Context.add(
          MemoryReceivers,
          MemoryReceivers.of({ requests: Effect.sync(() => [...requests]), script, answer }),
        ),
      )
    }),
  ),
}
