/** What a request wants back, by what it sent. */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"

/** A form that a browser posted wants a page next, a program wants JSON. */
export const fromForm = (request: HttpServerRequest.HttpServerRequest): boolean =>
  request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true
