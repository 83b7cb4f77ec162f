/** Paths and methods that are not ours (spec, "What the service does"; decisions §4). */
import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { FindMyWay } from "@effect/platform/HttpLayerRouter"
import type { Issue } from "@mailroom/domain"
import { json } from "./json.js"
import { pathOf } from "./pathOf.js"
import { unknownParameters } from "./unknownParameters.js"

const commonEndpoints = [
  "POST /v1/signup",
  "GET /v1/account",
  "GET /v1/mailboxes",
  "POST /v1/mailboxes/{id}/messages",
  "GET /v1/mailboxes/{id}/messages",
  "GET /v1/events",
  "POST /v1/webhooks",
]

const resolution = (baseUrl: string) => ({
  openapi: `${baseUrl}/openapi.json`,
  docs: `${baseUrl}/docs`,
  endpoints: `${baseUrl}/openapi.json#/paths`,
  commonEndpoints,
})

export const unknownPath = (
  baseUrl: string,
  request: HttpServerRequest.HttpServerRequest,
): HttpServerResponse.HttpServerResponse =>
  json(
    {
      error: "Endpoint not found",
      code: "ENDPOINT_NOT_FOUND",
      message: `There is no ${request.method} ${pathOf(request.url)}`,
      resolution: resolution(baseUrl),
    },
    { status: 404 },
  )

export const wrongMethod = (
  baseUrl: string,
  request: HttpServerRequest.HttpServerRequest,
  allowed: ReadonlyArray<string>,
): HttpServerResponse.HttpServerResponse =>
  json(
    {
      error: "Method not allowed",
      code: "METHOD_NOT_ALLOWED",
      message: `${pathOf(request.url)} takes ${allowed.join(", ")}, not ${request.method}`,
      resolution: resolution(baseUrl),
    },
    { status: 405, headers: { allow: allowed.join(", ") } },
  )

/** What is served beside the contract: pages, documents, health. */
const pages: ReadonlyArray<readonly [method: string, path: string]> = [
  ["GET", "/"],
  ["GET", "/healthz"],
  ["GET", "/readyz"],
  ["GET", "/openapi.json"],
  ["GET", "/docs"],
  ["GET", "/llms.txt"],
  ["GET", "/metrics"],
  ["GET", "/v1/auth/verify-email"],
  ["GET", "/reset-password"],
  ["GET", "/onboarding"],
  ["GET", "/dashboard"],
  ["GET", "/dashboard/billing"],
  ["GET", "/checkout/:token"],
  ["POST", "/checkout/:token/complete"],
]

/** What is known of a URL's path. */
export interface Routes {
  /** The methods of the path; null when nothing has that path. What GET serves, HEAD serves too. */
  readonly allowed: (url: string) => ReadonlyArray<string> | null
  /** One issue for each query parameter that the endpoint does not know. */
  readonly unknownParameters: (method: string, url: string) => ReadonlyArray<Issue>
}

type Check = (url: string) => ReadonlyArray<Issue>

/** The routes of the contract and of the pages beside it, without the groups in `closed`. */
export const routesOf = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  closed: ReadonlyArray<Groups["identifier"]> = [],
): Routes => {
  const router = FindMyWay.make<Map<string, Check>>({
    caseSensitive: true,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    maxParamLength: 1000,
  })
  const byShape = new Map<string, Map<string, Check>>()
  const add = (method: string, path: string, check: Check) => {
    const shape = path.replace(/:[A-Za-z]+/g, ":param")
    const methods = byShape.get(shape) ?? new Map<string, Check>()
    if (!byShape.has(shape)) router.on("GET", `/${shape.replace(/^\//, "")}`, methods)
    byShape.set(shape, methods.set(method, check))
  }
  for (const [method, path] of pages) add(method, path, () => [])
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ group, endpoint, mergedAnnotations }) => {
      if (!closed.includes(group.identifier))
        add(endpoint.method, endpoint.path, unknownParameters(endpoint, mergedAnnotations))
    },
  })
  const methodsAt = (url: string) => router.find("GET", pathOf(url))?.handler ?? null
  return {
    allowed: (url) => {
      const methods = methodsAt(url)
      return (
        methods && [...methods.keys()].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
      )
    },
    unknownParameters: (method, url) => methodsAt(url)?.get(method === "HEAD" ? "GET" : method)?.(url) ?? [],
  }
}
