/** The body of a request, before anybody reads it. */
import * as HttpServerError from "@effect/platform/HttpServerError"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { ATTACHMENT_MAX_BYTES, SizeExceeded } from "@mailroom/domain"
import { Effect, Stream } from "effect"
import { MULTIPART_MAX_BYTES, REQUEST_MAX_BYTES } from "./bodyLimits.js"
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

const readJson = (request: HttpServerRequest.HttpServerRequest) =>
  isAbsent(request)
    ? Effect.succeed(null)
    : Effect.filterOrFail(
        request.json,
        isShallow,
        () =>
          new HttpServerError.RequestError({
            request,
            reason: "Decode",
            description: `nested deeper than ${NESTING_MAX} levels`,
          }),
      )

/**
 * The request, with a body that is refused where it would be read when it says that it is too large: after the gates,
 * and before a byte of it was taken, so that the client can read the answer. A body that is not there reads as `null`,
 * and a form ends, whatever server is below.
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
    get: (target, key) => (key === "json" ? readJson(target) : Reflect.get(target, key, target)),
  })
}
