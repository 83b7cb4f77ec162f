/** Counters of mail as charts and tables show them. */
import type { MetricPoint } from "@mailroom/client"

export const ranges = {
  day: { label: "24 hours", groupBy: "hour", hours: 24 },
  week: { label: "7 days", groupBy: "hour", hours: 7 * 24 },
  month: { label: "30 days", groupBy: "day", hours: 30 * 24 },
  quarter: { label: "90 days", groupBy: "day", hours: 90 * 24 },
} as const satisfies Readonly<
  Record<string, { readonly label: string; readonly groupBy: "hour" | "day"; readonly hours: number }>
>

export type Range = keyof typeof ranges

export const isRange = (text: string | null): text is Range => text !== null && Object.hasOwn(ranges, text)

/** What a chart can show of each hour or day. */
export type Counted = "received" | "sent" | "delivered" | "bounced" | "complained"

/** Seconds since 1970 of every point, and the values of each series, as uPlot takes them. */
export const columnsOf = (
  series: ReadonlyArray<MetricPoint>,
  counted: ReadonlyArray<Counted>,
): { readonly times: Array<number>; readonly values: Array<Array<number>> } => ({
  times: series.map(({ at }) => Date.parse(at) / 1000),
  values: counted.map((name) => series.map((point) => point[name])),
})

/** The name of an hour or a day. Days are days of UTC, because the service counts by them. */
export const pointName = (at: string, groupBy: "hour" | "day", locale?: string): string =>
  new Intl.DateTimeFormat(
    locale,
    groupBy === "day"
      ? { day: "numeric", month: "short", timeZone: "UTC" }
      : { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
  ).format(new Date(at))

/** What a chart shows, in a sentence for those who do not see it. */
export const chartText = (
  series: ReadonlyArray<MetricPoint>,
  counted: ReadonlyArray<Counted>,
  groupBy: "hour" | "day",
): string => {
  const sums = counted.map((name) => {
    const sum = series.reduce((total, point) => total + point[name], 0)
    const top = series.reduce<MetricPoint | undefined>(
      (best, point) => (best === undefined || point[name] > best[name] ? point : best),
      undefined,
    )
    const most =
      top === undefined || top[name] === 0 ? "" : `, most at ${pointName(top.at, groupBy)} with ${top[name]}`
    return `${name} ${sum}${most}`
  })
  return `By the ${groupBy}: ${sums.join("; ")}.`
}

/** A used share of a limit from 0 to 1, and whether that is much. */
export const quota = (
  used: number,
  limit: number | null,
): { readonly share: number | null; readonly tone: "accent" | "warn" | "bad" } => {
  if (limit === null) return { share: null, tone: "accent" }
  const share = limit === 0 ? 1 : Math.min(1, used / limit)
  return { share, tone: share >= 1 ? "bad" : share >= 0.8 ? "warn" : "accent" }
}
