/** Times at which a mail leaves, in the reader's zone. */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Milliseconds that a mail can wait at most. */
export const SCHEDULE_MAX = 90 * DAY

export interface TimeChoice {
  readonly label: string
  readonly at: Date
}

const at = (day: Date, daysLater: number, hour: number): Date =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate() + daysLater, hour)

/** Days until the next Monday; 7 on a Monday. */
const toMonday = (now: Date): number => ((8 - now.getDay()) % 7) + (now.getDay() === 1 ? 7 : 0)

/** Sensible times after `now`, the next first: none twice, none that is near. */
export const timeChoices = (now: Date): ReadonlyArray<TimeChoice> => {
  const monday = toMonday(now)
  const isEarly = now.getHours() < 5
  return [
    { label: "In one hour", at: new Date(Math.ceil((now.getTime() + HOUR) / MINUTE) * MINUTE) },
    ...(isEarly ? [{ label: "This morning", at: at(now, 0, 9) }] : []),
    ...(now.getHours() < 16 ? [{ label: "This evening", at: at(now, 0, 18) }] : []),
    { label: "Tomorrow morning", at: at(now, 1, 9) },
    ...(monday > 1 ? [{ label: "Monday morning", at: at(now, monday, 9) }] : []),
  ]
}

const two = (number: number): string => String(number).padStart(2, "0")

/** The value of an `<input type="datetime-local">`. */
export const inputTime = (time: Date): string =>
  `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}T${two(time.getHours())}:${two(time.getMinutes())}`

/** The time of such a value, in the reader's zone; null while it is incomplete. */
export const timeOfInput = (value: string): Date | null => {
  const time = new Date(value)
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) && !Number.isNaN(time.getTime()) ? time : null
}

/** Why a mail cannot leave at a time, in words; undefined when it can. */
export const timeIssue = (time: Date | null, now: Date): string | undefined => {
  if (time === null) return "Choose a date and a time."
  if (time.getTime() <= now.getTime()) return "This time has passed."
  return time.getTime() > now.getTime() + SCHEDULE_MAX ? "A mail can wait 90 days at most." : undefined
}

/** A time as it is said of a mail that leaves later: `Tue 24 Nov, 09:00`. */
export const leavingText = (time: Date, locale?: string): string =>
  new Intl.DateTimeFormat(locale, {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  }).format(time)

/** The name of the reader's zone, such as `Europe/Berlin`. */
export const zoneName = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
