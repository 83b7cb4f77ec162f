/** Dates of header fields (RFC 5322 §3.3, §4.3). */
import { timestampOrNull } from "@mailroom/domain"
import { mailDate } from "@mailroom/domain/messages/mailDate"
import { describe, expect, it } from "vitest"

const dates: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "has a day, a month, a year, a time and an offset": {
    "Thu, 5 Jan 2017 10:00:30 +0100": "2017-01-05T09:00:30.000Z",
    "5 jan 2017 10:00 -0530": "2017-01-05T15:30:00.000Z",
    "29 Feb 2016 23:59:60 +0000": "2016-03-01T00:00:00.000Z",
  },
  "is UTC without a zone, and in a zone without a known name": {
    "5 Jan 2017 10:00:00": "2017-01-05T10:00:00.000Z",
    "5 Jan 2017 10:00:00 -0000": "2017-01-05T10:00:00.000Z",
    "5 Jan 2017 10:00:00 CET": "2017-01-05T10:00:00.000Z",
    "5 Jan 2017 10:00:00 Europe/Berlin": "2017-01-05T10:00:00.000Z",
    "5 Jan 2017 10:00:00 A": "2017-01-05T10:00:00.000Z",
  },
  "may have a zone by its obsolete name": {
    "5 Jan 2017 10:00:00 UT": "2017-01-05T10:00:00.000Z",
    "5 Jan 2017 10:00:00 GMT": "2017-01-05T10:00:00.000Z",
    "5 Jan 2017 10:00:00 EDT": "2017-01-05T14:00:00.000Z",
    "5 Jan 2017 10:00:00 EST": "2017-01-05T15:00:00.000Z",
    "5 Jan 2017 10:00:00 CDT": "2017-01-05T15:00:00.000Z",
    "5 Jan 2017 10:00:00 cst": "2017-01-05T16:00:00.000Z",
    "5 Jan 2017 10:00:00 MDT": "2017-01-05T16:00:00.000Z",
    "5 Jan 2017 10:00:00 MST": "2017-01-05T17:00:00.000Z",
    "5 Jan 2017 10:00:00 PDT": "2017-01-05T17:00:00.000Z",
    "5 Jan 2017 10:00:00 PST": "2017-01-05T18:00:00.000Z",
  },
  "may have a year of two or three digits": {
    "5 Jan 17 10:00:00 +0000": "2017-01-05T10:00:00.000Z",
    "5 Jan 97 10:00:00 +0000": "1997-01-05T10:00:00.000Z",
    "5 Jan 117 10:00:00 +0000": "2017-01-05T10:00:00.000Z",
  },
  "may have comments and white space between its parts": {
    " Thu (Thursday),\t5 Jan\r\n 2017 10 : 00:00 +0100 (CET (in winter)) ": "2017-01-05T09:00:00.000Z",
    "Thu,5 Jan 2017 10:00:00+0100": "2017-01-05T09:00:00.000Z",
  },
}

describe("a date of a mail", () => {
  for (const [rule, examples] of Object.entries(dates))
    it(rule, () => {
      for (const [text, time] of Object.entries(examples))
        expect(timestampOrNull(mailDate(text)), text).toBe(time)
    })

  it("is unreadable without one of its parts, for a day that does not exist, and before 1970", () => {
    for (const text of [
      "",
      "2017",
      "Jan 2017",
      "Jan 2017 10:00:00 +0000",
      "5 Jan 10:00:00 +0000",
      "5 Jan 2017",
      "2017-01-05T10:00:00Z",
      "30 Feb 2017 10:00:00 +0000",
      "5 Foo 2017 10:00:00 +0000",
      "5 Jan 2017 24:00:00 +0000",
      "5 Jan 2017 10:60:00 +0000",
      "1 Jan 1970 00:00:00 +0100",
      "5 Jan 69 10:00:00 +0000",
      "5 Jan 0017 10:00:00 +0000",
      "5 Jan 2017 10:00:00 +0100 (CET) and more",
    ])
      expect(mailDate(text), text).toBeNull()
  })

  it("is unreadable in a text that is longer than a line of a mail", () => {
    const date = "5 Jan 2017 10:00:00 +0100"
    expect(mailDate(`${date} (${"a".repeat(900)})`)).not.toBeNull()
    expect(mailDate(`${date} (${"a".repeat(1_000)})`)).toBeNull()
  })
})
