/** Numbers, sizes and times in words. */

const UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const

/** A size in binary units, such as `1.5 MB`; the service counts 1 MB as 1,048,576 bytes. */
export const bytesText = (bytes: number, locale?: string): string => {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value)
  return `${number} ${unit === 0 && bytes === 1 ? "byte" : (UNITS[unit] ?? "")}`
}

export const numberText = (value: number, locale?: string): string =>
  new Intl.NumberFormat(locale).format(value)

/** `1 message`, `2 messages`. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A time as a list shows it: how long ago, for a week; then the date. Times to come read `in 3 hours`. */
export const shortTime = (time: Date, now: Date, locale?: string): string => {
  const past = now.getTime() - time.getTime()
  const distance = Math.abs(past)
  if (distance < MINUTE) return past >= 0 ? "just now" : "in a moment"
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" })
  const inUnit = (size: number, unit: Intl.RelativeTimeFormatUnit) =>
    relative.format(-Math.sign(past) * Math.floor(distance / size), unit)
  if (distance < HOUR) return inUnit(MINUTE, "minute")
  if (distance < DAY) return inUnit(HOUR, "hour")
  if (distance < 7 * DAY) return inUnit(DAY, "day")
  const sameYear = time.getFullYear() === now.getFullYear()
  return new Intl.DateTimeFormat(locale, {
    day: "numeric",
    month: "short",
    ...(!sameYear && { year: "numeric" }),
  }).format(time)
}

/** A time in full, with the zone of the reader. */
export const fullTime = (time: Date, locale?: string): string =>
  new Intl.DateTimeFormat(locale, {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  }).format(time)
