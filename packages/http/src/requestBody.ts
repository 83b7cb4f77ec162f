/** The body of a request, before anybody reads it. */
import * as HttpServerError from "@effect/platform/HttpServerError"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as UrlParams from "@effect/platform/UrlParams"
import { ATTACHMENT_MAX_BYTES, SizeExceeded } from "@mailroom/domain"
import { Effect, Stream } from "effect"
import { MULTIPART_MAX_BYTES, REQUEST_MAX_BYTES } from "./bodyLimits.js"
import { readBytes } from "./bodyBytes.js"
import { readMultipart } from "./multipartBody.js"

const whole: ReadonlySet<PropertyKey> = new Set(["arrayBuffer", "json", "multipart", "text", "urlParamsBody"])
const streamed: ReadonlySet<PropertyKey> = new Set(["multipartStream", "stream"])

const isForm = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["content-type"]?.toLowerCase().includes("multipart/form-data") === true

const announcedTooLarge = (request: HttpServerRequest.HttpServerRequest): SizeExceeded | null => {
  const length = Number(request.headers["content-length"] ?? 0)
  if (isForm(request) && length > MULTIPART_MAX_BYTES)
    return new SizeExceeded({ what: "the file", limitBytes: ATTACHMENT_MAX_BYTES })
  return length > REQUEST_MAX_BYTES
    ? new SizeExceeded({ what: "the request", limitBytes: REQUEST_MAX_BYTES })
    : null
}

const isAbsent = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["content-length"] === undefined
    ? headers["transfer-encoding"] === undefined && headers["content-type"] === undefined
    : headers["content-length"].trim() === "0"

/** Nothing that the contract takes is nested half as deep; what checks a value goes as deep as the value. */
const NESTING_MAX = 32

const childrenOf = (value: unknown): ReadonlyArray<unknown> =>
  typeof value === "object" && value !== null ? Object.values(value) : []

const isShallow = (value: unknown): boolean => {
  let level = [value]
  for (let depth = 0; depth <= NESTING_MAX && level.length > 0; depth++) level = level.flatMap(childrenOf)
  return level.length === 0
}

const malformed = (request: HttpServerRequest.HttpServerRequest, description?: string) =>
  new HttpServerError.RequestError({
    request,
    reason: "Decode",
    ...(description !== undefined && { description }),
  })

const decoder = new TextDecoder()

/** Node holds a client to the length it announces; what announces none is counted. */
const readText = (request: HttpServerRequest.HttpServerRequest) =>
  request.headers["content-length"] === undefined
    ? Effect.map(readBytes(request), (bytes) => decoder.decode(bytes))
    : request.text

const readJson = (request: HttpServerRequest.HttpServerRequest) =>
  isAbsent(request)
    ? Effect.succeed(null)
    : readText(request).pipe(
        Effect.flatMap((text) =>
          Effect.try({
            try: (): unknown => (text === "" ? null : JSON.parse(text)),
            catch: () => malformed(request),
          }),
        ),
        Effect.filterOrFail(isShallow, () => malformed(request, `nested deeper than ${NESTING_MAX} levels`)),
      )

/** A body read so that reading ends, by what it is wanted as. */
const readAs = (request: HttpServerRequest.HttpServerRequest, key: PropertyKey) => {
  switch (key) {
    case "json":
      return readJson(request)
    case "text":
      return readText(request)
    case "urlParamsBody":
      return Effect.map(readText(request), (text) => UrlParams.fromInput(new URLSearchParams(text)))
    case "arrayBuffer":
      return Effect.map(readBytes(request), ({ buffer }) => buffer)
    default:
      return undefined
  }
}

/**
 * The request, with a body that is refused where it would be read when it says that it is too large: after the gates,
 * and before a byte of it was taken, so that the client can read the answer. A body that is not there reads as `null`,
 * one that does not say how long it is ends, and so does a form, whatever server is below.
 */
export const withReadableBody = (
  request: HttpServerRequest.HttpServerRequest,
): HttpServerRequest.HttpServerRequest => {
  const refusal = announcedTooLarge(request)
  if (refusal !== null)
    return new Proxy(request, {
      get: (target, key) => {
        if (whole.has(key)) return Effect.die(refusal)
        return streamed.has(key) ? Stream.die(refusal) : Reflect.get(target, key, target)
      },
    })
  if (isForm(request))
    return new Proxy(request, {
      get: (target, key) => (key === "multipart" ? readMultipart(target) : Reflect.get(target, key, target)),
    })
  if (request.method === "GET") return request
  return new Proxy(request, {
    get: (target, key) => readAs(target, key) ?? Reflect.get(target, key, target),
  })
}
