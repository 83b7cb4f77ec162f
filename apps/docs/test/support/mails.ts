/** The mails that examples are about. */

/** A mail with a file, to an address and with a copy. */
export const figures = (address: string, number: number): string => `From: Bob <bob@corp.org>
To: ${address}
Cc: carol@corp.org
Subject: The figures
Message-ID: <figures-${number}@corp.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="x"

--x
Content-Type: text/plain; charset=utf-8

Could you look at these?
--x
Content-Type: text/csv; name="figures.csv"
Content-Disposition: attachment; filename="figures.csv"

quarter,sales
Q1,42
--x--
`

/** An invitation for an address. */
export const invitation = (address: string, number: number): string => `From: Bob <bob@corp.org>
To: ${address}
Subject: Invitation: Lunch
Message-ID: <lunch-${number}@corp.org>
MIME-Version: 1.0
Content-Type: text/calendar; charset=utf-8; method=REQUEST

BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//corp.org//calendar//EN
METHOD:REQUEST
BEGIN:VEVENT
UID:lunch-${number}@corp.org
DTSTAMP:20260101T120000Z
DTSTART:20260701T120000Z
DTEND:20260701T130000Z
SUMMARY:Lunch
ORGANIZER:mailto:bob@corp.org
ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:${address}
END:VEVENT
END:VCALENDAR
`
