/** The answers to paths and methods that the service does not have (spec: service.unknown-path). */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { json } from "./json.js"
import { pathOf } from "./requests.js"

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

/** Whether a path has an empty segment, such as that of `/v1/mailboxes/`: the router takes it for an id. */
export const hasEmptySegment = (url: string): boolean => /^\/(?:admin\/)?v1\/.*(?:\/\/|\/$)/.test(pathOf(url))

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
