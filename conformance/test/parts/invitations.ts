/** Invitations, and answers to them. */
import { Effect } from "effect"
import { expect } from "vitest"
import { type Agent, agent, listMessages, newestId, newMailbox, receive, suppress } from "../../src/agents.js"
import { textAt, valueAt } from "../../src/Answer.js"
import { overTheTrial } from "../../src/gates.js"
import type { Draft } from "../../src/mail.js"
import { type Part, row } from "../../src/Row.js"
import { World } from "../../src/World.js"
import { expectError, expectInvalid, expectWithin } from "../expectations.js"

interface Invitation {
  readonly organizer: string
  readonly attendee: string
  readonly method?: string
  /** further lines of the event */
  readonly more?: ReadonlyArray<string>
}

const calendarOf = ({ organizer, attendee, method = "REQUEST", more = [] }: Invitation): string =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Partner//Calendar//EN",
    `METHOD:${method}`,
    "BEGIN:VEVENT",
    "UID:planning@partner.dev",
    "SEQUENCE:3",
    "DTSTAMP:20260301T100000Z",
    "DTSTART;TZID=Europe/Berlin:20260310T090000",
    "DTEND;TZID=Europe/Berlin:20260310T100000",
    "SUMMARY:Planning\\, spring",
    "LOCATION:Room 5",
    `ORGANIZER;CN="Lovelace, Ada":MAILTO:${organizer}`,
    `ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=Agent:mailto:${attendee}`,
    ...more,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n")

const draftOf = (content: string, more: Draft = {}): Draft => ({
  subject: "Invitation: Planning",
  messageId: "<invitation@partner.dev>",
  attachments: [{ filename: "invite.ics", contentType: "text/calendar; method=REQUEST", content }],
  ...more,
})

/** The message of an invitation that arrived, and its path. */
const invited = (owner: Agent, invitation: Invitation) =>
  Effect.gen(function* () {
    yield* receive(owner, [draftOf(calendarOf(invitation))])
    const path = `/v1/mailboxes/${owner.mailboxId}/messages/${yield* newestId(owner)}`
    return { path, message: valueAt((yield* owner.call(`GET ${path}`)).json, "message") }
  })

const organizerOf = ({ slug }: Agent): string => `ada-${slug}@partner.dev`

