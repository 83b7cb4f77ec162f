/** The invitation in a mail (`spec: messages.calendar`), and the reply that calendars read (`spec: messages.rsvp.201`). */
import { describe, expect, it } from "@effect/vitest"
import { type Calendar, MessageId, type RsvpStatus, rsvpTo } from "@mailroom/domain"
import { MimeComposer } from "@mailroom/engine"
import { NodemailerComposer } from "@mailroom/mail"
import { parseMail } from "@mailroom/mail/parsing/parseMail"
import { Effect, Either } from "effect"
import ICAL from "ical.js"
import { draft } from "./support/drafts.js"
import { apple, google, mailWith, outlook } from "./support/invitations.js"

const calendarIn = (raw: Buffer) =>
  Effect.map(
    Effect.promise(() => parseMail(raw)),
    ({ calendar, defect }) => ({ calendar, defect }),
  )

const calendarOf = (text: string) => Effect.map(calendarIn(mailWith(text)), ({ calendar }) => calendar)

const expected: { readonly [client: string]: readonly [invitation: string, calendar: Calendar] } = {
  Google: [
    google,
    {
      method: "REQUEST",
      uid: "4q2o8k1v6m3c9r7t5s0n2b8d1f@google.com",
      sequence: 2,
      summary: "Planning: Äpfel, Birnen 😀",
      start: "2026-03-10T09:00:00+01:00",
      end: "2026-03-10T10:00:00+01:00",
      timezone: "Europe/Berlin",
      location: "Room 5, second floor; left",
      organizer: { address: "Ada@Acme.dev", name: "Lovelace, Ada" },
      attendees: [
        { address: "ada@acme.dev", name: "Ada Lovelace", status: "accepted" },
        {
          address: "agent+meet@bot.mailroom.dev",
          name: "agent+meet@bot.mailroom.dev",
          status: "needs-action",
        },
      ],
      rrule: "FREQ=WEEKLY;BYDAY=TU",
    },
  ],
  Outlook: [
    outlook,
    {
      method: "REQUEST",
      uid: "040000008200E00074C5B7101A82E00800000000C0B2D7A1B4A9DA01000000000000000010000000A1B2C3D4E5F60718293A4B5C6D7E8F90",
      sequence: 7,
      recurrenceId: "2026-07-14T14:00:00+02:00",
      summary: "Jour fixe",
      start: "2026-07-14T15:00:00+02:00",
      end: "2026-07-14T16:00:00+02:00",
      timezone: "W. Europe Standard Time",
      location: "Microsoft Teams-Besprechung",
      organizer: { address: "bob@contoso.dev", name: "Bob Builder" },
      attendees: [{ address: "agent@bot.mailroom.dev", name: "Agent", status: "needs-action" }],
    },
  ],
  Apple: [
    apple,
    {
      method: "REQUEST",
      uid: "6F1B3C52-8E0E-4E86-9A1B-2E1D7B0A4C55",
      sequence: 0,
      summary: "Off-site",
      start: "2026-05-01",
      end: "2026-05-03",
      timezone: null,
      location: null,
      organizer: { address: "carol@icloud.dev", name: "Carol" },
      attendees: [
        { address: "agent@bot.mailroom.dev", name: "Agent", status: "needs-action" },
        { address: "carol@icloud.dev", name: "Carol", status: "accepted" },
      ],
    },
  ],
}

