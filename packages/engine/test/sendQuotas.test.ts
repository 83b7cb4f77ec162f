/** The send limits of a mailbox (`spec: limits.send.day`, `limits.send.month`, `limits.send.velocity`). */
import { describe, expect } from "@effect/vitest"
import { Mailboxes } from "@mailroom/engine"
import { Effect, TestClock } from "effect"
import { changeAccount, changeMailbox } from "./support/changes.js"
import { rule, ruleUnder, ruleWith } from "./support/mailroom.js"
import { mailsTo, outbox } from "./support/outbox.js"
import { as, paying, verified } from "./support/owners.js"
import { accountOf, listed, mailboxOf } from "./support/reading.js"
import { takingTurns } from "./support/concurrency.js"
import { refused } from "./support/refused.js"
import { RECIPIENT, send, sendAtOnce } from "./support/sends.js"

describe("the quotas of a mailbox", () => {
  const sentOf = (outcomes: ReadonlyArray<{ readonly _tag: "Left" | "Right" }>) =>
    outcomes.filter(({ _tag }) => _tag === "Right").length
  const refusalsOf = (outcomes: Effect.Effect.Success<ReturnType<typeof sendAtOnce>>) => [
    ...new Set(outcomes.flatMap((outcome) => (outcome._tag === "Left" ? [outcome.left._tag] : []))),
  ]

  for (const [what, left, refusal] of [
    ["the day", { sentDay: { window: "2026-03-10", count: 497 } }, "DailySendLimitReached"],
    ["the month", { sentMonth: { window: "2026-03", count: 14_997 } }, "MonthlySendLimitReached"],
    ["the minute", { sentMinute: { window: "2026-03-10T12:00Z", count: 57 } }, "SendVelocityExceeded"],
  ] as const)
    ruleWith(takingTurns)(
      `with three sends of ${what} left, ten at once give exactly three`,
      Effect.gen(function* () {
        const owner = yield* paying()
        yield* changeMailbox(owner, left)
        const outcomes = yield* sendAtOnce(owner, 10)
        expect(sentOf(outcomes)).toBe(3)
        expect(refusalsOf(outcomes)).toEqual([refusal])
        expect(yield* mailsTo(RECIPIENT)).toHaveLength(3)
        expect(yield* listed(owner)).toHaveLength(3)
      }),
    )

  rule(
    "are not had again by deleting the mailbox: all mailboxes of the plan together limit the account's day",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* changeAccount(owner, { sentDay: { window: "2026-03-10", count: 10 * 500 - 1 } })
      const mailboxes = yield* Mailboxes
      yield* send(owner)
      yield* mailboxes.remove(yield* as(owner), owner.mailboxId)
      const made = yield* mailboxes.create(yield* as(owner), {
        localPart: "agent",
        displayName: null,
        domainId: null,
      })
      const again = { ...owner, mailboxId: made.id }
      expect(yield* refused(send(again))).toMatchObject({
        _tag: "DailySendLimitReached",
        of: "account",
        limit: 5000,
        retryAfter: 12 * 3600,
      })
      yield* TestClock.setTime(Date.UTC(2026, 2, 11))
      yield* send(again)
    }),
  )

  rule(
    "count sends of the day and the month, for the mailbox and the account",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* send(owner)
      yield* send(owner)
      expect(yield* mailboxOf(owner)).toMatchObject({ dailySendCount: 2, monthlySendCount: 2 })
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 2, sentThisMonth: 2 })
      yield* TestClock.setTime(Date.UTC(2026, 2, 11) - 1)
      expect(yield* mailboxOf(owner)).toMatchObject({ dailySendCount: 2 })
      yield* TestClock.setTime(Date.UTC(2026, 2, 11))
      expect(yield* mailboxOf(owner)).toMatchObject({ dailySendCount: 0, monthlySendCount: 2 })
      yield* TestClock.setTime(Date.UTC(2026, 3, 1))
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 0, sentThisMonth: 0 })
      expect(yield* mailboxOf(owner)).toMatchObject({ dailySendCount: 0, monthlySendCount: 0 })
    }),
  )

  rule(
    "reset at the next minute, day and month, which the error names",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* TestClock.setTime(Date.UTC(2026, 2, 31, 23, 59, 30))
      yield* changeMailbox(owner, { sentMinute: { window: "2026-03-31T23:59Z", count: 60 } })
      expect(yield* refused(send(owner))).toMatchObject({
        _tag: "SendVelocityExceeded",
        limit: 60,
        retryAfter: 30,
      })
      yield* changeMailbox(owner, {
        sentDay: { window: "2026-03-31", count: 500 },
        sentMinute: { window: "", count: 0 },
      })
      expect(yield* refused(send(owner))).toMatchObject({
        _tag: "DailySendLimitReached",
        limit: 500,
        retryAfter: 30,
      })
      yield* changeMailbox(owner, {
        sentMonth: { window: "2026-03", count: 15_000 },
        sentDay: { window: "", count: 0 },
      })
      expect(yield* refused(send(owner))).toMatchObject({
        _tag: "MonthlySendLimitReached",
        limit: 15_000,
        retryAfter: 30,
      })
      yield* TestClock.adjust("30 seconds")
      expect((yield* send(owner)).status).toBe("SENT")
    }),
  )

  rule(
    "are separate for each mailbox",
    Effect.gen(function* () {
      const owner = yield* paying()
      const mailboxes = yield* Mailboxes
      const wanted = { localPart: "second", displayName: null, domainId: null }
      const second = yield* mailboxes.create(yield* as(owner), wanted)
      yield* changeMailbox(owner, { sentDay: { window: "2026-03-10", count: 500 } })
      expect(yield* refused(send(owner))).toMatchObject({ _tag: "DailySendLimitReached" })
      expect((yield* send({ ...owner, mailboxId: second.id })).status).toBe("SENT")
    }),
  )

  ruleUnder({ sendVelocityPerMinute: 2, billing: "none" })(
    "have a velocity that the operator sets",
    Effect.gen(function* () {
      const owner = yield* verified()
      expect(sentOf(yield* sendAtOnce(owner, 4))).toBe(2)
      yield* TestClock.adjust("1 minute")
      expect(sentOf(yield* sendAtOnce(owner, 4))).toBe(2)
      expect(yield* outbox).toHaveLength(1 + 4)
    }),
  )
})
