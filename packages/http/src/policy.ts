/**
 * The outermost layer: turns every failure before, around or inside a handler into one JSON error
 * (spec: errors.format.error). The details of a fault go to the log and not to the client.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiError from "@effect/platform/HttpApiError"
import type * as HttpApp from "@effect/platform/HttpApp"
import type * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { AccessFailure, Api, malformedIdOf } from "@mailroom/api"
import { InvalidInput, type Issue, ISSUES_MAX, type MailroomError, NotFound } from "@mailroom/domain"
import { isTemporary, makeOutageLog, Settings } from "@mailroom/engine"
import { Cause, Context, Effect, FiberRef, Layer, Option, Schema, Scope } from "effect"
import { sessionCookie } from "./access.js"
import { discardRest } from "./bodies/discardRest.js"
import { DashboardFiles } from "./DashboardFiles.js"
import { compressedFor } from "./encodings.js"
import { accessDenied, ErrorResponses } from "./errors.js"
import { HttpSettings } from "./HttpSettings.js"
import { json } from "./json.js"
import { dashboardPaths } from "./pages/dashboard.js"
import { formRefused } from "./pages/links.js"
import { mailFramePath } from "./pages/mailFrame.js"
import { fromForm, pathOf, takesPages } from "./requests.js"
import { counted, inSpan } from "./requestTelemetry.js"
import { announcing } from "./retired.js"
import { routeTable } from "./routeTable.js"
import { inSlices } from "./slices.js"
import { routerServices } from "./requestServices.js"
import { hasEmptySegment, unknownPath, wrongMethod } from "./unknownPath.js"

const isAccessFailure = Schema.is(AccessFailure)

/**
 * The error for a request whose path, headers or query the library could not decode; null for any other error, which is a
 * fault. The library's messages print schemas and values, so `parameters` decodes headers and query again.
 */
const refusalOf = (error: unknown, parameters: () => ReadonlyArray<Issue>): MailroomError | null => {
  if (!(error instanceof HttpApiError.HttpApiDecodeError)) return null
  const resource = error.issues.map(({ message }) => malformedIdOf(message)).find((kind) => kind !== null)
  if (resource !== undefined && resource !== null) return new NotFound({ resource })
  const issues = parameters()
  return new InvalidInput({
    issues:
      issues.length > 0
        ? issues.slice(0, ISSUES_MAX)
        : error.issues.map(({ path }) => ({
            path: path.map(String).join("."),
            message: "is not accepted here",
          })),
  })
}

/** A failure that is none of a use case. `retryAfter`: seconds */
interface Fault {
  readonly status: number
  readonly code: "STORAGE_UNAVAILABLE" | "INTERRUPTED" | "INTERNAL_ERROR"
  readonly text: string
  readonly retryAfter: number | null
}

/** A request whose database or blob store failed for now. */
const UNAVAILABLE: Fault = {
  status: 503,
  code: "STORAGE_UNAVAILABLE",
  text: "The service cannot reach its storage right now. Try again shortly",
  retryAfter: 5,
}

/** A request that the stop of the server interrupted. */
const INTERRUPTED: Fault = {
  status: 503,
  code: "INTERRUPTED",
  text: "The request was interrupted. Try again shortly",
  retryAfter: 1,
}

const INTERNAL: Fault = { status: 500, code: "INTERNAL_ERROR", text: "Internal error", retryAfter: null }

/** A page for the form of a browser, and JSON for everybody else. */
const faultResponse = (
  request: HttpServerRequest.HttpServerRequest,
  { status, code, text, retryAfter }: Fault,
) => {
  const isShown = fromForm(request) && takesPages(request)
  const response = isShown ? formRefused(text, status) : json({ error: text, code }, { status })
  return retryAfter === null
    ? response
    : HttpServerResponse.setHeader(response, "Retry-After", String(retryAfter))
}

/** Seconds that browsers remember: a year. */
const HTTPS_ONLY = 31_536_000

const ofRequest = Context.pick(HttpServerRequest.HttpServerRequest, Scope.Scope)

const allRoutes = routeTable(Api)
const routesWithoutAdmin = routeTable(Api, { closed: ["admin"] })

export const policyLayer = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { baseUrl } = yield* Settings
    const { adminToken, retired } = yield* HttpSettings
    const announced = announcing(retired)
    const { respond } = yield* ErrorResponses
    const logFailure = makeOutageLog(Effect.logError)
    const platformServices = routerServices(yield* Effect.context<HttpRouter.HttpRouter.DefaultServices>())
    const isTracing = yield* FiberRef.get(FiberRef.currentTracerEnabled)
    const hasAdmin = Option.isSome(adminToken)
    const routes = Option.isSome(yield* DashboardFiles)
      ? routeTable(Api, {
          closed: hasAdmin ? [] : ["admin"],
          pages: [...dashboardPaths, "/assets/:name", mailFramePath],
        })
      : hasAdmin
        ? allRoutes
        : routesWithoutAdmin

    const recover = (cause: Cause.Cause<unknown>, request: HttpServerRequest.HttpServerRequest) => {
      // By a stop of the server: a request whose client is gone does not come here.
      if (Cause.isInterruptedOnly(cause)) return Effect.succeed(faultResponse(request, INTERRUPTED))
      const error = Cause.squash(cause)
      if (isAccessFailure(error)) return Effect.succeed(accessDenied(error))
      if (error instanceof HttpServerError.RouteNotFound) {
        const allowed = routes.allowed(request.url)
        return Effect.succeed(
          allowed === null ? unknownPath(baseUrl, request) : wrongMethod(baseUrl, request, allowed),
        )
      }
      const refusal = refusalOf(error, () => routes.parameterIssues(request))
      if (refusal !== null) return Effect.succeed(respond(refusal))
      return Effect.as(
        logFailure(`${request.method} ${pathOf(request.url)} failed`, cause),
        faultResponse(request, isTemporary(cause) ? UNAVAILABLE : INTERNAL),
      )
    }

    /** On https, browsers use https alone for the host from now on (RFC 6797). */
    const secured = baseUrl.startsWith("https:")
      ? HttpServerResponse.setHeader("strict-transport-security", `max-age=${HTTPS_ONLY}`)
      : (response: HttpServerResponse.HttpServerResponse) => response

    const compressed = compressedFor(sessionCookie(baseUrl))

    const policy = (app: HttpApp.Default): HttpApp.Default =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const handled = hasEmptySegment(request.url)
          ? Effect.succeed(unknownPath(baseUrl, request))
          : Effect.catchAllCause(app, (cause) => recover(cause, request))
        const answer = Effect.zipLeft(handled, discardRest(request))
        const traced = isTracing ? inSpan(request, routes.template(request), answer) : answer
        return counted(request.method, traced).pipe(
          Effect.flatMap((response) => compressed(request, response)),
          Effect.map((response) => secured(inSlices(response))),
        )
      })

    /**
     * The library gives each request all services of this layer, and a fiber copies its services each time it gets one
     * more. So a request starts with only the services that the router needs; handlers got theirs when they were built.
     */
    const withFewServices = (app: HttpApp.Default) =>
      Effect.mapInputContext(app, (all: Context.Context<HttpServerRequest.HttpServerRequest | Scope.Scope>) =>
        Context.merge(platformServices, ofRequest(all)),
      )
    return HttpApiBuilder.middleware(Api, (app) => withFewServices(announced(policy(app))))
  }),
)
