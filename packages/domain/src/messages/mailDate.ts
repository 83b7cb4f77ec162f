/** The date-time of header fields (RFC 5322 §3.3, and the obsolete forms of §4.3). */
import { HOUR, MINUTE, SECOND } from "../durations.js"
import type { Instant } from "../time.js"

/** UTF-16 units of a date-time with its comments: a line has fewer (RFC 5322 §2.1.1). */
const MAX_LENGTH = 1_000

/** After comments and repeated white space are gone: `Thu, 5 Jan 2017 10:00:00 +0100`. */
const DATE_TIME =
  /^(?:[a-z]{3} ?, ?)?(\d{1,2}) ([a-z]{3}) (\d{2,4}) (\d{1,2}) ?: ?(\d{2})(?: ?: ?(\d{2}))?(?: ?([+-]\d{4})| ([a-z].*))?$/i

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

/** Hours east of UTC of the zones with a name. RFC 5322 §4.3 reads all other names as UTC. */
const ZONES: ReadonlyMap<string, number> = new Map([
  ["EDT", -4],
  ["EST", -5],
  ["CDT", -5],
  ["CST", -6],
  ["MDT", -6],
  ["MST", -7],
  ["PDT", -7],
  ["PST", -8],
])

/** RFC 5322 §4.3: two digits are of 1950 to 2049, three are counted from 1900. */
const yearOf = (digits: string): number => {
  const year = Number(digits)
  if (digits.length === 4) return year
  return digits.length === 2 && year < 50 ? 2000 + year : 1900 + year
}

/** Midnight UTC of a day; null when there is no such day, or before 1970. */
const startOf = (year: number, month: number, day: number): Instant | null => {
  if (year < 1970 || month === -1) return null
  const start = new Date(Date.UTC(year, month, day))
  return start.getUTCDate() === day ? start.getTime() : null
}

/** `+0130` as milliseconds. */
const offsetOf = (offset: string): number => {
  const [sign, hours, minutes] = [offset.slice(0, 1), offset.slice(1, 3), offset.slice(3)]
  return (sign === "-" ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * MINUTE)
}

/** Removes comments (RFC 5322 §3.2.2), which may be in each other, and folds white space. */
const withoutComments = (text: string): string => {
  const parts: Array<string> = []
  let depth = 0
  for (const part of text.split(/([()])/)) {
    if (part === "(") depth += 1
    else if (part === ")") depth = Math.max(0, depth - 1)
    else if (depth === 0) parts.push(part)
  }
  return parts.join(" ").trim().replace(/\s+/g, " ")
}

/** The instant of a date-time; null for an unreadable one, and for one before 1970. Without a known zone it is UTC. */
export const mailDate = (text: string): Instant | null => {
  const found = text.length > MAX_LENGTH ? null : DATE_TIME.exec(withoutComments(text))
  if (found === null) return null
  const [, day, month = "", year = "", hour, minute, second = "0", offset, zone = ""] = found
  const start = startOf(yearOf(year), MONTHS.indexOf(month.toLowerCase()), Number(day))
  // RFC 5322 §3.3: a leap second has the number 60.
  if (start === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null
  const time = Number(hour) * HOUR + Number(minute) * MINUTE + Number(second) * SECOND
  const east = offset === undefined ? (ZONES.get(zone.toUpperCase()) ?? 0) * HOUR : offsetOf(offset)
  const at = start + time - east
  return at < 0 ? null : at
}
