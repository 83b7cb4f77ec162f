/** The span of a request, where traces are collected. */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import { Effect, Option } from "effect"

/** Requests that come every few seconds whether anybody works or not. */
const UNTRACED: ReadonlySet<string | null> = new Set(["/healthz", "/readyz", "/metrics"])

/**
 * Runs a request in a span with its method, route and status, below the span that the client names in `traceparent`. The
 * library's own span also has the URL and all headers, and URLs of ours hold tokens.
 */
export const inSpan = <A extends { readonly status: number }, E, R>(
  { method, headers }: HttpServerRequest.HttpServerRequest,
  template: string | null,
  answer: Effect.Effect<A, E, R>,
) => {
  if (UNTRACED.has(template)) return Effect.withTracerEnabled(answer, false)
  return Effect.tap(answer, ({ status }) =>
    Effect.annotateCurrentSpan("http.response.status_code", status),
  ).pipe(
    Effect.withSpan(template === null ? method : `${method} ${template}`, {
      kind: "server",
      captureStackTrace: false,
      parent: Option.getOrUndefined(HttpTraceContext.fromHeaders(headers)),
      attributes: { "http.request.method": method, ...(template !== null && { "http.route": template }) },
    }),
  )
}
