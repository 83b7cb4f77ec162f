/** The requests of the Effect client: address, key, and repetitions, as the Promise client has them. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Headers from "@effect/platform/Headers"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Effect, Option, Random, Schema } from "effect"
import { operations } from "../generated/operations.js"
import type { Operation } from "../Operation.js"
import { followsRedirects, isRedirect, redirectMessage } from "../redirects.js"
import type { MailroomClientOptions } from "./settings.js"

type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse

const all: ReadonlyArray<Operation> = Object.values<Operation>(operations)

/** Finds the paths of these operations. */
const matching = (chosen: ReadonlyArray<Operation>): ((path: string) => boolean) => {
  const patterns = chosen.map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`))
  return (path) => patterns.some((pattern) => pattern.test(path))
}

const isIdempotent = matching(all.filter(({ idempotent }) => idempotent === true))

const isFollowed = matching(all.filter(({ path }) => followsRedirects(path)))

/** The path of a request, whose URL begins with it or with the URL of the service. */
const pathIn = (baseUrl: string, { url }: Request): string =>
  url.startsWith(baseUrl) ? url.slice(baseUrl.length) : url

/** Whether the service does the work of a request once for each key. */
const heedsKeys =
  (baseUrl: string) =>
  (request: Request): boolean =>
    request.method === "POST" && isIdempotent(pathIn(baseUrl, request))

/** Lets a request fail with a redirect, except for a download. `init` has the settings of `fetch` that the layer was made with. */
const withoutRedirects =
  (baseUrl: string, init: RequestInit | undefined) =>
  <R>(
    send: Effect.Effect<Response, HttpClientError.HttpClientError, R>,
    request: Request,
  ): Effect.Effect<Response, HttpClientError.HttpClientError, R> => {
    const path = pathIn(baseUrl, request)
    if (isFollowed(path)) return send
    return Effect.serviceOption(FetchHttpClient.RequestInit).pipe(
      Effect.flatMap((own) =>
        Effect.provideService(send, FetchHttpClient.RequestInit, {
          ...init,
          ...Option.getOrUndefined(own),
          redirect: "manual",
        }),
      ),
      Effect.filterOrFail(
        ({ status }) => !isRedirect(status),
        (response) =>
          new HttpClientError.ResponseError({
            request,
            response,
            reason: "StatusCode",
            description: redirectMessage(baseUrl, `${baseUrl}${path}`, response.headers["location"] ?? null),
          }),
      ),
    )
  }

/** Longest `Retry-After` that a call waits for, in seconds. */
const LONGEST_RETRY_AFTER = 60

const Code = Schema.Struct({ code: Schema.String })

const codeOf = (response: Response): Effect.Effect<string | undefined> =>
  response.json.pipe(
    Effect.flatMap(Schema.decodeUnknown(Code)),
    Effect.map(({ code }) => code),
    Effect.orElseSucceed(() => undefined),
  )

/** Whether the response may change when the request is repeated. The service does not send twice what is uncertain. */
const isPassing = (response: Response): Effect.Effect<boolean> => {
  const { status } = response
  if (status === 409) return Effect.map(codeOf(response), (code) => code === "IDEMPOTENCY_KEY_IN_USE")
  if (status === 503) return Effect.map(codeOf(response), (code) => code !== "SEND_UNCERTAIN")
  return Effect.succeed(status === 408 || status === 429 || status >= 500)
}

const retryAfterOf = ({ headers }: Response): Option.Option<number> =>
  Option.filter(Option.map(Option.fromNullable(headers["retry-after"]), Number), (seconds) => seconds >= 0)

/** Milliseconds before the repetition `attempt`, from 0. */
const delayBefore = (attempt: number, retryAfter: Option.Option<number>): Effect.Effect<number> =>
  Effect.map(Random.next, (random) =>
    Option.match(retryAfter, {
      onSome: (seconds) => seconds * 1000 * (1 + random / 10),
      onNone: () => Math.min(500 * 2 ** attempt, 8_000) * (0.5 + random / 2),
    }),
  )

/** Repeats a request until it succeeds, fails for good, or was repeated often enough. */
const repeated = (
  send: Effect.Effect<Response, HttpClientError.HttpClientError>,
  left: number,
  attempt = 0,
): Effect.Effect<Response, HttpClientError.HttpClientError> => {
  const again = (retryAfter: Option.Option<number>) =>
    delayBefore(attempt, retryAfter).pipe(
      Effect.flatMap(Effect.sleep),
      Effect.zipRight(Effect.suspend(() => repeated(send, left - 1, attempt + 1))),
    )
  if (left <= 0) return send
  return Effect.matchEffect(send, {
    onFailure: (error) =>
      error._tag === "RequestError" && error.reason === "Transport"
        ? again(Option.none())
        : Effect.fail(error),
    onSuccess: (response) =>
      Effect.flatMap(isPassing(response), (passing) => {
        const retryAfter = retryAfterOf(response)
        const isNear = Option.getOrElse(retryAfter, () => 0) <= LONGEST_RETRY_AFTER
        return passing && isNear ? again(retryAfter) : Effect.succeed(response)
      }),
  })
}

const newKey: Effect.Effect<string> = Effect.sync(() =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  ),
)

/**
 * A client of the service: requests have the key, those that are safe to repeat are repeated. A POST keeps an `Idempotency-Key` that
 * the `HttpClient` of the caller gave it.
 */
export const withSettings = (
  { baseUrl, apiKey, maxRetries = 2 }: MailroomClientOptions,
  init: RequestInit | undefined,
) => {
  const base = baseUrl.replace(/\/+$/, "")
  const takesKey = heedsKeys(base)
  return (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    client.pipe(
      HttpClient.transform(withoutRedirects(base, init)),
      HttpClient.transform((send, request) =>
        request.method === "GET" || takesKey(request) ? repeated(send, maxRetries) : send,
      ),
      HttpClient.mapRequestEffect((request) =>
        takesKey(request) && !Headers.has(request.headers, "idempotency-key")
          ? Effect.map(newKey, (key) => HttpClientRequest.setHeader(request, "idempotency-key", key))
          : Effect.succeed(request),
      ),
      HttpClient.mapRequest((request) =>
        apiKey === undefined ? request : HttpClientRequest.bearerToken(request, apiKey),
      ),
    )
}
