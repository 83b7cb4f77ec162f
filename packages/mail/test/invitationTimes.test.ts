/** Offsets of the times of an invitation around a change of the clock (RFC 5545 §3.3.5, §3.3.6). */
import { describe, expect, it } from "@effect/vitest"
import { parseMail } from "@mailroom/mail/parsing/parseMail"
import { Effect } from "effect"
import { google, mailWith, outlook } from "./support/invitations.js"

describe("the times of an invitation", () => {
  const times = (start: string, duration: string, ofZone: string, text: string) =>
    Effect.map(
      Effect.promise(() =>
        parseMail(
          mailWith(
            text
              .replace(/DTSTART;TZID=.*/g, `DTSTART;TZID=${ofZone}:${start}`)
              .replace(/DTEND;TZID=.*/g, `DURATION:${duration}`),
          ),
        ),
      ),
      ({ calendar }) => [calendar?.start, calendar?.end],
    )
  /** The same zone by its name, and by the rules in the calendar. */
  const zones = ["Europe/Berlin", "W. Europe Standard Time"].map(
    (zone) => [zone, zone === "Europe/Berlin" ? google : outlook] as const,
  )

  for (const [what, start, duration, expectedTimes] of [
    [
      "hours across the change to summer time",
      "20260328T200000",
      "PT10H",
      ["2026-03-28T20:00:00+01:00", "2026-03-29T07:00:00+02:00"],
    ],
    [
      "hours across the change to winter time",
      "20261024T200000",
      "PT10H",
      ["2026-10-24T20:00:00+02:00", "2026-10-25T05:00:00+01:00"],
    ],
    [
      "days across the change",
      "20260328T200000",
      "P1D",
      ["2026-03-28T20:00:00+01:00", "2026-03-29T20:00:00+02:00"],
    ],
    [
      "days, then hours",
      "20260327T200000",
      "P1DT10H",
      ["2026-03-27T20:00:00+01:00", "2026-03-29T07:00:00+02:00"],
    ],
    [
      "hours to the second of two equal times",
      "20261025T013000",
      "PT2H",
      ["2026-10-25T01:30:00+02:00", "2026-10-25T02:30:00+01:00"],
    ],
    [
      "the first of two equal times",
      "20261025T023000",
      "PT1H",
      ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"],
    ],
    [
      "a time that the change skips",
      "20260329T023000",
      "PT1H",
      ["2026-03-29T02:30:00+01:00", "2026-03-29T04:30:00+02:00"],
    ],
    [
      "a time just after the change",
      "20260329T030000",
      "PT1H",
      ["2026-03-29T03:00:00+02:00", "2026-03-29T04:00:00+02:00"],
    ],
  ] as const)
    it.effect(`has the right offset for ${what}`, () =>
      Effect.forEach(zones, ([zone, text]) =>
        Effect.map(times(start, duration, zone, text), (found) => expect(found).toEqual(expectedTimes)),
      ),
    )
})
