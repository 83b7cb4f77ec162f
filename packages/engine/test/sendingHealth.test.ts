/** Warnings and stops of mailboxes whose mail bounces or annoys (`spec: reputation.health.*`). */
import { describe, expect, it } from "@effect/vitest"
import { Engine, Mailboxes, MessageChanges, Retention, Suppressions } from "@mailroom/engine"
import { DAY } from "@mailroom/domain"
import { clockAt } from "@mailroom/testing"
import { freshDatabase } from "@mailroom/test-services"
import { Effect, Layer, TestClock } from "effect"
import { report, reporting, sendTo } from "./support/harm.js"
import { NOON, rule } from "./support/mailroom.js"
import { mailsTo } from "./support/outbox.js"
import { as, type Owner, paying } from "./support/owners.js"
import { engineOn } from "./support/postgres.js"
import { eventsOf, listed, mailboxOf } from "./support/reading.js"
import { refused } from "./support/refused.js"

/** The events about the sending of the mailbox, by their kind and reason. */
const verdicts = (owner: Owner) =>
  Effect.map(eventsOf(owner), (events) =>
    events.flatMap((event) =>
      event.event === "mailbox.sending_warning" || event.event === "mailbox.sending_stopped"
        ? [`${event.event} ${event.data.reason} ${event.data.sends}`]
        : [],
    ),
  )

const resume = (owner: Owner) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    return yield* mailboxes.resumeSending(yield* as(owner), owner.mailboxId)
  })

describe("too many hard bounces", () => {
  rule(
    "stop nothing below 50 sends; the 50th send stops: event, refusal, one mail to the owner",
    Effect.gen(function* () {
      const owner = yield* paying()
      const sent = yield* sendTo(owner, 49)
      yield* report(sent.slice(0, 6))
      expect(yield* verdicts(owner)).toEqual([])
      expect((yield* mailboxOf(owner)).sendingStopped).toBeNull()
      yield* sendTo(owner, 1)
      expect(yield* verdicts(owner)).toEqual(["mailbox.sending_stopped BOUNCES 50"])
      expect((yield* mailboxOf(owner)).sendingStopped).toEqual({
        at: "2026-03-10T12:00:00.000Z",
        reason: "BOUNCES",
      })
      expect(yield* refused(sendTo(owner, 1))).toMatchObject({ _tag: "SendingIsStopped", reason: "BOUNCES" })
      yield* report(sent.slice(6, 8))
      yield* Engine.settle
      expect(yield* verdicts(owner)).toHaveLength(1)
      const mails = (yield* mailsTo(owner.email)).filter(({ mail }) => mail.subject.includes("is stopped"))
      expect(mails).toHaveLength(1)
    }),
  )

  rule(
    "5 of 50 only warn, once; 6 stop. Soft bounces and repeated reports do not count",
    Effect.gen(function* () {
      const owner = yield* paying()
      const sent = yield* sendTo(owner, 50)
      yield* report(sent.slice(40, 50), "bounced", false)
      yield* report(sent.slice(0, 5))
      yield* report(sent.slice(0, 5))
      expect(yield* verdicts(owner)).toEqual(["mailbox.sending_warning BOUNCES 50"])
      expect((yield* mailboxOf(owner)).sendingStopped).toBeNull()
      yield* report(sent.slice(5, 6))
      expect(yield* verdicts(owner)).toEqual([
        "mailbox.sending_warning BOUNCES 50",
        "mailbox.sending_stopped BOUNCES 50",
      ])
    }),
  )

  rule(
    "warn again after good sends have made the mailbox healthy",
    Effect.gen(function* () {
      const owner = yield* paying()
      const sent = yield* sendTo(owner, 50)
      yield* report(sent.slice(0, 3))
      yield* sendTo(owner, 20)
      yield* report(sent.slice(3, 4))
      expect(yield* verdicts(owner)).toEqual([
        "mailbox.sending_warning BOUNCES 50",
        "mailbox.sending_warning BOUNCES 70",
      ])
      yield* report(sent.slice(4, 5))
      expect(yield* verdicts(owner)).toHaveLength(2)
    }),
  )
})

