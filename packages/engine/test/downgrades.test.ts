/** What a change of the plan does to mailboxes, messages and storage (decisions §3, Downgrade or payment lapse). */
import { describe, expect } from "@effect/vitest"
import { GB } from "@mailroom/domain"
import { Effect, TestClock } from "effect"
import { received } from "./support/arrivals.js"
import { changeAccount } from "./support/changes.js"
import { rule } from "./support/mailroom.js"
import { type Owner, pay, paying } from "./support/owners.js"
import {
  addMailboxes,
  changePlan,
  lapses,
  lastOf,
  mailboxAt,
  mailboxesOf,
  setStatus,
} from "./support/plans.js"
import { accountOf, eventsOf, listed, mailboxOf, subjectsOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { upload } from "./support/sends.js"

/** Those that run, by their local parts. */
const running = (owner: Owner) =>
  Effect.map(mailboxesOf(owner), (mailboxes) =>
    mailboxes.filter(({ status }) => status === "ACTIVE").map(({ address }) => address),
  )

describe("a smaller plan", () => {
  rule(
    "lets the oldest mailboxes run and pauses the others, which a larger one starts again",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      yield* addMailboxes(owner, 11)
      expect(yield* changePlan(owner, "Developer")).toMatchObject({
        mailboxCount: 12,
        activeMailboxCount: 10,
      })
      const paused = (yield* mailboxesOf(owner)).filter(({ status }) => status === "paused")
      expect(paused.map(({ address }) => address)).toEqual(["box-11", "box-12"])
      expect(paused.every(({ pausedByBilling }) => pausedByBilling)).toBe(true)
      yield* changePlan(owner, "Growth")
      expect((yield* accountOf(owner)).activeMailboxCount).toBe(12)
    }),
  )

  rule(
    "says when it paused a mailbox, and keeps what the mailbox counted",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      const last = yield* lastOf(owner, 10)
      yield* received(last.fullAddress)
      yield* TestClock.adjust("1 minute")
      yield* changePlan(owner, "Developer")
      const now = yield* mailboxOf(owner, last.id)
      expect(now).toMatchObject({ status: "paused", pausedByBilling: true, receivedThisMonth: 1 })
      expect(now.updatedAt > now.createdAt).toBe(true)
    }),
  )

  rule(
    "leaves those their owner paused to the owner",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      const mine = yield* lastOf(owner, 11)
      yield* setStatus(owner, mine.id, "paused")
      yield* changePlan(owner, "Developer")
      expect((yield* accountOf(owner)).activeMailboxCount).toBe(10)
      yield* changePlan(owner, "Growth")
      expect(yield* mailboxOf(owner, mine.id)).toMatchObject({ status: "paused", pausedByBilling: false })
    }),
  )

  rule(
    "pauses what runs on custom domains beyond its own; a purchase starts it again when there is room for the domain",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      const [first, second] = [yield* mailboxAt(owner, "acme.dev"), yield* mailboxAt(owner, "acme.org")]
      yield* changePlan(owner, "Developer")
      expect((yield* mailboxOf(owner, first.id)).status).toBe("ACTIVE")
      expect(yield* mailboxOf(owner, second.id)).toMatchObject({ status: "paused", pausedByBilling: true })
      yield* changePlan(owner, "Free")
      expect((yield* mailboxOf(owner, first.id)).status).toBe("paused")
      yield* pay(owner, "Developer")
      expect((yield* mailboxOf(owner, first.id)).status).toBe("ACTIVE")
      expect((yield* mailboxOf(owner, second.id)).status).toBe("paused")
    }),
  )

  rule(
    "does not let a paused mailbox start above its limit",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      const last = yield* lastOf(owner, 10)
      yield* changePlan(owner, "Developer")
      expect(yield* refused(setStatus(owner, last.id, "ACTIVE"))).toMatchObject({
        _tag: "MailboxLimitReached",
        limit: 10,
      })
    }),
  )

  rule(
    "hides nothing that is visible, and counts on where the month is",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      yield* received(owner.address, { subject: "Before" })
      yield* changeAccount(owner, { receivedMonth: { window: "2026-03", count: 2000 } })
      const account = yield* changePlan(owner, "Developer")
      expect(account).toMatchObject({ monthlyInboundCount: 2000, monthlyInboundLimit: 2000 })
      yield* received(owner.address, { subject: "After" })
      expect(subjectsOf(yield* listed(owner))).toEqual(["Before"])
      expect((yield* accountOf(owner)).overLimitMessageCount).toBe(1)
    }),
  )

  rule(
    "keeps what is stored, and takes no more of it",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      yield* changeAccount(owner, { storageUsedBytes: 11 * GB })
      yield* changePlan(owner, "Developer")
      expect(yield* accountOf(owner)).toMatchObject({
        storageUsedBytes: 11 * GB,
        storageLimitBytes: 10 * GB,
      })
      expect(yield* refused(upload(owner, "a.bin", new Uint8Array(1)))).toMatchObject({ _tag: "StorageFull" })
    }),
  )
})

describe("a larger plan", () => {
  rule(
    "shows what the smaller one gated, without a second event; a smaller one and another period do not",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Developer")
      yield* changeAccount(owner, { receivedMonth: { window: "2026-03", count: 2000 } })
      yield* received(owner.address, { subject: "Over" })
      yield* changePlan(owner, "Developer", "annual")
      expect(yield* listed(owner)).toEqual([])
      const before = yield* eventsOf(owner)
      yield* changePlan(owner, "Growth")
      expect(subjectsOf(yield* listed(owner))).toEqual(["Over"])
      expect((yield* accountOf(owner)).overLimitMessageCount).toBe(0)
      expect(yield* eventsOf(owner)).toEqual(before)
    }),
  )
})

describe("a lapse", () => {
  rule(
    "keeps the plan's name, requires payment, and leaves as many mailboxes running as Free has",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      yield* addMailboxes(owner, 4)
      yield* mailboxAt(owner, "acme.dev")
      yield* lapses(owner)
      expect(yield* accountOf(owner)).toMatchObject({ plan: "Growth", state: "payment_required" })
      expect(yield* running(owner)).toEqual(["agent", "box-2", "box-3"])
    }),
  )

  rule(
    "gates what arrives until a plan is bought again, whichever it is",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      yield* lapses(owner)
      yield* received(owner.address, { subject: "Meanwhile" })
      expect(yield* listed(owner)).toEqual([])
      yield* pay(owner, "Developer")
      expect(subjectsOf(yield* listed(owner))).toEqual(["Meanwhile"])
    }),
  )

  rule(
    "of a plan that was given up is none",
    Effect.gen(function* () {
      const owner = yield* paying()
      const account = yield* changePlan(owner, "Free")
      yield* lapses(owner)
      expect(yield* accountOf(owner)).toEqual(account)
    }),
  )
})
