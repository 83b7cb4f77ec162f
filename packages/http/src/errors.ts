/**
 * The response to every domain error (docs/specification/errors.md): its wire form (`wireErrors` in
 * `packages/api/src/wireErrors.ts`) and its headers (`headersOf`); `statusOf` in `packages/domain/src/errors.ts` has its
 * status. The handlers' errors come here through `ErrorResponses.answer`, those of access rules through `accessDenied`. The
 * responses to defects (STORAGE_UNAVAILABLE, INTERRUPTED, INTERNAL_ERROR) are in `policy.ts`.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { type AccessFailure, errorCodes, overloaded, type WireError, wireErrors } from "@mailroom/api"
import { type InboundQuota, inboundWarning, type MailroomError, statusOf } from "@mailroom/domain"
import { Settings } from "@mailroom/engine"
import { Context, Effect, Layer, Match } from "effect"
import type { ServerResponse } from "node:http"
import { json } from "./json.js"
import { formRefused } from "./pages/links.js"
import { logRefusal } from "./refusalLog.js"
import { fromForm } from "./requests.js"
import { countError } from "./requestTelemetry.js"

export const quotaText = ({ current, limit }: InboundQuota): string => `${current}/${limit ?? "unlimited"}`

/** The headers of an error: `Retry-After` for every error with `retryAfter`, and those of the inbound limit. */
const headersOf = (error: MailroomError, prefix: string): Readonly<Record<string, string>> => {
  if (error._tag === "OverInboundLimit") {
    const quota = {
      [`${prefix}Retriable`]: "false",
      [`${prefix}Inbound-Quota`]: quotaText(error.quota),
      [`${prefix}Inbound-Warning`]: inboundWarning(error.quota) ?? "reached",
    }
    return error.gate === "INBOUND_LIMIT_EXCEEDED"
      ? { ...quota, "Retry-After": String(error.retryAfter), [`${prefix}Reset-At`]: error.resetAt }
      : quota
  }
  return "retryAfter" in error && error.retryAfter !== undefined
    ? { "Retry-After": String(error.retryAfter) }
    : {}
}

export class ErrorResponses extends Context.Tag("@mailroom/http/ErrorResponses")<
  ErrorResponses,
  {
    /** The response to an error. */
    readonly respond: (error: MailroomError) => HttpServerResponse.HttpServerResponse
    /** As `respond`, and logs the refusal of a known caller. */
    readonly refuse: (error: MailroomError) => Effect.Effect<HttpServerResponse.HttpServerResponse>
    /** As `refuse`, for an endpoint that `AnswersForms`: the response to a form is a page. */
    readonly refuseTo: (
      request: HttpServerRequest.HttpServerRequest,
    ) => (error: MailroomError) => Effect.Effect<HttpServerResponse.HttpServerResponse>
    /** Turns the errors of a use case into responses. Its result is the endpoint's success. */
    readonly answer: <A, R>(
      effect: Effect.Effect<A, MailroomError, R>,
    ) => Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, R>
    /** As `answer`, by `refuseTo`. */
    readonly answerTo: (
      request: HttpServerRequest.HttpServerRequest,
    ) => <A, R>(
      effect: Effect.Effect<A, MailroomError, R>,
    ) => Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, R>
  }
>() {
  static readonly layer: Layer.Layer<ErrorResponses, never, Settings> = Layer.effect(
    ErrorResponses,
    Effect.map(Settings, ({ baseUrl, billing, headerPrefix }) => {
      const wire = Match.type<MailroomError>().pipe(Match.tagsExhaustive(wireErrors({ baseUrl, billing })))
      const respond = (error: MailroomError) =>
        errorResponse(wire(error), statusOf[error._tag], headersOf(error, headerPrefix))
      const refusing = (build: typeof errorPage) => (error: MailroomError) => {
        const shown = wire(error)
        return Effect.as(
          logRefusal(shown.code),
          build(shown, statusOf[error._tag], headersOf(error, headerPrefix)),
        )
      }
      const refuse = refusing(errorResponse)
      const refuseForm = refusing(errorPage)
      const refuseTo = (request: HttpServerRequest.HttpServerRequest) =>
        fromForm(request) ? refuseForm : refuse
      return {
        respond,
        refuse,
        refuseTo,
        answer: Effect.catchAll(refuse),
        answerTo: (request) => Effect.catchAll(refuseTo(request)),
      }
    }),
  )
}

const withoutTag = ({ _tag, ...body }: WireError) => body

/** Builds the response and counts its code. */
const errorResponse = (
  error: WireError,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): HttpServerResponse.HttpServerResponse => {
  countError(error.code)
  return json(withoutTag(error), { status, headers })
}

/** As `errorResponse`, for the form of a browser. */
const errorPage = (
  { code, error }: WireError,
  status: number,
  headers: Readonly<Record<string, string>>,
): HttpServerResponse.HttpServerResponse => {
  countError(code)
  return HttpServerResponse.setHeaders(formRefused(error, status), headers)
}

/** The response to the error of an access rule, which is in its wire form already. */
export const accessDenied = (failure: AccessFailure): HttpServerResponse.HttpServerResponse =>
  errorResponse(failure, errorCodes[failure._tag].status)

/** Answers `OVERLOADED` on a response of Node, for requests that the application never sees. `retryAfter` is in seconds. */
export const respondOverloaded = (response: ServerResponse, retryAfter: number): void => {
  response
    .writeHead(503, { "content-type": "application/json", "retry-after": String(retryAfter) })
    .end(JSON.stringify(withoutTag(overloaded(retryAfter))))
}
