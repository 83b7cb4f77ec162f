/** Effects of a plan change on mailboxes, messages and storage (`spec: decisions.downgrade`). */
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

/** Local parts of the ACTIVE mailboxes. */
const running = (owner: Owner) =>
  Effect.map(mailboxesOf(owner), (mailboxes) =>
    mailboxes.filter(({ status }) => status === "ACTIVE").map(({ address }) => address),
  )

describe("a smaller plan", () => {
  rule(
    "keeps the oldest mailboxes ACTIVE and pauses the others, which a larger plan reactivates",
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
    "sets `updatedAt` of a paused mailbox and keeps its counters",
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
    "does not change mailboxes that the owner paused",
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
    "pauses mailboxes on more custom domains than it allows; a purchase reactivates them when it allows the domain",
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
    "refuses to activate a paused mailbox above its limit",
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
    "hides no visible message, and keeps the counters of the month",
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
    "keeps stored files and refuses new ones above its limit",
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
    "unlocks messages that the smaller plan gated, without a second event; a smaller plan or another period does not",
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
    "keeps the plan's name, requires payment, and leaves as many mailboxes ACTIVE as Free allows",
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
    "gates new messages until any plan is bought",
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
    "does not apply to a cancelled plan",
    Effect.gen(function* () {
      const owner = yield* paying()
      const account = yield* changePlan(owner, "Free")
      yield* lapses(owner)
      expect(yield* accountOf(owner)).toEqual(account)
    }),
  )
})
