/**
 * `/metrics`: the counters of the process in the text format of Prometheus. Clients on this machine may read them, and
 * clients with the admin token (docs/decisions/0045).
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { RawMailStore, Settings } from "@mailroom/engine"
import { Clock, Effect, Metric, type MetricLabel, type MetricPair, MetricState, Option } from "effect"

import { operatorOnly } from "../adminAccess.js"
import { isFromThisMachine } from "../requests.js"
import { accessDenied } from "../errors.js"
import { unknownPath } from "../unknownPath.js"

/** Mails up to which the backlog is counted. */
const BACKLOG_MAX = 10_000

type Label = readonly [name: string, value: string]

const escaped = (value: string): string =>
  value.replace(/["\\\n]/g, (one) => (one === "\n" ? "\\n" : `\\${one}`))

const sample = (name: string, labels: ReadonlyArray<Label>, value: number | bigint): string => {
  const inside = labels.map(([label, text]) => `${label}="${escaped(text)}"`).join(",")
  return `${name}${inside === "" ? "" : `{${inside}}`} ${value}`
}

const labelsOf = (tags: ReadonlyArray<MetricLabel.MetricLabel>): ReadonlyArray<Label> =>
  tags.map(({ key, value }) => [key, value] as const)

const histogram = (name: string, labels: ReadonlyArray<Label>, state: MetricState.MetricState.Histogram) => [
  ...state.buckets.map(([bound, count]) =>
    sample(`${name}_bucket`, [...labels, ["le", Number.isFinite(bound) ? String(bound) : "+Inf"]], count),
  ),
  sample(`${name}_sum`, labels, state.sum),
  sample(`${name}_count`, labels, state.count),
]

interface Family {
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly samples: ReadonlyArray<string>
}

const familyOf = ({ metricKey, metricState }: MetricPair.MetricPair.Untyped): Family | null => {
  const { name, tags } = metricKey
  const help = Option.getOrElse(metricKey.description, () => name)
  const labels = labelsOf(tags)
  if (MetricState.isCounterState(metricState))
    return { type: "counter", help, samples: [sample(name, labels, metricState.count)] }
  if (MetricState.isGaugeState(metricState))
    return { type: "gauge", help, samples: [sample(name, labels, metricState.value)] }
  if (MetricState.isHistogramState(metricState))
    return { type: "histogram", help, samples: histogram(name, labels, metricState) }
  return null
}

const text = (name: string, { type, help, samples }: Family): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.join("\n")}\n`

/** All metrics of the service by name. Samples that differ in their labels only are one family. */
const families = (pairs: ReadonlyArray<MetricPair.MetricPair.Untyped>): ReadonlyMap<string, Family> => {
  const found = new Map<string, Family>()
  for (const pair of pairs) {
    const { name } = pair.metricKey
    const family = name.startsWith("mailroom_") ? familyOf(pair) : null
    if (family === null) continue
    const before = found.get(name)?.samples ?? []
    found.set(name, { ...family, samples: [...before, ...family.samples] })
  }
  return found
}

const gauge = (name: string, help: string, value: number): string =>
  text(name, { type: "gauge", help, samples: [sample(name, [], value)] })

const ownProcess = (): string => {
  const { user, system } = process.cpuUsage()
  return (
    gauge("process_resident_memory_bytes", "memory of the process", process.memoryUsage.rss()) +
    text("process_cpu_seconds_total", {
      type: "counter",
      help: "processor time used",
      samples: [sample("process_cpu_seconds_total", [], (user + system) / 1e6)],
    })
  )
}

export const metricsPage = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { backlog, oldest } = yield* RawMailStore
    const answer = Effect.gen(function* () {
      const waiting = yield* backlog(BACKLOG_MAX)
      const now = yield* Clock.currentTimeMillis
      const oldestAge = Option.match(yield* oldest, { onNone: () => 0, onSome: (at) => now - at })
      const counted = [...families(yield* Metric.snapshot)].map(([name, family]) => text(name, family))
      const body =
        counted.join("") +
        gauge("mailroom_delivery_backlog", `accepted mails that wait, ${BACKLOG_MAX} at most`, waiting) +
        gauge(
          "mailroom_delivery_oldest_seconds",
          "age of the accepted mail that has waited longest, 0 when none waits",
          Math.max(0, oldestAge) / 1000,
        ) +
        ownProcess()
      return HttpServerResponse.text(body, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
    })
    const { baseUrl } = yield* Settings
    const enter = yield* operatorOnly
    const guarded = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      isFromThisMachine(request, baseUrl)
        ? answer
        : Effect.matchEffect(enter, {
            onFailure: (failure) =>
              Effect.succeed(
                failure._tag === "RouteNotFound" ? unknownPath(baseUrl, request) : accessDenied(failure),
              ),
            onSuccess: () => answer,
          }),
    )
    yield* router.get("/metrics", guarded)
  }),
)
