/** A webhook transport without network, for tests: it records every request, and answers from a script. */
import { WEBHOOK_TIMEOUT } from "@mailroom/domain"
import { type PostResult, WebhookTransport, type WebhookRequest } from "@mailroom/engine"
import { Context, Effect, Layer } from "effect"
import { TIMED_OUT } from "./reasons.js"

/** The receivers of `MemoryWebhookTransport`: the requests they got, and the answers they give. */
export class MemoryReceivers extends Context.Tag("@mailroom/network/MemoryReceivers")<
  MemoryReceivers,
  {
    /** All requests so far, in the order of sending. */
    readonly requests: Effect.Effect<ReadonlyArray<WebhookRequest>>
    /**
     * Sets the answers of a URL. A script that waits is a slow receiver: the transport times out after 15 seconds, like
     * the real one. A URL without a script answers 200.
     */
    readonly script: (
      url: string,
      respond: (request: WebhookRequest) => Effect.Effect<PostResult>,
    ) => Effect.Effect<void>
    /** Makes a URL give these answers one after another, and then repeat the last one. */
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
          const answers = [first, ...rest]
          return script(url, () =>
            Effect.sync(() => {
              last = answers.shift() ?? last
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
