/**
 * Offsets of times in an iCalendar: from the time zones that Node knows, else from the calendar's own. ical.js would expand
 * the rules of a zone since 1601, or without an end.
 */
import ICAL from "ical.js"

export type Component = InstanceType<typeof ICAL.Component>
export type Property = InstanceType<typeof ICAL.Property>
export type Time = InstanceType<typeof ICAL.Time>

export const isTime = (value: unknown): value is Time => value instanceof ICAL.Time

/** A local time as milliseconds, as if it were in UTC: to compare times of one zone. */
const localOf = ({ year, month, day, hour, minute, second }: Time): number =>
  Date.UTC(year, month - 1, day, hour, minute, second)

const formats = new Map<string, Intl.DateTimeFormat | null>()
/** Formats that a thread keeps; names come from strangers. */
const FORMATS_MAX = 100

/** Formats times of a zone by its name; null for a name that Node does not know. */
const formatOf = (name: string): Intl.DateTimeFormat | null => {
  const known = formats.get(name)
  if (known !== undefined) return known
  if (formats.size >= FORMATS_MAX) formats.clear()
  let format: Intl.DateTimeFormat | null = null
  try {
    format = new Intl.DateTimeFormat("en", { timeZone: name, timeZoneName: "longOffset" })
  } catch {
    // Not a name of the tz database.
  }
  formats.set(name, format)
  return format
}

/** Minutes east of UTC at an instant. */
const offsetAt = (format: Intl.DateTimeFormat, instant: number): number => {
  const shown = format.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? ""
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(shown) ?? []
  return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0))
}

/** The start of an observance, and the offset from then on, in minutes east of UTC. */
interface Onset {
  readonly local: number
  readonly offset: number
}

const weekdays = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]
const DAY = 24 * 60 * 60 * 1000

/** The first millisecond of the n-th weekday of a month, from its end for a negative n. `month`: 1 to 12. */
const weekdayOf = (year: number, month: number, n: number, weekday: number): number => {
  if (n > 0) {
    const first = Date.UTC(year, month - 1, 1)
    return first + ((weekday - new Date(first).getUTCDay() + 7) % 7) * DAY + (n - 1) * 7 * DAY
  }
  const last = Date.UTC(year, month, 0)
  return last - ((new Date(last).getUTCDay() - weekday + 7) % 7) * DAY + (n + 1) * 7 * DAY
}

/** The one rule that zones have: every year, on a day of the week of a month. null for another rule. */
const yearlyRule = (rule: string) => {
  const parts = new Map(
    rule.split(";").map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]),
  )
  const [, n, weekday = ""] = /^(-?[1-5])(SU|MO|TU|WE|TH|FR|SA)$/.exec(parts.get("BYDAY") ?? "") ?? []
  const month = Number(parts.get("BYMONTH"))
  const others = [...parts.keys()].filter(
    (name) => !/^(?:FREQ|BYDAY|BYMONTH|INTERVAL|WKST|UNTIL)$/.test(name),
  )
  const isYearly = parts.get("FREQ") === "YEARLY" && (parts.get("INTERVAL") ?? "1") === "1"
  return isYearly && others.length === 0 && n !== undefined && month >= 1 && month <= 12
    ? { month, n: Number(n), weekday: weekdays.indexOf(weekday) }
    : null
}

/** The starts of an observance that may decide about a time in `year`; null when its rules are not understood. */
const onsetsOf = (observance: Component, year: number): ReadonlyArray<Onset> | null => {
  const begin = observance.getFirstPropertyValue("dtstart")
  const to = observance.getFirstPropertyValue("tzoffsetto")
  if (!isTime(begin) || !(to instanceof ICAL.UtcOffset)) return null
  const offset = Math.round(to.toSeconds() / 60)
  const [rrule, ...others] = observance.getAllProperties("rrule")
  if (others.length > 0 || observance.getFirstProperty("rdate") !== null) return null
  if (rrule === undefined) return [{ local: localOf(begin), offset }]
  const recur = rrule.getFirstValue()
  const rule = yearlyRule(String(recur))
  if (rule === null) return null
  const until = recur instanceof ICAL.Recur && isTime(recur.until) ? localOf(recur.until) : Infinity
  const timeOfDay = ((localOf(begin) % DAY) + DAY) % DAY
  return [year - 1, year]
    .filter((each) => each >= begin.year)
    .map((each) => weekdayOf(each, rule.month, rule.n, rule.weekday) + timeOfDay)
    .filter((local) => local <= until + DAY)
    .map((local) => ({ local, offset }))
}

/** Observances of a time zone that are read. */
const OBSERVANCES_MAX = 50

/** The offset of a local time in a VTIMEZONE (RFC 5545 §3.6.5): that of the observance that began last. */
const offsetInZone = (zone: Component, time: Time): number | null => {
  const observances = zone.getAllSubcomponents()
  if (observances.length > OBSERVANCES_MAX) return null
  const local = localOf(time)
  let latest: Onset | null = null
  for (const observance of observances) {
    const onsets = onsetsOf(observance, time.year)
    if (onsets === null) return null
    for (const onset of onsets)
      if (onset.local <= local && (latest === null || onset.local > latest.local)) latest = onset
  }
  return latest?.offset ?? null
}

/** Minutes east of UTC of a local time in a zone; null when neither Node nor the calendar knows it. */
export const offsetIn = (calendar: Component, zone: string, time: Time): number | null => {
  const format = formatOf(zone)
  if (format !== null) {
    const local = localOf(time)
    return offsetAt(format, local - offsetAt(format, local) * 60_000)
  }
  const declared = calendar
    .getAllSubcomponents("vtimezone")
    .find((component) => component.getFirstPropertyValue("tzid") === zone)
  return declared === undefined ? null : offsetInZone(declared, time)
}