describe("the invitation in a mail", () => {
  for (const [client, [invitation, calendar]] of Object.entries(expected))
    it.effect(`of ${client} is read`, () =>
      Effect.gen(function* () {
        expect(yield* calendarIn(mailWith(invitation))).toEqual({ calendar, defect: null })
      }),
    )

  it.effect(
    "is read from a file without a method, from a mail that is only a calendar, and not elsewhere",
    () =>
      Effect.gen(function* () {
        const file = `Content-Type: application/octet-stream; name=a.ics\r\n\r\n${apple.replace("METHOD:REQUEST\r\n", "")}`
        expect((yield* calendarIn(Buffer.from(file))).calendar).toMatchObject({
          method: null,
          summary: "Off-site",
        })
        const only = `Content-Type: text/calendar; method=CANCEL\r\n\r\n${apple.replace("METHOD:REQUEST\r\n", "")}`
        expect((yield* calendarIn(Buffer.from(only))).calendar).toMatchObject({ method: "CANCEL" })
        expect((yield* calendarIn(Buffer.from(`Subject: x\r\n\r\n${apple}`))).calendar).toBe(null)
      }),
  )

  it.effect("is read in the charset of its part", () =>
    Effect.gen(function* () {
      for (const [charset, summary] of [
        ["iso-8859-15", "\xa4 caf\xe9"],
        ["utf-7", "+IKw caf+AOk"],
        ["utf-8", Buffer.from("€ café").toString("latin1")],
      ] as const) {
        const text = apple.replace("SUMMARY:Off-site", `SUMMARY:${summary}`)
        const mail = `Content-Type: text/calendar; charset=${charset}\r\n\r\n${text}`
        expect((yield* calendarIn(Buffer.from(mail, "latin1"))).calendar?.summary).toBe("€ café")
      }
    }),
  )

  it.effect("that is broken is null, and no defect of the mail", () =>
    Effect.gen(function* () {
      const without = (line: RegExp) => google.replace(line, "")
      for (const broken of [
        "",
        "BEGIN:VCALENDAR",
        "no calendar at all",
        google.slice(0, 900),
        without(/UID:.*\r\n/),
        google.replaceAll("VEVENT", "VTODO"),
        "BEGIN:VCALENDAR\r\n".repeat(1000),
        google.replace("SUMMARY:", `DESCRIPTION:${"x".repeat(300_000)}\r\nSUMMARY:`),
      ])
        expect(yield* calendarIn(mailWith(broken))).toEqual({ calendar: null, defect: null })
      const wrongTime = yield* calendarOf(google.replace("20260310T090000", "20261399T990000"))
      expect(wrongTime?.uid ?? null).toSatisfy((uid: unknown) => uid === null || typeof uid === "string")
    }),
  )

  it.effect("has a time without an offset when its zone is unknown or strange", () =>
    Effect.gen(function* () {
      const unknown = google
        .replaceAll("TZID:Europe/Berlin", "TZID:Other")
        .replaceAll("TZID=Europe/Berlin", "TZID=Mine")
      expect(yield* calendarOf(unknown)).toMatchObject({ start: "2026-03-10T09:00:00", timezone: "Mine" })
      expect(yield* calendarOf(apple.replace("P2D", "P999999999W"))).toMatchObject({ end: null })
      const everySecond = outlook.replaceAll("FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10", "FREQ=SECONDLY")
      expect(yield* calendarOf(everySecond)).toMatchObject({ start: "2026-07-14T15:00:00" })
    }),
  )

  it.effect(
    "has no time in a year that is written otherwise than with four digits, and can be answered",
    () =>
      Effect.gen(function* () {
        for (const time of ["00010310T090000", "00000310T090000"]) {
          const calendar = yield* calendarOf(google.replace("20260310T090000", time))
          expect(calendar).toMatchObject({ start: null })
          expect(Either.isRight(answered(calendar))).toBe(true)
        }
      }),
  )

  it.effect("is read without a property that is broken", () =>
    Effect.gen(function* () {
      const read = expected["Google"]?.[1]
      const { rrule: _, ...single } = read ?? {}
      for (const [good, bad, calendar] of [
        ["SEQUENCE:2", "SEQUENCE:2\r\nthis line is no property", read],
        ["RRULE:FREQ=WEEKLY", "RRULE:FREQ=OFTEN", single],
        [
          "DTSTART;TZID=Europe/Berlin:20260310T090000",
          "DTSTART:tomorrow",
          { ...read, start: null, timezone: null },
        ],
        ["DTEND;TZID=Europe/Berlin:20260310T100000", "DURATION:one hour", { ...read, end: null }],
        ['ORGANIZER;CN="Lovelace, Ada"', 'ORGANIZER;CN="Lovelace, Ada', { ...read, organizer: null }],
        ["LOCATION:Room", "LOCATION;Room", { ...read, location: null }],
      ] as const)
        expect(yield* calendarOf(google.replace(good, bad))).toEqual(calendar)
    }),
  )

  it.effect("has a date that is not declared as one", () =>
    Effect.gen(function* () {
      const calendar = yield* calendarOf(apple.replace("DTSTART;VALUE=DATE:", "DTSTART:"))
      expect(calendar).toEqual(expected["Apple"]?.[1])
    }),
  )

  it.effect(
    "has no offset by a time zone with a broken rule, and is null without the time of its occurrence",
    () =>
      Effect.gen(function* () {
        const zone = outlook.replace("RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3", "RRULE:FREQ=OFTEN")
        expect(yield* calendarOf(zone)).toMatchObject({ start: "2026-07-14T15:00:00", summary: "Jour fixe" })
        const occurrence = "RECURRENCE-ID;TZID=W. Europe Standard Time:20260714T140000"
        for (const broken of ["RECURRENCE-ID:tomorrow", "RECURRENCE-ID;TZID"])
          expect(yield* calendarOf(outlook.replace(occurrence, broken))).toBe(null)
      }),
  )

  it.effect("shows at most 200 attendees", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 1000 }, (_, index) => `ATTENDEE:mailto:a${index}@acme.dev\r\n`)
      const calendar = yield* calendarOf(apple.replace("SUMMARY", `${many.join("")}SUMMARY`))
      expect(calendar?.attendees).toHaveLength(200)
    }),
  )
})

