/** Requests, counted and timed for the operator (decisions §4, `/metrics`). By status, never by path: paths hold ids. */
import { shownFromStart } from "@mailroom/engine"
import { Clock, Effect, Metric, MetricBoundaries } from "effect"

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

/** Methods nobody serves count as one: a client may invent as many as it likes. */
const SERVED: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE"])

/** The same answer, counted. */
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
