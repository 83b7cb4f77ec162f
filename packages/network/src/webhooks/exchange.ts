/** One request on a pool, and its answer. */
import type { WebhookRequest } from "@mailroom/engine"
import { Effect } from "effect"
import type { Pool } from "undici"
import { reasonOf } from "./reasons.js"

/** The status of an answer, and its Retry-After header unparsed. */
export interface Answer {
  readonly status: number
  readonly retryAfter: string | null
}

export interface Exchange {
  /** The answer, once its body is complete. Fails with a line that says why there is none. */
  readonly answer: Effect.Effect<Answer, string>
  /** The answer as soon as its headers have arrived, else null. */
  readonly answerSoFar: () => Answer | null
}

/** Bytes of a body that are read, to keep the connection usable; with more, the connection is closed. */
const MAX_BODY = 64 * 1024

const retryAfterIn = (headers: ReadonlyArray<Buffer>): string | null => {
  for (let index = 0; index + 1 < headers.length; index += 2)
    if (headers[index]?.toString("latin1").toLowerCase() === "retry-after")
      return headers[index + 1]?.toString("latin1") ?? null
  return null
}

/** Prepares a POST. It is sent when `answer` runs, which may happen once; interruption aborts it. */
export const exchange = (pool: Pool, url: URL, request: WebhookRequest): Exchange => {
  let answered: Answer | null = null

  const answer = Effect.async<Answer, string>((resume) => {
    let bodyBytes = 0
    let aborted = false
    let abort = () => {
      aborted = true
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
          if (aborted) abort()
        },
        onHeaders: (status, headers) => {
          // 1xx answers are interim.
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
          // Once the headers have arrived, an error of the body does not matter.
          resume(answered === null ? Effect.fail(reasonOf(error)) : Effect.succeed(answered))
        },
      },
    )
    return Effect.sync(() => abort())
  })

  return { answer, answerSoFar: () => answered }
}
