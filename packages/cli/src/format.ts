/** How values look to people. */
import { Option } from "effect"
import { safeLine } from "./terminal/safeText.js"

/** A time to the minute, in the time zone of the reader. */
export const timeText = (timestamp: string | null): string =>
  timestamp === null
    ? ""
    : new Date(timestamp).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" })

const UNITS = ["B", "kB", "MB", "GB"]

export const sizeText = (bytes: number): string => {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${Number((bytes / 1000 ** power).toFixed(1))} ${UNITS[power]}`
}

/** Lines of names and values, without those that are empty. */
export const fieldLines = (
  fields: ReadonlyArray<readonly [name: string, value: string | null | undefined]>,
): string => {
  const present = fields.filter(([, value]) => value !== null && value !== undefined && value !== "")
  const width = Math.max(...present.map(([name]) => name.length))
  return present.map(([name, value]) => `${name.padEnd(width)}  ${safeLine(value ?? "")}`).join("\n")
}

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Milliseconds since the epoch of `now`, of an ISO 8601 time, or of so long ago: `90s`, `5m`, `2h`, `1d`. */
export const pastInstant = (text: string, now: number): Option.Option<number> => {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (unit === "s" || unit === "m" || unit === "h" || unit === "d")
    return Option.some(now - Number(count) * SECONDS[unit] * 1000)
  const instant = text === "now" ? now : Date.parse(text)
  return Number.isNaN(instant) ? Option.none() : Option.some(instant)
}
