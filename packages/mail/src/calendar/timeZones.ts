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

/** Minutes east of UTC at an instant (milliseconds); null when the zone does not say it. */
export type Zone = (instant: number) => number | null

const zoneOfFormat =
  (format: Intl.DateTimeFormat): Zone =>
  (instant) => {
    const shown = format.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? ""
    const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(shown) ?? []
    return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0))
  }

/** The instant at which an observance starts, and the offset from then on, in minutes east of UTC. */
interface Onset {
  readonly instant: number
  readonly offset: number
}

const weekdays = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]
const MINUTE = 60 * 1000
const DAY = 24 * 60 * MINUTE

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

const minutesIn = (observance: Component, name: string): number | null => {
  const offset = observance.getFirstPropertyValue(name)
  return offset instanceof ICAL.UtcOffset ? Math.round(offset.toSeconds() / 60) : null
}

/** The starts of an observance that may decide about an instant in `year`; null when its rules are not understood. */
const onsetsOf = (observance: Component, year: number): ReadonlyArray<Onset> | null => {
  const begin = observance.getFirstPropertyValue("dtstart")
  const from = minutesIn(observance, "tzoffsetfrom")
  const offset = minutesIn(observance, "tzoffsetto")
  if (!isTime(begin) || from === null || offset === null) return null
  const onsetAt = (local: number): Onset => ({ instant: local - from * MINUTE, offset })
  const [rrule, ...others] = observance.getAllProperties("rrule")
  if (others.length > 0 || observance.getFirstProperty("rdate") !== null) return null
  if (rrule === undefined) return [onsetAt(localOf(begin))]
  const recur = rrule.getFirstValue()
  const rule = yearlyRule(String(recur))
  if (rule === null) return null
  const until = recur instanceof ICAL.Recur && isTime(recur.until) ? localOf(recur.until) : Infinity
  const timeOfDay = ((localOf(begin) % DAY) + DAY) % DAY
  return [year - 1, year, year + 1]
    .filter((each) => each >= begin.year)
    .map((each) => weekdayOf(each, rule.month, rule.n, rule.weekday) + timeOfDay)
    .filter((local) => local <= until + DAY)
    .map(onsetAt)
}

/** Observances of a time zone that are read. */
const OBSERVANCES_MAX = 50

/** A VTIMEZONE (RFC 5545 §3.6.5): the offset is that of the observance that began last. */
const zoneOfComponent = (zone: Component): Zone | null => {
  const observances = zone.getAllSubcomponents()
  if (observances.length > OBSERVANCES_MAX) return null
  return (instant) => {
    const year = new Date(instant).getUTCFullYear()
    let latest: Onset | null = null
    for (const observance of observances) {
      const onsets = onsetsOf(observance, year)
      if (onsets === null) return null
      for (const onset of onsets)
        if (onset.instant <= instant && (latest === null || onset.instant > latest.instant)) latest = onset
    }
    return latest?.offset ?? null
  }
}

/** The zone of this name; null when neither Node nor the calendar knows it. */
export const zoneNamed = (calendar: Component, name: string): Zone | null => {
  const format = formatOf(name)
  if (format !== null) return zoneOfFormat(format)
  const declared = calendar
    .getAllSubcomponents("vtimezone")
    .find((component) => component.getFirstPropertyValue("tzid") === name)
  return declared === undefined ? null : zoneOfComponent(declared)
}

/**
 * Minutes east of UTC of a local time. A time that a change of the clock skips or repeats has the offset from before the
 * change (RFC 5545 §3.3.5).
 */
export const offsetOf = (zone: Zone, time: Time): number | null => {
  const local = localOf(time)
  const earlier = zone(local - DAY)
  const later = zone(local + DAY)
  if (earlier === null || later === null || earlier === later) return later ?? earlier
  const isEarlier = zone(local - earlier * MINUTE) === earlier
  return isEarlier || zone(local - later * MINUTE) !== later ? earlier : later
}

/** The time some exact seconds after a local time of known offset, and its own offset. */
export const exactlyAfter = (zone: Zone, time: Time, offset: number, seconds: number) => {
  const then = zone(localOf(time) - offset * MINUTE + seconds * 1000) ?? offset
  const moved = time.clone()
  moved.addDuration(ICAL.Duration.fromSeconds(seconds + (then - offset) * 60))
  return { time: moved, offset: then }
}
