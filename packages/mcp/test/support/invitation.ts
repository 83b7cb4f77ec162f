/** A mail that invites an address to a meeting. */
import type { Incoming } from "../../../http/test/support/mail.js"

const calendar = (address: string, organizer: string): string =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "METHOD:REQUEST",
    "BEGIN:VEVENT",
    "UID:meeting-1",
    "DTSTART:20300101T100000Z",
    "DTEND:20300101T110000Z",
    "SUMMARY:Planning",
    `ORGANIZER:mailto:${organizer}`,
    `ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:${address}`,
    "END:VEVENT",
    "END:VCALENDAR",
  ].join("\r\n")

export const invitation = (address: string, organizer = "bob@sender.dev"): Incoming => ({
  subject: "Planning",
  attachment: {
    filename: "invite.ics",
    type: "text/calendar; method=REQUEST; charset=utf-8",
    content: calendar(address, organizer),
  },
})
