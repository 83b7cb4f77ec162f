/** Repairs an iCalendar of which ical.js can read some properties only. It throws for the whole text. */
import ICAL from "ical.js"

const isReadable = (line: string): boolean => {
  if (/^(?:begin|end):/i.test(line)) return true
  try {
    new ICAL.Property(ICAL.parse.property(line)).getFirstValue()
    return true
  } catch {
    return false
  }
}

/**
 * The text with an empty text in place of each value that cannot be read, and without lines that are no properties. The
 * property stays: without its RECURRENCE-ID an occurrence would be the series, and without its RRULE a time zone would
 * have another offset.
 */
export const withoutUnreadable = (text: string): string =>
  text
    .replace(/\r?\n[ \t]/g, "")
    .split(/\r?\n/)
    .flatMap((line) => {
      if (isReadable(line)) return [line]
      const name = /^[a-z\d-]+(?=[;:])/i.exec(line)?.[0]
      return name === undefined ? [] : [`${name};VALUE=TEXT:`]
    })
    .join("\r\n")
