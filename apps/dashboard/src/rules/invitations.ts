/** Invitations in words: when, who, and whether this mailbox may answer. */
import type { Calendar, Mailbox, ParticipationStatus } from "@mailroom/client"

export const answerTexts: Readonly<Record<ParticipationStatus, string>> = {
  "needs-action": "has not answered",
  accepted: "accepts",
  declined: "declines",
  tentative: "accepts tentatively",
  delegated: "sends somebody else",
}

const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text)

/** A day without time is the same day everywhere. */
const dayText = (text: string, locale?: string): string =>
  new Intl.DateTimeFormat(locale, {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  }).format(new Date(`${text}T00:00:00Z`))

const DAY = 86_400_000

/** When it is, in the reader's zone. The end of a whole day is not part of it. */
export const whenText = ({ start, end }: Pick<Calendar, "start" | "end">, locale?: string): string => {
  if (start === null) return "Without a time"
  if (isDate(start)) {
    const last =
      end !== null && isDate(end)
        ? new Date(new Date(`${end}T00:00:00Z`).getTime() - DAY).toISOString().slice(0, 10)
        : start
    return last <= start ? dayText(start, locale) : `${dayText(start, locale)} to ${dayText(last, locale)}`
  }
  const from = new Date(start)
  if (Number.isNaN(from.getTime())) return start
  const format = new Intl.DateTimeFormat(locale, {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  })
  const to = end === null ? from : new Date(end)
  return to > from ? format.formatRange(from, to) : format.format(from)
}

/** What the mail does with the event. */
export const purposeText = ({ method }: Pick<Calendar, "method">): string => {
  switch (method) {
    case "REQUEST":
      return "Invitation"
    case "CANCEL":
      return "Called off"
    case "REPLY":
      return "Answer to an invitation"
    default:
      return "Event"
  }
}

/** The answer of the mailbox so far; null when the mail asks it for none. */
export const ownAnswer = (
  { method, attendees }: Pick<Calendar, "method" | "attendees">,
  { fullAddress }: Pick<Mailbox, "fullAddress">,
): ParticipationStatus | null =>
  method === "REQUEST"
    ? (attendees.find(({ address }) => address.toLowerCase() === fullAddress.toLowerCase())?.status ?? null)
    : null
