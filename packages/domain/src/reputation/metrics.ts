/**
 * What mailboxes received and sent, counted by the hour and by the day in UTC (docs/specification/reputation.md;
 * docs/decisions/0068).
 */
import { Either, Schema } from "effect"
import { described } from "../described.js"
import { InvalidInput } from "../errors.js"
import { METRICS_KEPT_FOR, METRICS_MAX_HOURS, METRICS_RANGE_DEFAULT } from "../limits.js"
import { DAY, HOUR } from "../durations.js"
import { type Instant, timestamp, Timestamp } from "../time.js"

const Count = Schema.Int.pipe(Schema.nonNegative())

/** The counters of one mailbox or account in one hour or day. */
export const MetricCounts = Schema.Struct({
  received: described(Count, "messages that arrived, gated and quarantined ones included"),
  sent: described(Count, "messages that the relay, or a mailbox of this service, accepted"),
  delivered: described(Count, "recipients to whom a delivery was reported"),
  bounced: described(Count, "recipients whose mail bounced, for good or for now"),
  complained: described(Count, "recipients who reported a message as spam"),
  gated: described(Count, "received messages above the inbound limit"),
  quarantined: described(Count, "received messages that were quarantined"),
}).annotations({ identifier: "MetricCounts", description: "Counters of mail" })
export type MetricCounts = typeof MetricCounts.Type

export const MetricPoint = Schema.Struct({
  at: described(Timestamp, "start of the hour or day, UTC"),
  ...MetricCounts.fields,
}).annotations({ identifier: "MetricPoint", description: "The counters of one hour or day" })
export type MetricPoint = typeof MetricPoint.Type

export const MetricPeriod = Schema.Literal("hour", "day")
export type MetricPeriod = typeof MetricPeriod.Type

const lengths: { readonly [P in MetricPeriod]: number } = { hour: HOUR, day: DAY }

/** The start of the hour or day of an instant, UTC. */
export const periodStart = (instant: Instant, period: MetricPeriod): Instant =>
  Math.floor(instant / lengths[period]) * lengths[period]

export const noMetrics: MetricCounts = {
  received: 0,
  sent: 0,
  delivered: 0,
  bounced: 0,
  complained: 0,
  gated: 0,
  quarantined: 0,
}

export const addMetrics = (one: MetricCounts, other: Partial<MetricCounts>): MetricCounts => ({
  received: one.received + (other.received ?? 0),
  sent: one.sent + (other.sent ?? 0),
  delivered: one.delivered + (other.delivered ?? 0),
  bounced: one.bounced + (other.bounced ?? 0),
  complained: one.complained + (other.complained ?? 0),
  gated: one.gated + (other.gated ?? 0),
  quarantined: one.quarantined + (other.quarantined ?? 0),
})

/** A range of whole periods, from the start of the first to the end of the last. */
export interface MetricRange {
  readonly period: MetricPeriod
  readonly from: Instant
  readonly to: Instant
}

/** The instant before which counters of this period are removed. */
export const metricsKeptFrom = (now: Instant, period: MetricPeriod): Instant =>
  periodStart(now - METRICS_KEPT_FOR[period], "day")

/**
 * The periods that overlap `from` (inclusive) to `to` (exclusive). `to` defaults to `now`, and is the end of the current day at
 * most. `from` defaults to a day before `to` for hours, to 30 days before for days, and not to before the counters that are kept.
 * `InvalidInput`: `from` is not before `to` or is before the counters that are kept, or the range has more than 744 hours.
 */
export const metricRange = (
  wanted: {
    readonly period: MetricPeriod
    readonly from: Instant | undefined
    readonly to: Instant | undefined
  },
  now: Instant,
): Either.Either<MetricRange, InvalidInput> => {
  const { period } = wanted
  const length = lengths[period]
  const to = Math.min(wanted.to ?? now + 1, periodStart(now, "day") + DAY)
  const keptFrom = metricsKeptFrom(now, period)
  const from = wanted.from ?? Math.max(to - METRICS_RANGE_DEFAULT[period], Math.min(keptFrom, to - 1))
  const refusal = (path: string, message: string) =>
    Either.left(new InvalidInput({ issues: [{ path, message }] }))
  if (from >= to) return refusal("from", "must be before to")
  if (from < keptFrom)
    return refusal(
      "from",
      `counters of a${period === "hour" ? "n hour" : " day"} are kept for ${
        METRICS_KEPT_FOR[period] / DAY
      } days`,
    )
  const range = { period, from: periodStart(from, period), to: periodStart(to - 1, period) + length }
  if (period === "hour" && (range.to - range.from) / HOUR > METRICS_MAX_HOURS)
    return refusal("from", `a range has at most ${METRICS_MAX_HOURS} hours`)
  return Either.right(range)
}

/** The stored counters of one period. */
export interface MetricRow extends MetricCounts {
  readonly at: Instant
}

/** Every period of the range, also those without counters, oldest first, and the sums. Rows of one period are added up. */
export const metricSeries = (
  { period, from, to }: MetricRange,
  rows: ReadonlyArray<MetricRow>,
): { readonly series: ReadonlyArray<MetricPoint>; readonly totals: MetricCounts } => {
  const sums = new Map<Instant, MetricCounts>()
  for (const row of rows) sums.set(row.at, addMetrics(sums.get(row.at) ?? noMetrics, row))
  const starts = Array.from(
    { length: (to - from) / lengths[period] },
    (_, index) => from + index * lengths[period],
  )
  return {
    series: starts.map((at) => ({ at: timestamp(at), ...(sums.get(at) ?? noMetrics) })),
    totals: rows.reduce(addMetrics, noMetrics),
  }
}