export const invitations: Part = [
  row("messages.calendar.fields", "of a weekly event, in the list and alone", function* () {
    const owner = yield* agent("active")
    const { message } = yield* invited(owner, {
      organizer: "ada@partner.dev",
      attendee: owner.address,
      more: ["RRULE:FREQ=WEEKLY;BYDAY=TU"],
    })
    const calendar = {
      method: "REQUEST",
      uid: "planning@partner.dev",
      sequence: 3,
      summary: "Planning, spring",
      start: "2026-03-10T09:00:00+01:00",
      end: "2026-03-10T10:00:00+01:00",
      timezone: "Europe/Berlin",
      location: "Room 5",
      organizer: { address: "ada@partner.dev", name: "Lovelace, Ada" },
      attendees: [{ address: owner.address, name: "Agent", status: "needs-action" }],
      rrule: "FREQ=WEEKLY;BYDAY=TU",
    }
    expect(valueAt(message, "calendar")).toEqual(calendar)
    expect(valueAt((yield* listMessages(owner)).json, "messages.0.calendar")).toEqual(calendar)
  }),
  row("messages.calendar.null", "and the mail is whole", function* () {
    const owner = yield* agent("active")
    yield* receive(owner, [
      { subject: "none" },
      draftOf("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nbroken", { subject: "broken", text: "See you" }),
    ])
    const listed = yield* listMessages(owner)
    expectWithin(listed, 200, {
      messages: expect.arrayContaining([
        expect.objectContaining({ subject: "none", calendar: null }),
        expect.objectContaining({
          subject: "broken",
          bodyText: expect.stringContaining("See you"),
          calendar: null,
        }),
      ]),
    })
  }),
  row("messages.rsvp.201", "with the text of the answer, as a calendar understands it", function* () {
    const { eventually, outbox } = yield* World
    const owner = yield* agent("active")
    const organizer = organizerOf(owner)
    const { path, message } = yield* invited(owner, { organizer, attendee: owner.address })
    const answer = yield* owner.call(`POST ${path}/rsvp`, {
      body: { status: "accepted", comment: "With cake" },
    })
    expectWithin(answer, 201, {
      message: {
        direction: "OUTBOUND",
        status: "SENT",
        toAddresses: [organizer],
        subject: "Accepted: Planning, spring",
        bodyText: expect.stringContaining("With cake"),
        threadId: valueAt(message, "threadId"),
        inReplyTo: "<invitation@partner.dev>",
        calendar: null,
      },
    })
    expect(yield* outbox(organizer)).toMatchObject([
      {
        to: [organizer],
        subject: "Accepted: Planning, spring",
        text: expect.stringContaining("With cake"),
        attachments: [{ contentType: "text/calendar; method=REPLY" }],
      },
    ])

    // The organizer is a mailbox here too, which shows what the reply says.
    const other = yield* newMailbox(owner, "organizer")
    const here = other.address
    const second = yield* invited(owner, { organizer: here, attendee: owner.address })
    yield* owner.call(`POST ${second.path}/rsvp`, { body: { status: "declined" } })
    const replies = owner.call(`GET /v1/mailboxes/${other.id}/messages`)
    const { json } = yield* eventually(
      "the reply",
      replies,
      (seen) => valueAt(seen.json, "messages.0.calendar") !== undefined,
    )
    expect(valueAt(json, "messages.0.calendar")).toMatchObject({
      method: "REPLY",
      uid: "planning@partner.dev",
      sequence: 3,
      start: "2026-03-10T08:00:00Z",
      organizer: { address: here },
      attendees: [{ address: owner.address, status: "declined" }],
    })
  }),
  row("messages.rsvp.attendee", "in the case in which it was invited", function* () {
    const { eventually } = yield* World
    const owner = yield* agent("active")
    const other = yield* newMailbox(owner, "organizer")
    const tagged = owner.address.replace("@", "+Meet@")
    const { path } = yield* invited(owner, { organizer: other.address, attendee: tagged })
    expectWithin(yield* owner.call(`POST ${path}/rsvp`, { body: { status: "tentative" } }), 201, {
      message: { fromAddress: owner.address },
    })
    const { json } = yield* eventually(
      "the reply",
      owner.call(`GET /v1/mailboxes/${other.id}/messages`),
      (seen) => valueAt(seen.json, "messages.0.calendar") !== undefined,
    )
    expect(valueAt(json, "messages.0.calendar.attendees")).toMatchObject([
      { address: tagged, status: "tentative" },
    ])
  }),
  row("messages.rsvp.400", "nothing is sent", function* () {
    const owner = yield* agent("active")
    const { path } = yield* invited(owner, { organizer: organizerOf(owner), attendee: owner.address })
    expectInvalid(yield* owner.call(`POST ${path}/rsvp`, { body: { status: "maybe" } }), "status")
    yield* receive(owner, [{ subject: "none" }])
    const none = `/v1/mailboxes/${owner.mailboxId}/messages/${yield* newestId(owner)}`
    expectError(
      yield* owner.call(`POST ${none}/rsvp`, { body: { status: "accepted" } }),
      400,
      "NO_INVITATION",
    )
  }),
  row("messages.rsvp.409", "nothing is sent", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const organizer = organizerOf(owner)
    for (const [invitation, code] of [
      [{ organizer, attendee: owner.address, method: "CANCEL" }, "NOT_A_REQUEST"],
      [{ organizer: "nobody", attendee: owner.address }, "NOT_A_REQUEST"],
      [{ organizer, attendee: "other@partner.dev" }, "NOT_INVITED"],
    ] as const) {
      const { path } = yield* invited(owner, invitation)
      expectError(yield* owner.call(`POST ${path}/rsvp`, { body: { status: "accepted" } }), 409, code)
    }
    expect(yield* outbox(organizer)).toEqual([])
  }),
  row("messages.rsvp.402", "word for word as the message itself", function* () {
    const { owner, path } = yield* overTheTrial
    const read = yield* owner.call(`GET ${path}`)
    const answer = yield* owner.call(`POST ${path}/rsvp`, { body: { status: "accepted" } })
    expect([answer.status, answer.json]).toEqual([402, read.json])
  }),
  row("messages.rsvp.once", "and answers with the first message again", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const organizer = organizerOf(owner)
    const { path } = yield* invited(owner, { organizer, attendee: owner.address })
    const request = { body: { status: "accepted" }, headers: { "idempotency-key": "rsvp-1" } }
    const first = yield* owner.call(`POST ${path}/rsvp`, request)
    const again = yield* owner.call(`POST ${path}/rsvp`, request)
    expect([again.status, again.json]).toEqual([201, first.json])
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect(yield* outbox(organizer)).toHaveLength(1)
  }),
  row("messages.rsvp.rules", "a suppressed organizer, and a thread that a person answers", function* () {
    const owner = yield* agent("active")
    const organizer = organizerOf(owner)
    const { path, message } = yield* invited(owner, { organizer, attendee: owner.address })
    const thread = `POST /v1/threads/${textAt(message, "threadId")}`
    yield* owner.call(`${thread}/takeover`)
    expectError(
      yield* owner.call(`POST ${path}/rsvp`, { body: { status: "accepted" } }),
      409,
      "THREAD_TAKEN_OVER",
    )
    yield* owner.call(`${thread}/release`)
    yield* suppress(owner, organizer)
    expectError(
      yield* owner.call(`POST ${path}/rsvp`, { body: { status: "accepted" } }),
      400,
      "RECIPIENT_SUPPRESSED",
      { address: organizer },
    )
  }),
]
