/** Requests as the operator sees them: counted, timed, and traced. */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import { shownFromStart } from "@mailroom/engine"
import { Clock, Effect, Metric, MetricBoundaries, Option } from "effect"

const requests = Metric.counter("mailroom_http_requests_total", {
  description: "HTTP requests answered",
  incremental: true,
})

/** seconds */
const durations = shownFromStart(
  Metric.histogram(
    "mailroom_http_request_duration_seconds",
    MetricBoundaries.fromIterable([0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]),
    "how long requests took until their answer began",
  ),
)

const counters = new Map<string, Metric.Metric.Counter<number>>()

const counterOf = (method: string, status: number): Metric.Metric.Counter<number> => {
  const key = `${method} ${status}`
  const known = counters.get(key)
  if (known !== undefined) return known
  const made = requests.pipe(Metric.tagged("method", method), Metric.tagged("status", String(status)))
  counters.set(key, made)
  return made
}

const errors = Metric.counter("mailroom_http_errors_total", {
  description: "responses with an error that a rule makes, by its code",
  incremental: true,
})

const errorCounters = new Map<string, Metric.Metric.Counter<number>>()

/** Counts a response with an error. `code` is one of docs/specification/errors.md. */
export const countError = (code: string): void => {
  const known = errorCounters.get(code)
  const counter = known ?? Metric.tagged(errors, "code", code)
  if (known === undefined) errorCounters.set(code, counter)
  counter.unsafeUpdate(1, [])
}

/** All other methods count as one, `OTHER`: clients may invent any number of them. */
const SERVED: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE"])

/** Counts and times an answer. Its labels are the method and the status, and not the path, which holds ids. */
export const counted = <A extends { readonly status: number }, E, R>(
  method: string,
  answer: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const start = yield* Clock.currentTimeNanos
    const response = yield* answer
    const seconds = Number((yield* Clock.currentTimeNanos) - start) / 1e9
    yield* Metric.update(durations, seconds)
    yield* Metric.increment(counterOf(SERVED.has(method) ? method : "OTHER", response.status))
    return response
  })

/** Routes that monitoring calls every few seconds. */
const UNTRACED: ReadonlySet<string | null> = new Set(["/healthz", "/readyz", "/metrics"])

/**
 * Runs a request in a span with its method, route and status, as a child of the span in `traceparent`. The library's own span
 * would also hold the URL and all headers, which contain tokens.
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
