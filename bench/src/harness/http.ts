/** JSON over HTTP, for everything that is not itself measured. */
import { Effect, Schema } from "effect"
import { BenchFailure } from "./processes.js"

export interface Call {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly key?: string
  readonly body?: unknown
}

const exchange = async ({ method, url, key, body }: Call, signal: AbortSignal): Promise<unknown> => {
  const response = await fetch(url, {
    method,
    signal,
    redirect: "error",
    headers: {
      accept: "application/json",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

/** Any answer but a 2xx of the expected shape is a failure. */
export const call = <A, I>(request: Call, answer: Schema.Schema<A, I>): Effect.Effect<A, BenchFailure> =>
  Effect.tryPromise((signal) => exchange(request, signal)).pipe(
    Effect.mapError((error) => error.error),
    Effect.flatMap(Schema.decodeUnknown(answer)),
    Effect.mapError(
      (error) =>
        new BenchFailure({
          message: `${request.method} ${request.url}: ${error instanceof Error ? error.message : "failed"}`,
        }),
    ),
  )
