/** The body of a request, before anybody reads it. */
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
  if (request.method === "GET" || !isAbsent(request)) return request
  return new Proxy(request, {
    get: (target, key) => (key === "json" ? Effect.succeed(null) : Reflect.get(target, key, target)),
  })
}
