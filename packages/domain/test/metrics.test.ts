import { DAY, HOUR, type MetricRange, metricRange, metricSeries, noMetrics } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { admitted, at, refusal } from "./support/records.js"

const now = at("2028-03-01T09:30:00.000Z")

const range = (period: "hour" | "day", from?: string, to?: string) =>
  metricRange(
    { period, from: from === undefined ? undefined : at(from), to: to === undefined ? undefined : at(to) },
    now,
  )

const shown = (outcome: Either.Either<MetricRange, unknown>) => {
  const { from, to } = Either.getOrThrow(outcome)
  return [new Date(from).toISOString(), new Date(to).toISOString()]
}

const refused = (outcome: ReturnType<typeof range>) =>
  refusal(outcome)?.issues.map(({ path, message }) => `${path}: ${message}`)

describe("the range of metrics (spec: reputation.metrics.range)", () => {
  it("is the last 24 hours, or the last 30 days, with the current one", () => {
    expect(shown(range("hour"))).toEqual(["2028-02-29T09:00:00.000Z", "2028-03-01T10:00:00.000Z"])
    expect(shown(range("day"))).toEqual(["2028-01-31T00:00:00.000Z", "2028-03-02T00:00:00.000Z"])
  })

  it("has every period that it touches; its end is exclusive", () => {
    expect(shown(range("hour", "2028-02-29T23:59:59.999Z", "2028-03-01T00:00:00.001Z"))).toEqual([
      "2028-02-29T23:00:00.000Z",
      "2028-03-01T01:00:00.000Z",
    ])
    expect(shown(range("day", "2028-02-28T00:00:00.000Z", "2028-03-01T00:00:00.000Z"))).toEqual([
      "2028-02-28T00:00:00.000Z",
      "2028-03-01T00:00:00.000Z",
    ])
  })

  it("ends with the current day, however late `to` is", () =>
    expect(shown(range("day", "2028-03-01", "2030-01-01"))).toEqual([
      "2028-03-01T00:00:00.000Z",
      "2028-03-02T00:00:00.000Z",
    ]))

  it("begins with what is kept when its start is not given", () => {
    const kept = "2027-01-26T00:00:00.000Z"
    expect(shown(range("day", undefined, "2027-02-05"))).toEqual([kept, "2027-02-05T00:00:00.000Z"])
    expect(shown(range("hour", undefined, "2028-01-26T01:00:00.000Z"))).toEqual([
      "2028-01-26T00:00:00.000Z",
      "2028-01-26T01:00:00.000Z",
    ])
    expect(refused(range("day", undefined, kept))).toEqual(["from: counters of a day are kept for 400 days"])
  })

  it("is refused backwards, too long, and before what is kept", () => {
    expect(refused(range("day", "2028-03-01", "2028-03-01"))).toEqual(["from: must be before to"])
    expect(refused(range("day", "2028-03-05"))).toEqual(["from: must be before to"])
    expect(refused(range("hour", "2028-01-29T23:59:59.999Z", "2028-03-01"))).toEqual([
      "from: a range has at most 744 hours",
    ])
    expect(refused(range("hour", "2028-01-25"))).toEqual(["from: counters of an hour are kept for 35 days"])
    const kept = new Date(now - 400 * DAY).toISOString().slice(0, 10)
    expect(refused(range("day", kept))).toBeUndefined()
    expect(refused(range("day", new Date(at(kept) - 1).toISOString()))).toEqual([
      "from: counters of a day are kept for 400 days",
    ])
  })
})

describe("the series", () => {
  it("has a point for every period, also without counters, and their sums", () => {
    const from = at("2028-02-29T00:00:00.000Z")
    const { series, totals } = metricSeries({ period: "hour", from, to: from + 3 * HOUR }, [
      { ...noMetrics, at: from, received: 3, gated: 1 },
      { ...noMetrics, at: from + 2 * HOUR, received: 1 },
      { ...noMetrics, at: from + 2 * HOUR, sent: 2 },
    ])
    expect(series).toEqual([
      { ...noMetrics, at: "2028-02-29T00:00:00.000Z", received: 3, gated: 1 },
      { ...noMetrics, at: "2028-02-29T01:00:00.000Z" },
      { ...noMetrics, at: "2028-02-29T02:00:00.000Z", received: 1, sent: 2 },
    ])
    expect(totals).toEqual({ ...noMetrics, received: 4, gated: 1, sent: 2 })
  })

  it("of a leap day is one day", () =>
    expect(
      metricSeries(admitted(range("day", "2028-02-29", "2028-03-01")), []).series.map((point) => point.at),
    ).toEqual(["2028-02-29T00:00:00.000Z"]))
})
