/** Finds the invitation among the parts of a mail. */
import type { Calendar, ParsedAttachment } from "@mailroom/domain"
import { CALENDAR_MAX_BYTES } from "@mailroom/domain/limits"
import type { ReadAttachment } from "../parsing/attachments.js"
import { decodeBytes } from "../parsing/charsets.js"

/** Lower first: the part that mail clients act on, then the file beside it. */
const rankOf = ({ contentType, filename }: ParsedAttachment): number => {
  if (contentType.startsWith("text/calendar; method=")) return 0
  if (contentType.startsWith("text/calendar")) return 1
  return contentType === "application/ics" || /\.ics$/i.test(filename) ? 2 : Infinity
}

const isCalendar = (part: ParsedAttachment): boolean =>
  rankOf(part) < Infinity && part.sizeBytes <= CALENDAR_MAX_BYTES

/** Calendars of a mail that are tried. */
const CALENDARS_MAX = 3

const bytesIn = (raw: Buffer, { content }: ParsedAttachment): Uint8Array =>
  content instanceof Uint8Array
    ? content
    : Buffer.from(raw.toString("latin1", content.start, content.end), "base64")

const methodOf = ({ contentType }: ParsedAttachment): string | null =>
  /; method=([A-Z-]+)$/.exec(contentType)?.[1] ?? null

/** The first event in the calendars of a mail; null without one. Loads ical.js with the first calendar. */
export const invitationIn = async (
  raw: Buffer,
  attachments: ReadonlyArray<ReadAttachment>,
): Promise<Calendar | null> => {
  const parts = attachments.filter(({ file }) => isCalendar(file))
  if (parts.length === 0) return null
  const { readCalendar } = await import("./readCalendar.js")
  const ranked = parts.toSorted((one, other) => rankOf(one.file) - rankOf(other.file)).slice(0, CALENDARS_MAX)
  for (const { file, charset } of ranked) {
    const calendar = readCalendar(decodeBytes(bytesIn(raw, file), charset), methodOf(file))
    if (calendar !== null) return calendar
  }
  return null
}
