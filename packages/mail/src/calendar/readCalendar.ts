/** The event of an iCalendar (RFC 5545), as the resource of a message shows it. */
import type { Calendar, ParticipationStatus } from "@mailroom/domain"
// A deep import: a worker thread has a heap of its own, and all of the domain is most of it.
import { CALENDAR_ATTENDEES_MAX } from "@mailroom/domain/limits"
import ICAL from "ical.js"
import { wellFormed } from "../parsing/charsets.js"
import {
  type Component,
  exactlyAfter,
  isTime,
  offsetOf,
  type Property,
  type Time,
  type Zone,
  zoneNamed,
} from "./timeZones.js"
import { withoutUnreadable } from "./unreadable.js"

// Reads `DTSTART:20260501`, a date without VALUE=DATE.
ICAL.design.strict = false

/** UTF-16 units of one text that is kept. */
const TEXT_MAX_LENGTH = 2_000
/** Ids of real events have up to 255; a longer one would not be echoed as it came. */
const UID_MAX_LENGTH = 1_000

type Duration = InstanceType<typeof ICAL.Duration>

/** Seconds of a DURATION: ical.js adds a longer one month by month. */
const DURATION_MAX = 10 * 366 * 24 * 60 * 60

const clean = (text: string): string => wellFormed(text).slice(0, TEXT_MAX_LENGTH).toWellFormed().trim()

const textOf = (component: Component, name: string): string | null => {
  const value = component.getFirstPropertyValue(name)
  return typeof value === "string" ? clean(value) || null : null
}

const parameter = (property: Property, name: string): string | null => {
  const value = property.getFirstParameter(name)
  return typeof value === "string" ? clean(value) || null : null
}

/** `mailto:ada@acme.dev` in any case; Apple writes other URIs, with the address as a parameter. */
const participant = (property: Property) => {
  const value = String(property.getFirstValue() ?? "").trim()
  const address = /^mailto:/i.test(value) ? value.slice("mailto:".length) : parameter(property, "email")
  const trimmed = clean((address ?? "").replace(/^mailto:/i, ""))
  return trimmed === "" ? null : { address: trimmed, name: parameter(property, "cn") }
}

const statuses: ReadonlyMap<string, ParticipationStatus> = new Map(
  (["needs-action", "accepted", "declined", "tentative", "delegated"] as const).map((status) => [
    status,
    status,
  ]),
)

const attendeesOf = (event: Component): Calendar["attendees"] =>
  event
    .getAllProperties("attendee")
    .slice(0, CALENDAR_ATTENDEES_MAX)
    .flatMap((property) => {
      const found = participant(property)
      const status = statuses.get((parameter(property, "partstat") ?? "").toLowerCase()) ?? "needs-action"
      return found === null ? [] : [{ ...found, status }]
    })

const offsetText = (minutes: number): string => {
  const [sign, size] = minutes < 0 ? ["-", -minutes] : ["+", minutes]
  const two = (number: number) => String(number).padStart(2, "0")
  return `${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

const isLocal = (time: Time): boolean => !time.isDate && !time.toString().endsWith("Z")

/** A time as `Calendar` writes it. Of other years ical.js writes fewer digits, or more: null. */
const written = (time: Time, offset: number | null): string | null =>
  time.year < 1000 || time.year > 9999
    ? null
    : `${time.toString()}${offset === null ? "" : offsetText(offset)}`

const zoneOf = (calendar: Component, property: Property): Zone | null => {
  const name = parameter(property, "tzid")
  return name === null ? null : zoneNamed(calendar, name)
}

const timeOf = (calendar: Component, event: Component, name: string): string | null => {
  const property = event.getFirstProperty(name)
  const time = property?.getFirstValue()
  if (property === null || !isTime(time)) return null
  const zone = isLocal(time) ? zoneOf(calendar, property) : null
  return written(time, zone === null ? null : offsetOf(zone, time))
}

/** The end by DURATION: days are those of the calendar, hours and less are exact (RFC 5545 §3.3.6). */
const endAfter = (calendar: Component, start: Property, duration: Duration): string | null => {
  const begin = start.getFirstValue()
  if (!isTime(begin) || Math.abs(duration.toSeconds()) > DURATION_MAX) return null
  const { weeks, days, isNegative } = duration
  const inDays = new ICAL.Duration({ weeks, days, isNegative })
  const ending = begin.clone()
  ending.addDuration(inDays)
  const seconds = duration.toSeconds() - inDays.toSeconds()
  const zone = isLocal(begin) ? zoneOf(calendar, start) : null
  const offset = zone === null ? null : offsetOf(zone, ending)
  if (zone !== null && offset !== null) {
    const exact = exactlyAfter(zone, ending, offset, seconds)
    return written(exact.time, exact.offset)
  }
  ending.addDuration(ICAL.Duration.fromSeconds(seconds))
  return written(ending, null)
}

/** DTEND, else DTSTART and DURATION; null for an event with neither. */
const endOf = (calendar: Component, event: Component): string | null => {
  const end = timeOf(calendar, event, "dtend")
  const start = event.getFirstProperty("dtstart")
  const duration = event.getFirstPropertyValue("duration")
  return end !== null || start === null || !(duration instanceof ICAL.Duration)
    ? end
    : endAfter(calendar, start, duration)
}

const eventOf = (calendar: Component): Component | null => {
  const events = calendar.getAllSubcomponents("vevent")
  return events.find((event) => event.getFirstProperty("recurrence-id") === null) ?? events[0] ?? null
}

const sequenceOf = (event: Component): number => {
  const value = event.getFirstPropertyValue("sequence")
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0
}

/** Throws for a text that is no iCalendar. `method`: of the part's Content-Type, for a calendar that names none. */
const read = (text: string, method: string | null): Calendar | null => {
  const calendar = new ICAL.Component(ICAL.parse(text))
  const event = calendar.name === "vcalendar" ? eventOf(calendar) : null
  const uid = event?.getFirstPropertyValue("uid")
  if (event === null || typeof uid !== "string" || uid === "" || uid.length > UID_MAX_LENGTH) return null
  const recurrenceId = timeOf(calendar, event, "recurrence-id")
  // An answer to an occurrence whose time is not known would be one to the whole series.
  if (recurrenceId === null && event.getFirstProperty("recurrence-id") !== null) return null
  const rule = event.getFirstPropertyValue("rrule")
  const start = event.getFirstProperty("dtstart")
  const organizer = event.getFirstProperty("organizer")
  return {
    method: textOf(calendar, "method")?.toUpperCase() ?? method,
    uid: wellFormed(uid),
    sequence: sequenceOf(event),
    ...(recurrenceId !== null && { recurrenceId }),
    summary: textOf(event, "summary"),
    start: timeOf(calendar, event, "dtstart"),
    end: endOf(calendar, event),
    timezone: start === null ? null : parameter(start, "tzid"),
    location: textOf(event, "location"),
    organizer: organizer === null ? null : participant(organizer),
    attendees: attendeesOf(event),
    ...(rule instanceof ICAL.Recur && { rrule: clean(rule.toString()) }),
  }
}

/** null for a text that is no iCalendar with an event. Leaves out properties that cannot be read. */
export const readCalendar = (text: string, method: string | null): Calendar | null => {
  try {
    return read(text, method)
  } catch {
    // A value is broken, or the whole text.
  }
  try {
    return read(withoutUnreadable(text), method)
  } catch {
    return null
  }
}