const mailbox = { fullAddress: "agent@bot.mailroom.dev", displayName: 'Agent "Smith", 007' }
const NOW = Date.UTC(2026, 2, 2, 12)
const id = MessageId.make("01900000-0000-7000-8000-000000000000")

const answered = (calendar: Calendar | null, status: RsvpStatus = "accepted", comment?: string) =>
  rsvpTo({ id, calendar }, mailbox, { status, ...(comment !== undefined && { comment }) }, NOW)

const eventIn = (text: string) => {
  const calendar = new ICAL.Component(ICAL.parse(text))
  const event = calendar.getFirstSubcomponent("vevent")
  if (event === null) throw new Error("no event")
  return { calendar, event }
}

describe("the reply to an invitation", () => {
  for (const [client, [invitation, read]] of Object.entries(expected))
    it.effect(`of ${client} is one that ical.js reads: the same event, one attendee, and the answer`, () =>
      Effect.gen(function* () {
        const rsvp = yield* answered(read, "tentative", "Late; 5, 10 minutes\nor more")
        const composer = yield* MimeComposer
        const raw = yield* composer.compose({
          ...draft,
          text: rsvp.body.bodyText ?? null,
          calendar: rsvp.calendar,
        })
        const mail = yield* Effect.promise(() => parseMail(raw))
        expect(mail.attachments.map(({ contentType }) => contentType)).toEqual([
          "text/calendar; method=REPLY",
        ])
        expect(Buffer.from(raw).toString()).toMatch(
          /multipart\/alternative;[^]*text\/plain[^]*text\/calendar; charset=utf-8; method=REPLY/,
        )

        const reply = eventIn(rsvp.calendar.content)
        const request = eventIn(invitation)
        const value = (name: string, { event } = reply) => event.getFirstPropertyValue(name)
        expect(reply.calendar.getFirstPropertyValue("method")).toBe("REPLY")
        expect(reply.calendar.getFirstPropertyValue("version")).toBe("2.0")
        expect(value("uid")).toBe(value("uid", request))
        expect(value("sequence")).toBe(value("sequence", request))
        expect(value("summary")).toBe(value("summary", request))
        expect(value("comment")).toBe("Late; 5, 10 minutes\nor more")
        expect(String(value("dtstamp"))).toBe("2026-03-02T12:00:00Z")
        const instant = (name: string, from: typeof reply) => {
          const time = value(name, from)
          return time instanceof ICAL.Time ? [time.isDate, time.toUnixTime()] : null
        }
        for (const name of ["dtstart", "recurrence-id"]) {
          expect(instant(name, reply)).toEqual(instant(name, request))
        }
        expect(value("organizer")).toBe(`mailto:${read.organizer?.address}`)
        const [attendee, ...others] = reply.event.getAllProperties("attendee")
        expect(others).toEqual([])
        expect(attendee?.getFirstParameter("partstat")).toBe("TENTATIVE")
        expect(attendee?.getFirstParameter("cn")).toBe("Agent Smith, 007")
        expect(attendee?.getFirstValue()).toBe(
          client === "Google" ? "mailto:agent+meet@bot.mailroom.dev" : "mailto:agent@bot.mailroom.dev",
        )
        for (const line of rsvp.calendar.content.split("\r\n"))
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
      }).pipe(Effect.provide(NodemailerComposer.layer)),
    )

  it("goes to the organizer, says the answer, and answers the message", () => {
    expect(Either.getOrThrow(answered(expected["Outlook"]?.[1] ?? null, "declined"))).toMatchObject({
      body: {
        to: ["bob@contoso.dev"],
        subject: "Declined: Jour fixe",
        bodyText: 'Agent "Smith", 007 has declined this invitation.',
        inReplyTo: id,
      },
    })
  })

  it("is refused without an invitation, for one that asks for no answer, and for one of others", () => {
    const [, calendar] = expected["Outlook"] ?? []
    if (calendar === undefined) throw new Error("no sample")
    const refusal = (changed: Calendar | null) => Either.getOrThrow(Either.flip(answered(changed)))
    expect(refusal(null)).toMatchObject({ _tag: "NoInvitation" })
    expect(refusal({ ...calendar, method: "CANCEL" })).toMatchObject({
      _tag: "NotARequest",
      method: "CANCEL",
    })
    expect(refusal({ ...calendar, organizer: null })).toMatchObject({ _tag: "NotARequest" })
    expect(refusal({ ...calendar, attendees: [] })).toMatchObject({ _tag: "NotInvited" })
  })
})
