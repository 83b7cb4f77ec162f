/** Requests as any client would send them. */
import { Effect, Schema } from "effect"
import type { Server } from "./server.js"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; null when it is none. */
  readonly json: unknown
}

export interface CallOptions {
  readonly key?: string
  /** JSON; a string or a form goes out as it is */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const asIs = (body: unknown): body is string | FormData =>
  typeof body === "string" || body instanceof FormData

/** `endpoint` is a method and a path: `GET /v1/account`. Redirects are not followed. */
export const call = (
  server: Pick<Server, "url">,
  endpoint: string,
  { key, body, headers }: CallOptions = {},
): Effect.Effect<Answer> =>
  Effect.promise(async (signal) => {
    const [method = "GET", path = "/"] = endpoint.split(" ")
    const json = body !== undefined && !(body instanceof FormData)
    const response = await fetch(`${server.url}${path}`, {
      method,
      signal,
      redirect: "manual",
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(json && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: asIs(body) ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: parsed(text) }
  })

/** The part of an answer that a test needs, in the shape that the specification gives it. */
export const read = <A, I>(schema: Schema.Schema<A, I>, answer: Answer): A => {
  const decoded = Schema.decodeUnknownEither(schema)(answer.json)
  if (decoded._tag === "Left") throw new Error(`${answer.status} ${answer.text}\n${decoded.left.message}`)
  return decoded.right
}
