/** Unlocking gated messages, which become visible in place (docs/specification/limits.md). */
import { describe, expect } from "@effect/vitest"
import type { MessageId } from "@mailroom/domain"
import { Accounts, Engine, Mailboxes, Messages, MessageStore } from "@mailroom/engine"
import { Effect, TestClock } from "effect"
import { received, receivedMany } from "./support/arrivals.js"
import { rule } from "./support/mailroom.js"
import { as, type Owner, pay, unverified, verificationToken } from "./support/owners.js"
import {
  accountOf,
  eventsOf,
  itemsOf,
  listed,
  page,
  queryOf,
  subjectsOf,
  threadsOf,
} from "./support/reading.js"

const APRIL = Date.UTC(2026, 3, 1)

const get = (owner: Owner, id: MessageId) =>
  Effect.gen(function* () {
    const messages = yield* Messages
    return yield* messages.get(yield* as(owner), owner.mailboxId, id)
  })

/** The stubs among an account's events. */
const stubsOf = (owner: Owner) =>
  Effect.map(eventsOf(owner), (events) => events.flatMap(({ data }) => ("over_limit" in data ? [data] : [])))

const firstStub = (owner: Owner) =>
  Effect.flatMap(stubsOf(owner), ([stub]) =>
    stub === undefined ? Effect.dieMessage("nothing was gated") : Effect.succeed(stub),
  )

/** An unverified account at its limit of 100, and the mail that arrived after it. */
const overTheCap = (more = 2) => Effect.tap(unverified(), ({ address }) => receivedMany(address, 100 + more))

describe("unlocking", () => {
  rule(
    "by an upgrade shows all messages in place, without a second event",
    Effect.gen(function* () {
      const owner = yield* overTheCap()
      const { message_id } = yield* firstStub(owner)
      const before = yield* eventsOf(owner)
      yield* pay(owner)
      expect((yield* get(owner, message_id)).content.subject).toBe("Mail 101")
      expect(subjectsOf(yield* listed(owner, { limit: 3 }))).toEqual(["Mail 102", "Mail 101", "Mail 100"])
      expect((yield* page(owner)).limits).toMatchObject({ overLimitCount: 0, upgrade: null })
      expect((yield* accountOf(owner)).overLimitMessageCount).toBe(0)
      expect(subjectsOf((yield* threadsOf(owner)).threads)).toContain("Mail 101")
      expect(yield* eventsOf(owner)).toEqual(before)
    }),
  )

  rule(
    "at the start of a month happens at midnight UTC on the first",
    Effect.gen(function* () {
      const owner = yield* overTheCap()
      const before = yield* eventsOf(owner)
      yield* TestClock.setTime(APRIL - 1)
      expect((yield* accountOf(owner)).overLimitMessageCount).toBe(2)
      yield* TestClock.setTime(APRIL)
      expect(yield* accountOf(owner)).toMatchObject({ overLimitMessageCount: 0, monthlyInboundCount: 0 })
      expect(subjectsOf(yield* listed(owner, { limit: 2 }))).toEqual(["Mail 102", "Mail 101"])
      expect(yield* eventsOf(owner)).toEqual(before)
    }),
  )

  rule(
    "at the start of a month happens with the next mail, also without a reader",
    Effect.gen(function* () {
      const owner = yield* overTheCap()
      yield* TestClock.setTime(APRIL)
      yield* received(owner.address, { subject: "In April" })
      const messages = yield* MessageStore
      const { items } = yield* messages.page(queryOf(owner.mailboxId, { limit: 2 }))
      expect(subjectsOf(itemsOf(items))).toEqual(["In April", "Mail 102"])
      expect((yield* accountOf(owner)).monthlyInboundCount).toBe(1)
    }),
  )

  rule(
    "does not count messages of a deleted mailbox that are not purged yet",
    Effect.gen(function* () {
      // The month's cap gates two there; then the trial's cap, which the month's turn does not lift, three here.
      const owner = yield* overTheCap()
      const accounts = yield* Accounts
      yield* accounts.verifyEmail(yield* verificationToken(owner.email))
      const mailboxes = yield* Mailboxes
      const wanted = { localPart: "other", displayName: null, domainId: null }
      const other = yield* mailboxes.create(yield* as(owner), wanted)
      yield* Engine.settle
      yield* receivedMany(other.fullAddress, 13)
      expect((yield* accountOf(owner)).overLimitMessageCount).toBe(5)
      yield* mailboxes.remove(yield* as(owner), owner.mailboxId)
      expect((yield* accountOf(owner)).overLimitMessageCount).toBe(3)
      yield* TestClock.setTime(APRIL)
      expect((yield* accountOf(owner)).overLimitMessageCount).toBe(3)
    }),
  )

  rule(
    "unlocks any number of messages",
    Effect.gen(function* () {
      const owner = yield* overTheCap(1100)
      yield* pay(owner)
      expect((yield* accountOf(owner)).overLimitMessageCount).toBe(0)
      const last = yield* page(owner, { offset: 1100, limit: 100 })
      expect([last.page.items.length, last.page.hasMore]).toEqual([100, false])
    }),
  )
})
