/** Numbers, sizes and times in words. */

/** Makes a formatter once for each locale: a new one takes milliseconds, more than everything else in a row of a list. */
const inLocale = <Format>(make: (locale: string | undefined) => Format) => {
  const made = new Map<string | undefined, Format>()
  return (locale: string | undefined): Format => {
    const known = made.get(locale) ?? make(locale)
    made.set(locale, known)
    return known
  }
}

const whole = inLocale((locale) => new Intl.NumberFormat(locale))
const rounded = inLocale((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }))
const withTenths = inLocale((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }))
const relative = inLocale(
  (locale) => new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" }),
)
const dayOfYear = inLocale((locale) => new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" }))
const day = inLocale(
  (locale) => new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" }),
)
const full = inLocale(
  (locale) =>
    new Intl.DateTimeFormat(locale, {
      weekday: "long",
      day: "numeric",
      month: "long",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      timeZoneName: "short",
    }),
)

const UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const

/** A size in binary units, such as `1.5 MB`; the service counts 1 MB as 1,048,576 bytes. */
export const bytesText = (bytes: number, locale?: string): string => {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  const number = unit === 0 || value >= 100 ? rounded : withTenths
  return `${number(locale).format(value)} ${unit === 0 && bytes === 1 ? "byte" : (UNITS[unit] ?? "")}`
}

export const numberText = (value: number, locale?: string): string => whole(locale).format(value)

/** `1 message`, `2 messages`. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/**
 * A time as a list shows it: how long ago, for a week; then the date. Times to come read `in 3 hours`, and are rounded: what ends in
 * 71 hours and 59 minutes ends in 3 days.
 */
export const shortTime = (time: Date, now: Date, locale?: string): string => {
  const past = now.getTime() - time.getTime()
  const distance = Math.abs(past)
  if (distance < MINUTE) return past >= 0 ? "just now" : "in a moment"
  const count = (size: number) => (past >= 0 ? Math.floor : Math.round)(distance / size)
  const inUnit = (size: number, unit: Intl.RelativeTimeFormatUnit) =>
    relative(locale).format(-Math.sign(past) * count(size), unit)
  if (count(MINUTE) < 60) return inUnit(MINUTE, "minute")
  if (count(HOUR) < 24) return inUnit(HOUR, "hour")
  if (count(DAY) < 7) return inUnit(DAY, "day")
  const sameYear = time.getFullYear() === now.getFullYear()
  return (sameYear ? dayOfYear : day)(locale).format(time)
}

/** A time in full, with the zone of the reader. */
export const fullTime = (time: Date, locale?: string): string => full(locale).format(time)
