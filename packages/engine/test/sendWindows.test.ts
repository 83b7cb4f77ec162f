/** Resets of the send limits: midnight UTC, the 1st of a month, and clocks that go back (`spec: limits.send.429-day`). */
import { describe, expect } from "@effect/vitest"
import { DAY, HOUR } from "@mailroom/domain"
import { Engine, Mailboxes } from "@mailroom/engine"
import { Effect, TestClock } from "effect"
import { changeMailbox } from "./support/changes.js"
import { takingTurns } from "./support/concurrency.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { as, paying } from "./support/owners.js"
import { accountOf, mailboxOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { send, sendAtOnce } from "./support/sends.js"

const dayOf = (instant: number) => new Date(instant).toISOString().slice(0, 10)
const monthOf = (instant: number) => new Date(instant).toISOString().slice(0, 7)

describe("the day of a mailbox", () => {
  for (const [name, midnight] of [
    ["an ordinary day", Date.UTC(2026, 2, 11)],
    ["the last of a month", Date.UTC(2026, 3, 1)],
    ["28 February of a leap year", Date.UTC(2028, 1, 29)],
    ["a leap day", Date.UTC(2028, 2, 1)],
    ["New Year's Eve", Date.UTC(2027, 0, 1)],
  ] as const)
    rule(
      `is over a millisecond after ${name} ends, not before`,
      Effect.gen(function* () {
        const owner = yield* paying()
        yield* TestClock.setTime(midnight - 1)
        yield* changeMailbox(owner, { sentDay: { window: dayOf(midnight - 1), count: 499 } })
        expect((yield* send(owner)).status).toBe("SENT")
        expect(yield* refused(send(owner))).toEqual({
          _tag: "DailySendLimitReached",
          of: "mailbox",
          limit: 500,
          retryAfter: 1,
        })
        yield* TestClock.setTime(midnight)
        expect((yield* send(owner)).status).toBe("SENT")
        expect((yield* mailboxOf(owner)).dailySendCount).toBe(1)
        expect((yield* accountOf(owner)).sentToday).toBe(1)
      }),
    )

  rule(
    "resets once, when the clock goes back over midnight",
    Effect.gen(function* () {
      const owner = yield* paying()
      const midnight = Date.UTC(2026, 2, 11)
      yield* TestClock.setTime(midnight)
      yield* changeMailbox(owner, { sentDay: { window: dayOf(midnight), count: 498 } })
      yield* send(owner)
      yield* TestClock.setTime(midnight - HOUR)
      yield* send(owner)
      expect(yield* refused(send(owner))).toMatchObject({ retryAfter: (DAY + HOUR) / 1000 })
      yield* TestClock.setTime(midnight + DAY - 1)
      expect(yield* refused(send(owner))).toMatchObject({ _tag: "DailySendLimitReached", retryAfter: 1 })
      yield* TestClock.setTime(midnight + DAY)
      expect((yield* send(owner)).status).toBe("SENT")
    }),
  )
})

describe("the month of a mailbox", () => {
  for (const [name, first] of [
    ["a month of 31 days", Date.UTC(2026, 3, 1)],
    ["a leap February", Date.UTC(2028, 2, 1)],
    ["a year", Date.UTC(2027, 0, 1)],
  ] as const)
    rule(
      `is over a millisecond after ${name} ends, not before`,
      Effect.gen(function* () {
        const owner = yield* paying()
        yield* TestClock.setTime(first - 1)
        yield* changeMailbox(owner, { sentMonth: { window: monthOf(first - 1), count: 14_999 } })
        expect((yield* send(owner)).status).toBe("SENT")
        expect(yield* refused(send(owner))).toEqual({
          _tag: "MonthlySendLimitReached",
          limit: 15_000,
          retryAfter: 1,
        })
        yield* TestClock.setTime(first)
        expect((yield* send(owner)).status).toBe("SENT")
        expect(yield* mailboxOf(owner)).toMatchObject({ dailySendCount: 1, monthlySendCount: 1 })
      }),
    )
})

describe("the counters of an account", () => {
  ruleWith(takingTurns)(
    "count every send of concurrent mailboxes",
    Effect.gen(function* () {
      const owner = yield* paying()
      const mailboxes = yield* Mailboxes
      const wanted = { localPart: "second", displayName: null, domainId: null }
      const second = { ...owner, mailboxId: (yield* mailboxes.create(yield* as(owner), wanted)).id }
      yield* Engine.settle
      yield* Effect.all([sendAtOnce(owner, 12), sendAtOnce(second, 13)], { concurrency: "unbounded" })
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 25, sentThisMonth: 25 })
      expect((yield* mailboxOf(owner)).dailySendCount).toBe(12)
      expect((yield* mailboxOf(owner, second.mailboxId)).dailySendCount).toBe(13)
    }),
  )
})
