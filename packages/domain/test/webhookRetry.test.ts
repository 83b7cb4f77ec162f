import {
  afterAttempt,
  type AttemptResult,
  DAY,
  givesUp,
  HOUR,
  MINUTE,
  parseRetryAfter,
  WEBHOOK_RETRY_DELAYS,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { at, drawn } from "./support/records.js"

const now = at("2026-03-01T09:30:00.000Z")
const answered = (status: number, retryAfter: number | null = null): AttemptResult => ({
  kind: "answered",
  status,
  retryAfter,
})
const unreachable: AttemptResult = { kind: "unreachable", reason: "timeout" }
const schedule = [1 * MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR]

/** How long until the next attempt, or null when there is none. */
const wait = (result: AttemptResult, attempts: number, jitter = 0.5): number | null => {
  const next = afterAttempt(result, attempts, jitter, now)
  return next.kind === "retry" ? next.at - now : null
}

describe("success and the end", () => {
  for (const status of [200, 201, 202, 204, 299])
    it(`decisions.webhook.2xx: ${status} is success`, () => {
      expect(afterAttempt(answered(status), 1, 0.5, now)).toEqual({ kind: "delivered" })
      expect(afterAttempt(answered(status), 6, 0.5, now)).toEqual({ kind: "delivered" })
    })

  for (const status of [100, 199, 300, 301, 302, 307, 308, 400, 401, 404, 409, 429, 500, 502, 503])
    it(`decisions.retry.schedule: ${status} is not, and is tried again`, () => {
      expect(afterAttempt(answered(status), 1, 0.5, now).kind).toBe("retry")
    })

  it("decisions.retry.schedule: no answer is tried again", () => {
    expect(afterAttempt(unreachable, 1, 0.5, now).kind).toBe("retry")
  })

  it("decisions.webhook.410: 410 fails the webhook at once, at any attempt", () => {
    for (const attempts of [1, 3, 6])
      expect(afterAttempt(answered(410, 60), attempts, 0.5, now)).toEqual({ kind: "gone" })
  })

  it("decisions.retry.failed: five retries after the first attempt, then failed", () => {
    for (const result of [unreachable, answered(500), answered(503, 60)]) {
      for (const attempts of [1, 2, 3, 4, 5]) expect(wait(result, attempts), String(attempts)).not.toBeNull()
      for (const attempts of [6, 7, 100])
        expect(afterAttempt(result, attempts, 0.5, now)).toEqual({ kind: "failed" })
    }
  })

  it("decisions.retry.ten: ten failed deliveries in a row fail the webhook", () => {
    expect(givesUp(0)).toBe(false)
    expect(givesUp(9)).toBe(false)
    expect(givesUp(10)).toBe(true)
    expect(givesUp(11)).toBe(true)
  })
})

describe("the schedule", () => {
  it("decisions.retry.schedule: 1 min, 5 min, 30 min, 2 h, 12 h", () => {
    expect([...WEBHOOK_RETRY_DELAYS]).toEqual(schedule)
    expect([1, 2, 3, 4, 5].map((attempts) => wait(unreachable, attempts))).toEqual(schedule)
  })

  it.prop(
    "decisions.retry.schedule: with ±10% jitter, in whole milliseconds",
    [
      FastCheck.integer({ min: 1, max: 5 }),
      FastCheck.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    ],
    ([attempts, jitter]) => {
      const delay = schedule[attempts - 1] ?? 0
      const waited = wait(unreachable, attempts, jitter) ?? 0
      expect(Number.isInteger(waited)).toBe(true)
      expect(waited).toBeGreaterThanOrEqual(delay * 0.9)
      expect(waited).toBeLessThanOrEqual(delay * 1.1)
    },
    drawn,
  )

  it("decisions.retry.schedule: the jitter reaches both ends", () => {
    expect(wait(unreachable, 1, 0)).toBe(54_000)
    expect(wait(unreachable, 1, 0.999_999)).toBe(66_000)
  })
})

describe("Retry-After", () => {
  it("decisions.retry.retry-after: is honoured when it asks for more time", () => {
    expect(wait(answered(503, 600), 1)).toBe(600_000)
    expect(wait(answered(429, 3 * 3600), 4)).toBe(3 * HOUR)
  })

  it("decisions.retry.retry-after: does not bring the schedule forward", () => {
    expect(wait(answered(503, 1), 3)).toBe(30 * MINUTE)
    expect(wait(answered(503, 0), 1)).toBe(MINUTE)
  })

  it("decisions.retry.retry-after: cannot hold a delivery for more than a day", () => {
    expect(wait(answered(503, 999_999_999), 1)).toBe(DAY)
  })

  it("decisions.retry.failed: gives no attempt beyond the last", () => {
    expect(afterAttempt(answered(503, 60), 6, 0.5, now)).toEqual({ kind: "failed" })
  })

  it("RFC 9110 §10.2.3: is a number of seconds", () => {
    expect(parseRetryAfter("120", now)).toBe(120)
    expect(parseRetryAfter(" 120 ", now)).toBe(120)
    expect(parseRetryAfter("0", now)).toBe(0)
  })

  it("RFC 9110 §10.2.3: or a date; one that is over asks for nothing", () => {
    expect(parseRetryAfter("Sun, 01 Mar 2026 09:32:00 GMT", now)).toBe(120)
    expect(parseRetryAfter("Sun, 01 Mar 2026 09:29:00 GMT", now)).toBe(0)
    expect(parseRetryAfter("Sun, 01 Mar 2026 09:30:01 GMT", now + 1)).toBe(1)
  })

  it("RFC 9110 §10.2.3: anything else is no wish", () => {
    for (const value of [
      null,
      "",
      "soon",
      "soon 5",
      "-5",
      "1.5",
      "1e3",
      "NaN",
      "Infinity",
      "2026-03-01T09:32:00Z",
      "Sun Mar 01 2026",
      "Sun, 01 Mar 2026 09:32:00 +0100",
      "Sun, 01 Mar 2026 99:99:99 GMT",
    ])
      expect(parseRetryAfter(value, now), String(value)).toBeNull()
  })

  it.prop(
    "decisions.retry.retry-after: whatever a receiver says, the next attempt is between the schedule and a day",
    [FastCheck.string(), FastCheck.integer({ min: 1, max: 5 })],
    ([value, attempts]) => {
      const waited = wait(answered(503, parseRetryAfter(value, now)), attempts) ?? 0
      expect(waited).toBeGreaterThanOrEqual(schedule[attempts - 1] ?? 0)
      expect(waited).toBeLessThanOrEqual(DAY)
    },
    drawn,
  )
})
