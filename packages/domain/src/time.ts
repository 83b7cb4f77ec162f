/**
 * Time: epoch milliseconds inside the service, ISO 8601 UTC with milliseconds in the API (spec: decisions.values.times).
 * Quotas count in calendar windows that begin at midnight UTC (spec: limits.send.day).
 */
import { Schema } from "effect"
import { DAY } from "./durations.js"

/** Epoch milliseconds. */
export const Instant = Schema.Int
export type Instant = typeof Instant.Type

/** ISO 8601 UTC with milliseconds, as responses and events carry it. */
export const Timestamp = Schema.String.pipe(
  Schema.pattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
).annotations({
  identifier: "Timestamp",
  description: "ISO 8601 UTC with milliseconds",
  examples: ["2026-03-01T09:30:00.000Z"],
})
export type Timestamp = typeof Timestamp.Type
const isTimestamp = Schema.is(Timestamp)

const ISO_DATE_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i

/** Whether a month has this day, `2026-03-01`: `Date.parse` reads 30 February as 2 March. */
const isDay = (day: string): boolean => timestamp(Date.parse(day)).startsWith(day)

/** Whether a text of a client is an ISO 8601 date, or a date and time, with a zone or without. */
export const isDateTime = (text: string): boolean =>
  ISO_DATE_TIME.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  isDay(text.slice(0, 10)) &&
  // The zone can move it out of the years that a timestamp has.
  isTimestamp(timestamp(instantOf(text)))

const ZONE = /(?:Z|[+-]\d{2}:?\d{2})$/i

/** The instant of a text for which `isDateTime` is true. Without a zone it is UTC, whatever the zone of the machine. */
export const instantOf = (text: string): Instant =>
  Date.parse(text.length === 10 || ZONE.test(text) ? text : `${text}Z`)

/** Cache of the last formatted instant, because one change formats the same instant many times. */
let written = { instant: 0, timestamp: "1970-01-01T00:00:00.000Z" }

export const timestamp = (instant: Instant): Timestamp => {
  if (written.instant !== instant) written = { instant, timestamp: new Date(instant).toISOString() }
  return written.timestamp
}

export const timestampOrNull = (instant: Instant | null): Timestamp | null =>
  instant === null ? null : timestamp(instant)

/** The UTC calendar day of an instant, `2026-03-01`. */
export const dayOf = (instant: Instant): string => timestamp(instant).slice(0, 10)

/** The UTC calendar month of an instant, `2026-03`. */
export const monthOf = (instant: Instant): string => timestamp(instant).slice(0, 7)

/** Midnight UTC on the first of the next month: when monthly counters reset. */
export const nextMonth = (instant: Instant): Instant => {
  const date = new Date(instant)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

/** The first instant after `instant` that lies this long (less than a day) after a midnight UTC. */
export const nextTimeOfDay = (instant: Instant, afterMidnight: number): Instant =>
  (Math.floor((instant - afterMidnight) / DAY) + 1) * DAY + afterMidnight

/**
 * A count in a calendar window. Nothing resets it: a count of an earlier window reads as 0, so a window turns exactly once
 * however late it is read. A count of a later window is kept, so a clock that goes back does not turn a window twice.
 */
export const WindowCount = Schema.Struct({ window: Schema.String, count: Schema.Int })
export type WindowCount = typeof WindowCount.Type

/** The window to count in: `window`, or the counter's window when that is later. */
export const windowIn = (counter: WindowCount, window: string): string =>
  counter.window > window ? counter.window : window

export const countIn = (counter: WindowCount, window: string): number =>
  counter.window >= window ? counter.count : 0

export const addTo = (counter: WindowCount, window: string, n: number): WindowCount => ({
  window: windowIn(counter, window),
  count: Math.max(0, countIn(counter, window) + n),
})

export const noCount: WindowCount = { window: "", count: 0 }
