import {
  addTo,
  countIn,
  dayOf,
  instantOf,
  isDateTime,
  monthOf,
  nextMonth,
  noCount,
  Timestamp,
  timestamp,
  timestampOrNull,
  windowIn,
} from "@mailroom/domain"
import { afterEach, describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { accepts, at, drawn } from "./support/records.js"

const instants = FastCheck.integer({ min: at("2020-01-01T00:00:00Z"), max: at("2039-12-31T23:59:59.999Z") })

const turns = [
  { name: "midnight", last: "2026-03-01T23:59:59.999Z", month: false },
  { name: "the end of a month of 30 days", last: "2026-04-30T23:59:59.999Z", month: true },
  { name: "the end of a month of 31 days", last: "2026-01-31T23:59:59.999Z", month: true },
  { name: "28 February of a leap year", last: "2028-02-28T23:59:59.999Z", month: false },
  { name: "29 February 2028", last: "2028-02-29T23:59:59.999Z", month: true },
  { name: "28 February of a common year", last: "2027-02-28T23:59:59.999Z", month: true },
  { name: "New Year", last: "2026-12-31T23:59:59.999Z", month: true },
]

describe("a time of a client without a zone", () => {
  const zone = process.env["TZ"]
  afterEach(() => {
    if (zone === undefined) delete process.env["TZ"]
    else process.env["TZ"] = zone
  })

  it.each(["UTC", "America/New_York", "Asia/Kolkata"])("is UTC on a machine in %s", (machine) => {
    process.env["TZ"] = machine
    expect(timestamp(instantOf("2026-03-01T09:30:00"))).toBe("2026-03-01T09:30:00.000Z")
    expect(timestamp(instantOf("2026-03-01"))).toBe("2026-03-01T00:00:00.000Z")
    expect(timestamp(instantOf("2026-03-01T09:30:00+05:30"))).toBe("2026-03-01T04:00:00.000Z")
  })
})

describe("timestamps", () => {
  it("decisions.values.times: times are ISO 8601 UTC with milliseconds", () => {
    expect(timestamp(at("2026-03-01T09:30:00Z"))).toBe("2026-03-01T09:30:00.000Z")
    expect(timestampOrNull(null)).toBeNull()
    expect(accepts(Timestamp, "2026-03-01T09:30:00.000Z")).toBe(true)
    for (const other of ["2026-03-01T09:30:00Z", "2026-03-01T09:30:00.000+01:00", "2026-03-01", ""])
      expect(accepts(Timestamp, other), other).toBe(false)
  })

  it("a day that its month does not have is no date", () => {
    for (const date of ["2028-02-29", "2026-04-30T10:00:00Z", "2026-12-31T23:59:59-11:00"])
      expect(isDateTime(date), date).toBe(true)
    for (const date of ["2026-02-29", "2026-02-30T00:00:00Z", "2026-04-31T10:00:00+02:00", "2026-13-01"])
      expect(isDateTime(date), date).toBe(false)
  })

  it("a time whose zone moves it out of the years 0000 to 9999 is no date", () => {
    expect(isDateTime("0000-01-01T00:00:00+14:00")).toBe(false)
    expect(isDateTime("9999-12-31T23:59:59-12:00")).toBe(false)
    expect(isDateTime("9999-12-31T23:59:59Z")).toBe(true)
  })

  it.prop(
    "decisions.values.times: a timestamp names its instant exactly",
    [instants],
    ([instant]) => {
      expect(Date.parse(timestamp(instant))).toBe(instant)
      expect(accepts(Timestamp, timestamp(instant))).toBe(true)
    },
    drawn,
  )
})

describe("windows", () => {
  for (const { name, last, month } of turns)
    it(`limits.send.day: windows turn exactly once at ${name}`, () => {
      const [before, after] = [at(last), at(last) + 1]
      expect(dayOf(before)).not.toBe(dayOf(after))
      expect(dayOf(before - 1)).toBe(dayOf(before))
      expect(dayOf(after + 1)).toBe(dayOf(after))
      expect(monthOf(before) !== monthOf(after)).toBe(month)
    })

  for (const { name, last, month } of turns)
    if (month)
      it(`limits.send.month: the next month begins right after ${name}`, () => {
        expect(nextMonth(at(last))).toBe(at(last) + 1)
        expect(nextMonth(at(last) + 1)).toBeGreaterThan(at(last) + 1)
      })

  it.prop(
    "limits.send.month: the next month is the first instant of another month, at midnight UTC on the 1st",
    [instants],
    ([instant]) => {
      const next = nextMonth(instant)
      expect(next).toBeGreaterThan(instant)
      expect(timestamp(next).slice(7)).toBe("-01T00:00:00.000Z")
      expect(monthOf(next - 1)).toBe(monthOf(instant))
      expect(monthOf(next)).not.toBe(monthOf(instant))
    },
    drawn,
  )

  it.prop(
    "limits.send.day: a counter holds what happened in the running window, however far apart the events are",
    [FastCheck.array(instants, { minLength: 1, maxLength: 40 }), FastCheck.constantFrom(dayOf, monthOf)],
    ([unordered, windowOf]) => {
      const moments = [...unordered].sort((a, b) => a - b)
      const counter = moments.reduce((sum, moment) => addTo(sum, windowOf(moment), 1), noCount)
      const running = windowOf(moments.at(-1) ?? 0)
      expect(countIn(counter, running)).toBe(moments.filter((moment) => windowOf(moment) === running).length)
    },
    drawn,
  )

  it("limits.send.day: a clock that goes back an hour within a window loses and repeats nothing", () => {
    const day = dayOf(at("2026-10-25T02:30:00Z"))
    const counter = addTo(addTo(noCount, day, 3), dayOf(at("2026-10-25T01:30:00Z")), 1)
    expect(countIn(counter, day)).toBe(4)
  })

  for (const [name, before, after, windowOf] of [
    ["midnight", "2026-03-01T23:30:00Z", "2026-03-02T00:30:00Z", dayOf],
    ["the 1st", "2026-02-28T23:30:00Z", "2026-03-01T00:30:00Z", monthOf],
    ["New Year", "2026-12-31T23:30:00Z", "2027-01-01T00:30:00Z", monthOf],
  ] as const)
    it(`limits.send.day: a clock that goes back an hour over ${name} turns the window once`, () => {
      const [earlier, later] = [windowOf(at(before)), windowOf(at(after))]
      const back = addTo(addTo(noCount, later, 3), earlier, 1)
      expect(back).toEqual({ window: later, count: 4 })
      expect(countIn(back, earlier)).toBe(4)
      expect(countIn(addTo(back, later, 1), later)).toBe(5)
      expect(windowIn(back, earlier)).toBe(later)
      expect(windowIn(noCount, earlier)).toBe(earlier)
    })

  it("a counter of an earlier window counts nothing here", () => {
    const counter = addTo(noCount, "2026-03-01", 7)
    expect(countIn(counter, "2026-03-02")).toBe(0)
    expect(countIn(noCount, "2026-03-02")).toBe(0)
    expect(addTo(counter, "2026-03-02", 1)).toEqual({ window: "2026-03-02", count: 1 })
  })

  it("decisions.send.refused: giving back never brings a counter below nothing", () => {
    expect(addTo(noCount, "2026-03-01", -1)).toEqual({ window: "2026-03-01", count: 0 })
  })
})