rule(
  "bounces of deleted messages count, and suppress, for 10 days after the deletion",
  Effect.gen(function* () {
    const owner = yield* paying()
    const changes = yield* MessageChanges
    const sent = yield* sendTo(owner, 50)
    for (const { id } of yield* listed(owner)) yield* changes.remove(yield* as(owner), owner.mailboxId, id)
    yield* report(sent.slice(0, 5))
    yield* report(sent.slice(0, 5))
    expect(yield* verdicts(owner)).toEqual(["mailbox.sending_warning BOUNCES 50"])
    const { suppressions } = yield* Effect.flatMap(Suppressions, ({ list }) =>
      Effect.flatMap(as(owner), (principal) => list(principal, { email: null, before: null, limit: 10 })),
    )
    expect(suppressions.map(({ reason }) => reason)).toEqual(Array.from({ length: 5 }, () => "BOUNCE"))
    expect((yield* eventsOf(owner)).filter(({ event }) => event === "message.bounced")).toEqual([])
    yield* TestClock.adjust(10 * DAY + 1)
    yield* Effect.flatMap(Retention, ({ sweep }) => sweep)
    yield* report(sent.slice(5, 6))
    expect((yield* mailboxOf(owner)).sendingStopped).toBeNull()
  }),
)

rule(
  "1 complaint of 200 sends warns, 2 stop",
  Effect.gen(function* () {
    const owner = yield* paying()
    const sent = yield* sendTo(owner, 50)
    for (let batch = 0; batch < 3; batch++) yield* sendTo(owner, 50)
    yield* report(sent.slice(0, 1), "complained")
    expect(yield* verdicts(owner)).toEqual(["mailbox.sending_warning COMPLAINTS 200"])
    yield* report(sent.slice(1, 2), "complained")
    expect((yield* mailboxOf(owner)).sendingStopped).toMatchObject({ reason: "COMPLAINTS" })
  }),
)

rule(
  "a resumed mailbox sends, and late reports about earlier mail do not stop it again",
  Effect.gen(function* () {
    const owner = yield* paying()
    expect((yield* resume(owner)).sendingStopped).toBeNull()
    const sent = yield* sendTo(owner, 50)
    yield* report(sent.slice(0, 5))
    yield* resume(owner)
    yield* report(sent.slice(5, 6))
    expect((yield* mailboxOf(owner)).sendingStopped).not.toBeNull()
    expect((yield* resume(owner)).sendingStopped).toBeNull()
    const next = yield* sendTo(owner, 50)
    yield* report(sent.slice(6, 20))
    yield* report(next.slice(0, 2))
    expect((yield* mailboxOf(owner)).sendingStopped).toBeNull()
    yield* report(next.slice(2, 6))
    expect((yield* mailboxOf(owner)).sendingStopped).not.toBeNull()
  }),
)

/** 5 hard bounces of 50 to 54 sends warn once, in any order; 6 more at the same time stop once. */
const atOnce = Effect.gen(function* () {
  const owner = yield* paying()
  const sent = yield* sendTo(owner, 50)
  const sending = [sendTo(owner, 2), sendTo(owner, 2)]
  yield* Effect.all(
    [...(yield* reporting(sent.slice(0, 2))), ...sending, ...(yield* reporting(sent.slice(2, 5)))],
    {
      concurrency: "unbounded",
    },
  )
  expect(yield* verdicts(owner)).toMatchObject([expect.stringContaining("sending_warning")])
  yield* Effect.all(yield* reporting(sent.slice(5, 11)), { concurrency: "unbounded" })
  expect((yield* verdicts(owner)).slice(1)).toEqual(["mailbox.sending_stopped BOUNCES 54"])
})

rule("sends and reports at the same time are judged exactly, on SQLite", atOnce)

it.scoped("sends and reports at the same time are judged exactly, on Postgres", () =>
  Effect.flatMap(freshDatabase(), (url) =>
    Effect.provide(atOnce, Layer.merge(engineOn(url, "one", Layer.empty), clockAt(NOON))),
  ),
)
