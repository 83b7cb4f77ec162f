/** The invitation in a message: the event of its iCalendar part (RFC 5545, RFC 5546). */
import { Schema } from "effect"
import { described } from "../described.js"

/** The answer of an attendee: PARTSTAT in lower case (RFC 5545 §3.2.12). */
export const ParticipationStatus = Schema.Literal(
  "needs-action",
  "accepted",
  "declined",
  "tentative",
  "delegated",
).annotations({ identifier: "ParticipationStatus", description: "Answer of an attendee" })
export type ParticipationStatus = typeof ParticipationStatus.Type

const Participant = {
  address: described(Schema.String, "mail address"),
  name: described(Schema.NullOr(Schema.String), "display name; null without one"),
}

/** A date, or a date and time: in UTC, with an offset, or without one when the time zone is unknown. */
const time = (description: string) =>
  Schema.String.annotations({
    description: `${description}: \`2026-03-10\`, \`2026-03-10T08:00:00Z\`, \`2026-03-10T09:00:00+01:00\`, or without a zone when it names none that is known`,
  })

export const Calendar = Schema.Struct({
  method: described(
    Schema.NullOr(Schema.String),
    "what it is for: REQUEST invites, CANCEL calls off, REPLY answers, PUBLISH only shows; null when it does not say",
  ),
  uid: described(Schema.String, "id of the event, the same in each mail about it"),
  sequence: described(Schema.Int, "revision of the event, from 0"),
  recurrenceId: Schema.optional(
    time("the one occurrence of a recurring event that this is about, by its start"),
  ),
  summary: described(Schema.NullOr(Schema.String), "title; null without one"),
  start: described(Schema.NullOr(time("start")), "start; null without one"),
  end: described(Schema.NullOr(time("end")), "end, which is not part of the event; null without one"),
  timezone: described(
    Schema.NullOr(Schema.String),
    "time zone of `start`, as the event names it; null for none",
  ),
  location: described(Schema.NullOr(Schema.String), "place; null without one"),
  organizer: described(Schema.NullOr(Schema.Struct(Participant)), "who invites; null when nobody does"),
  attendees: described(
    Schema.Array(
      Schema.Struct({ ...Participant, status: described(ParticipationStatus, "answer of the attendee") }),
    ),
    "who is invited, at most 200",
  ),
  rrule: Schema.optional(Schema.String).annotations({
    description: "rule of a recurring event, as RFC 5545 writes it: `FREQ=WEEKLY;BYDAY=MO`",
  }),
}).annotations({ identifier: "Calendar", description: "The invitation in a message" })
export type Calendar = typeof Calendar.Type
