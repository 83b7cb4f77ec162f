/** Answers to invitations: the iTIP REPLY (RFC 5546 §3.2.3) and the mail that carries it (RFC 6047). */
import { Either, Schema } from "effect"
import { NoInvitation, NotARequest, NotInvited } from "../errors.js"
import { CALENDAR_ATTENDEES_MAX, SUBJECT_MAX_LENGTH } from "../limits.js"
import { isEmailAddress, normalizeAddress, withoutTag } from "../mailboxes/address.js"
import type { MessageContent } from "../messages/Message.js"
import { truncated } from "../unicode.js"
import { atMostCharacters, toOneLine, withoutNul } from "../messages/oneLine.js"
import type { SendBody } from "../sending/send.js"
import type { Instant } from "../time.js"
import type { Calendar } from "./Calendar.js"

export const RsvpStatus = Schema.Literal("accepted", "tentative", "declined")
export type RsvpStatus = typeof RsvpStatus.Type

/** characters of a comment. */
const COMMENT_MAX_LENGTH = 2000

export const RsvpBody = Schema.Struct({
  status: RsvpStatus.annotations({
    description: "the answer",
    message: () => "must be accepted, tentative or declined",
  }),
  comment: Schema.optional(Schema.String.pipe(atMostCharacters(COMMENT_MAX_LENGTH), withoutNul)).annotations({
    description: "a text for the organizer",
  }),
}).annotations({ identifier: "RsvpBody", description: "An answer to an invitation" })
export type RsvpBody = typeof RsvpBody.Type

/** An answer to an invitation: the mail to send, and the calendar in it. */
export interface Rsvp {
  readonly body: SendBody
  readonly calendar: OutgoingCalendar
}

/** A calendar that a mail carries as an alternative to its text (RFC 6047 §2.4). */
export interface OutgoingCalendar {
  readonly method: "REPLY"
  /** with CRLF line ends */
  readonly content: string
}

const subjects: { readonly [S in RsvpStatus]: string } = {
  accepted: "Accepted",
  tentative: "Tentative",
  declined: "Declined",
}

const sentences: { readonly [S in RsvpStatus]: string } = {
  accepted: "accepted this invitation",
  tentative: "tentatively accepted this invitation",
  declined: "declined this invitation",
}

/**
 * The address under which the mailbox `own` is invited, as the invitation writes it, possibly with a tag; null when it is not
 * invited. Of an invitation with more attendees than a message shows, the mailbox may be among the others.
 */
const invitedAs = ({ attendees }: Calendar, own: string): string | null => {
  const self = normalizeAddress(own)
  const found =
    attendees.find(({ address }) => normalizeAddress(address) === self) ??
    attendees.find(({ address }) => withoutTag(normalizeAddress(address)) === self)
  return found?.address ?? (attendees.length >= CALENDAR_ATTENDEES_MAX ? own : null)
}

/** Escaped text (RFC 5545 §3.3.11). */
const text = (value: string): string =>
  value
    .replace(/[\\;,]/g, "\\$&")
    .replace(/\r\n?|\n/g, "\\n")
    .replace(/\p{Cc}/gu, "")

/** A quoted parameter value, which has no quotes and no control characters inside (RFC 5545 §3.2). */
const quoted = (value: string): string => `"${value.replace(/["\p{Cc}]/gu, "")}"`

const digits = (value: string): string => value.replace(/[-:]/g, "")

/** The property of a time of `Calendar`, in UTC where its zone is known: a REPLY then needs no VTIMEZONE. */
const timeProperty = (name: string, value: string | null | undefined): ReadonlyArray<string> => {
  if (value === null || value === undefined) return []
  if (!value.includes("T")) return [`${name};VALUE=DATE:${digits(value)}`]
  if (!/Z$|[+-]\d\d:\d\d$/.test(value)) return [`${name}:${digits(value)}`]
  const instant = Date.parse(value)
  return Number.isNaN(instant) ? [] : [`${name}:${utc(instant)}`]
}

const utc = (instant: Instant): string => `${digits(new Date(instant).toISOString().slice(0, 19))}Z`

const named = (name: string | null): string => (name === null ? "" : `;CN=${quoted(name)}`)

/** Octets of a line before the rest of it goes to the next one (RFC 5545 §3.1). */
const LINE_MAX_OCTETS = 75

/** Folds a line between characters. */
const folded = (line: string): string => {
  const encoder = new TextEncoder()
  const lines = [""]
  let octets = 0
  for (const character of line) {
    const size = encoder.encode(character).length
    if (octets + size > LINE_MAX_OCTETS) {
      lines.push(" ")
      octets = 1
    }
    lines[lines.length - 1] += character
    octets += size
  }
  return lines.join("\r\n")
}

const replyCalendar = (
  calendar: Calendar,
  organizer: NonNullable<Calendar["organizer"]>,
  attendee: { readonly address: string; readonly name: string | null },
  { status, comment }: RsvpBody,
  now: Instant,
): OutgoingCalendar => ({
  method: "REPLY",
  content: [
    "BEGIN:VCALENDAR",
    "PRODID:-//Mailroom//Mailroom//EN",
    "VERSION:2.0",
    "METHOD:REPLY",
    "BEGIN:VEVENT",
    `UID:${text(calendar.uid)}`,
    `SEQUENCE:${calendar.sequence}`,
    `DTSTAMP:${utc(now)}`,
    ...timeProperty("RECURRENCE-ID", calendar.recurrenceId),
    ...timeProperty("DTSTART", calendar.start),
    ...timeProperty("DTEND", calendar.end),
    ...(calendar.summary === null ? [] : [`SUMMARY:${text(calendar.summary)}`]),
    `ORGANIZER${named(organizer.name)}:mailto:${organizer.address}`,
    `ATTENDEE;PARTSTAT=${status.toUpperCase()}${named(attendee.name)}:mailto:${attendee.address}`,
    ...(comment === undefined || comment === "" ? [] : [`COMMENT:${text(comment)}`]),
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ]
    .map(folded)
    .join("\r\n"),
})

/** The answer to the invitation in a message, from a mailbox. */
export const rsvpTo = (
  { id, calendar }: Pick<MessageContent, "id" | "calendar">,
  mailbox: { readonly fullAddress: string; readonly displayName: string | null },
  answer: RsvpBody,
  now: Instant,
): Either.Either<Rsvp, NoInvitation | NotARequest | NotInvited> => {
  if (calendar === null) return Either.left(new NoInvitation())
  const { method, organizer, summary } = calendar
  if (method !== "REQUEST" || organizer === null || !isEmailAddress(organizer.address))
    return Either.left(new NotARequest({ method }))
  const address = invitedAs(calendar, mailbox.fullAddress)
  if (address === null) return Either.left(new NotInvited({ address: mailbox.fullAddress }))
  const { status, comment = "" } = answer
  const subject = toOneLine(`${subjects[status]}: ${summary ?? ""}`)
  const sentence = `${mailbox.displayName ?? mailbox.fullAddress} has ${sentences[status]}.`
  return Either.right({
    body: {
      to: [organizer.address],
      subject: truncated(subject, SUBJECT_MAX_LENGTH),
      bodyText: comment === "" ? sentence : `${sentence}\n\n${comment}`,
      inReplyTo: id,
    },
    calendar: replyCalendar(calendar, organizer, { address, name: mailbox.displayName }, answer, now),
  })
}
