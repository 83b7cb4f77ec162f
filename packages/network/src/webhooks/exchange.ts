/** One request on a pool, and what came of it. */
import type { WebhookRequest } from "@mailroom/engine"
import { Effect } from "effect"
import type { Pool } from "undici"
import { reasonOf } from "./reasons.js"

/** What the receiver said: the status, and its Retry-After header as it came. */
export interface Answer {
  readonly status: number
  readonly retryAfter: string | null
}

export interface Exchange {
  /** Ends with the answer's body, or with the line that says why there is no answer. */
  readonly answer: Effect.Effect<Answer, string>
  /** The answer as soon as its headers are there, while its body is still coming. */
  readonly answerSoFar: () => Answer | null
}

/** A body is read to keep the connection, and no further than this (bytes). */
const MAX_BODY = 64 * 1024

const retryAfterIn = (headers: ReadonlyArray<Buffer>): string | null => {
  for (let index = 0; index + 1 < headers.length; index += 2)
    if (headers[index]?.toString("latin1").toLowerCase() === "retry-after")
      return headers[index + 1]?.toString("latin1") ?? null
  return null
}

/** Prepares a POST; it starts when `answer` is run, which it may be once, and is called off by interruption. */
export const exchange = (pool: Pool, url: URL, request: WebhookRequest): Exchange => {
  let answered: Answer | null = null

  const answer = Effect.async<Answer, string>((resume) => {
    let bodyBytes = 0
    let calledOff = false
    let abort = () => {
      calledOff = true
    }
    pool.dispatch(
      {
        path: `${url.pathname}${url.search}`,
        method: "POST",
        headers: request.headers,
        body: request.body,
      },
      {
        onConnect: (abortRequest) => {
          abort = () => abortRequest()
          if (calledOff) abort()
        },
        onHeaders: (status, headers) => {
          // 1xx are no answers yet.
          if (status >= 200) answered = { status, retryAfter: retryAfterIn(headers) }
          return true
        },
        onData: (chunk) => {
          bodyBytes += chunk.length
          if (bodyBytes > MAX_BODY) abort()
          return true
        },
        onComplete: () => {
          resume(answered === null ? Effect.fail("the answer is not HTTP") : Effect.succeed(answered))
        },
        onError: (error) => {
          // Whatever happens to the body, the receiver has spoken.
          resume(answered === null ? Effect.fail(reasonOf(error)) : Effect.succeed(answered))
        },
      },
    )
    return Effect.sync(() => abort())
  })

  return { answer, answerSoFar: () => answered }
}
