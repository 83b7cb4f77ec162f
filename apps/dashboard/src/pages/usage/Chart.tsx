/** A chart of lines over time, drawn by uPlot in the colours of the design. Its figures are also in a table. */
import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type UPlot from "uplot"
import { theme } from "../../app/theme.js"
import { Lost } from "../../components/Loaded.js"

export interface Line {
  readonly label: string
  /** a custom property of the design, such as `--accent` */
  readonly colour: string
  readonly values: Array<number>
}

interface ChartProps {
  /** what it shows, for those who do not see it */
  readonly label: string
  /** seconds since 1970 */
  readonly times: Array<number>
  readonly lines: ReadonlyArray<Line>
  readonly groupBy: "hour" | "day"
}

/** Pixels. */
const HEIGHT = 220
const WIDTH_MIN = 200

const tokenReader = (element: Element) => {
  const style = getComputedStyle(element)
  return (name: string): string => style.getPropertyValue(name).trim()
}

/** The text below the chart at a time: a day, or the hour of a day. */
const axisTime = (seconds: number, groupBy: "hour" | "day"): string => {
  const time = new Date(seconds * 1000)
  const isDay = groupBy === "day" || time.getHours() === 0
  return new Intl.DateTimeFormat(
    undefined,
    isDay
      ? { day: "numeric", month: "short", ...(groupBy === "day" && { timeZone: "UTC" }) }
      : { hour: "2-digit", minute: "2-digit" },
  ).format(time)
}

const optionsFor = (
  plot: typeof UPlot,
  element: HTMLElement,
  { lines, groupBy }: ChartProps,
): UPlot.Options => {
  const token = tokenReader(element)
  const font = `12px ${token("--font")}`
  const axis: UPlot.Axis = {
    stroke: token("--text-faint"),
    font,
    grid: { stroke: token("--border"), width: 1 },
    ticks: { show: false },
  }
  return {
    width: Math.max(element.clientWidth, WIDTH_MIN),
    height: HEIGHT,
    // Days are days of UTC, because the service counts by them; hours are in the reader's zone.
    tzDate: (seconds) =>
      groupBy === "day" ? plot.tzDate(new Date(seconds * 1000), "UTC") : new Date(seconds * 1000),
    legend: { show: false },
    cursor: { show: false },
    padding: [12, 8, 0, 0],
    scales: { y: { range: (_, __, max) => [0, Math.max(4, Math.ceil(max * 1.1))] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 76,
        size: 28,
        values: (_, splits) => splits.map((seconds) => axisTime(seconds, groupBy)),
      },
      {
        ...axis,
        size: 44,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000, 100_000],
      },
    ],
    series: [
      {},
      ...lines.map(({ label, colour }) => ({
        label,
        stroke: token(colour),
        width: 2,
        points: { show: false },
      })),
    ],
  }
}

export const Chart = (props: ChartProps): JSX.Element => {
  const { label, times, lines } = props
  const place = useRef<HTMLDivElement>(null)
  const [isLost, setLost] = useState(false)
  const chosenTheme = theme.value
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    let shown: UPlot | undefined
    let isLeft = false
    const width = () => Math.max(element.clientWidth, WIDTH_MIN)
    const draw = async () => {
      const { default: plot } = await import("uplot")
      if (isLeft) return
      shown?.destroy()
      shown = new plot(
        optionsFor(plot, element, props),
        [times, ...lines.map(({ values }) => values)],
        element,
      )
    }
    const redraw = () => void draw().catch(() => setLost(true))
    redraw()
    const dark = matchMedia("(prefers-color-scheme: dark)")
    dark.addEventListener("change", redraw)
    const observer = new ResizeObserver(() => shown?.setSize({ width: width(), height: HEIGHT }))
    observer.observe(element)
    return () => {
      isLeft = true
      observer.disconnect()
      dark.removeEventListener("change", redraw)
      shown?.destroy()
    }
  }, [label, times, lines, chosenTheme])
  if (isLost) return <Lost what="The chart" />
  return (
    <figure class="chart">
      <figcaption class="chart-legend">
        {lines.map((line) => (
          <span key={line.label} class={`chart-name ${line.colour.slice(2)}`}>
            {line.label}
          </span>
        ))}
      </figcaption>
      <div class="chart-place" ref={place} role="img" aria-label={label} />
    </figure>
  )
}
