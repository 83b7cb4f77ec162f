/**
 * The outermost rule: whatever goes wrong before, around or inside a handler becomes one JSON error (spec, Errors).
 * Nothing of a fault's inside goes out; it goes to the log.
 */
import {
  HttpApiBuilder,
  HttpApiError,
  type HttpApp,
  HttpServerError,
  HttpServerRequest,
  Multipart,
} from "@effect/platform"
import { Api, malformedIdOf } from "@mailroom/api"
import {
  InvalidInput,
  type MailroomError,
  NotFound,
  SizeExceeded,
  ATTACHMENT_MAX_BYTES,
  upgradeAt,
} from "@mailroom/domain"
import { Settings, storageFailureIn } from "@mailroom/engine"
import { Cause, Effect, Layer, Option } from "effect"
import { MULTIPART_MAX_BYTES, REQUEST_MAX_BYTES } from "./bodyLimits.js"
import { refusals } from "./errors.js"
import { json } from "./json.js"
import { allowedMethods, unknownPath, wrongMethod } from "./unknownPath.js"

const methodsOf = allowedMethods(Api)

/** What a library error means in our own terms; null when it is a fault. */
const refusalOf = (error: unknown): MailroomError | null => {
  if (error instanceof HttpApiError.HttpApiDecodeError) {
    const resources = error.issues.map((issue) => malformedIdOf(issue.message))
    const [resource] = resources.filter((kind) => kind !== null)
    if (resource !== undefined) return new NotFound({ resource })
    return new InvalidInput({
      issues: error.issues.map(({ path, message }) => ({ path: path.map(String).join("."), message })),
    })
  }
  if (error instanceof Multipart.MultipartError)
    return /TooLarge/.test(error.reason) || /ReachedLimit/.test(String(error.cause))
      ? new SizeExceeded({ what: "the file", limitBytes: ATTACHMENT_MAX_BYTES })
      : new InvalidInput({ issues: [{ path: "", message: "malformed multipart form" }] })
  if (error instanceof HttpServerError.RequestError)
    return /maxBytes/.test(String(error.cause))
      ? new SizeExceeded({ what: "the request", limitBytes: REQUEST_MAX_BYTES })
      : new InvalidInput({ issues: [{ path: "", message: "the body is not valid JSON" }] })
  return null
}

/** A body that says it is too large is refused before it is read, so that the client can read the answer. */
const announcedTooLarge = (request: HttpServerRequest.HttpServerRequest): MailroomError | null => {
  const length = Number(request.headers["content-length"] ?? 0)
  const multipart = request.headers["content-type"]?.startsWith("multipart/") === true
  if (multipart && length > MULTIPART_MAX_BYTES)
    return new SizeExceeded({ what: "the file", limitBytes: ATTACHMENT_MAX_BYTES })
  return length > REQUEST_MAX_BYTES
    ? new SizeExceeded({ what: "the request", limitBytes: REQUEST_MAX_BYTES })
    : null
}

const unavailable = () =>
  json(
    {
      error: "The service cannot reach its storage right now. Try again shortly",
      code: "STORAGE_UNAVAILABLE",
    },
    { status: 503, headers: { "Retry-After": "5" } },
  )

const internal = () => json({ error: "Internal error", code: "INTERNAL_ERROR" }, { status: 500 })

export const policyLayer = Layer.unwrapEffect(
  Effect.map(Settings, ({ baseUrl, headerPrefix }) => {
    const { respond } = refusals(upgradeAt(baseUrl), headerPrefix)

    const recover = (cause: Cause.Cause<unknown>, request: HttpServerRequest.HttpServerRequest) => {
      if (Cause.isInterruptedOnly(cause)) return Effect.failCause(Cause.empty)
      const error = Cause.squash(cause)
      if (error instanceof HttpServerError.RouteNotFound) {
        const allowed = methodsOf(request.url)
        return Effect.succeed(
          allowed === null ? unknownPath(baseUrl, request) : wrongMethod(baseUrl, request, allowed),
        )
      }
      const refusal = refusalOf(error)
      if (refusal !== null) return Effect.succeed(respond(refusal))
      const storage = storageFailureIn(cause)
      const away = Option.isSome(storage) && storage.value.reason !== "unexpected"
      return Effect.as(
        Effect.logError(`${request.method} ${request.url.split("?")[0]} failed`, cause),
        away ? unavailable() : internal(),
      )
    }

    const policy = (app: HttpApp.Default): HttpApp.Default =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const refusal = announcedTooLarge(request)
        if (refusal !== null) return Effect.succeed(respond(refusal))
        return Effect.catchAllCause(app, (cause) => recover(cause, request))
      })
    return HttpApiBuilder.middleware(Api, policy)
  }),
)
