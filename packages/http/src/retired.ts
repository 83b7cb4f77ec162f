/**
 * Routes that will be removed (spec: versioning.4-headers). The changelog announces each at least 30 days before its
 * sunset, and every answer of the route has the headers `Deprecation` and `Sunset` (RFC 9745, RFC 8594).
 */
import type * as HttpApp from "@effect/platform/HttpApp"
import { FindMyWay } from "@effect/platform/HttpLayerRouter"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { Instant } from "@mailroom/domain"
import { Effect } from "effect"
import { pathOf } from "./requests.js"

export interface RetiredRoute {
  readonly method: HttpMethod
  /** as in the contract: `/v1/mailboxes/:id` */
  readonly path: `/${string}`
  readonly deprecatedAt: Instant
  /** from then on the route may be gone */
  readonly sunsetAt: Instant
  /** address of the page that says what to use instead */
  readonly link: string
}

/** The retired routes of this version. */
export const retiredRoutes: ReadonlyArray<RetiredRoute> = []

const headersOf = ({ deprecatedAt, sunsetAt, link }: RetiredRoute) => ({
  deprecation: `@${Math.floor(deprecatedAt / 1000)}`,
  sunset: new Date(sunsetAt).toUTCString(),
  link: `<${link}>; rel="deprecation"`,
})

/** Adds the headers to every answer of a retired route, errors included. Costs nothing when no route is retired. */
export const announcing = (
  retired: ReadonlyArray<RetiredRoute>,
): ((app: HttpApp.Default) => HttpApp.Default) => {
  if (retired.length === 0) return (app) => app
  const router = FindMyWay.make<ReturnType<typeof headersOf>>({
    caseSensitive: true,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    maxParamLength: 1000,
  })
  for (const route of retired) router.on(route.method, route.path, headersOf(route))
  const headersFor = ({ method, url }: HttpServerRequest.HttpServerRequest) =>
    router.find(method === "HEAD" ? "GET" : method, pathOf(url))?.handler
  return (app) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const headers = headersFor(request)
      return headers === undefined ? app : Effect.map(app, HttpServerResponse.setHeaders(headers))
    })
}
