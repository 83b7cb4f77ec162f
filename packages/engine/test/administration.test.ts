/**
 * The operator's routes over all accounts, and plans without payment (`spec: decisions.admin.accounts`;
 * docs/decisions/0020).
 */
import { describe, expect } from "@effect/vitest"
import { AccountId, type Complaint, DAY, Plan, timestamp } from "@mailroom/domain"
import {
  AccountStore,
  Administration,
  EventStore,
  Mailboxes,
  type MessageRecord,
  Transactions,
} from "@mailroom/engine"
import { Effect, TestClock } from "effect"
import { accepted, aMail, received, receivedMany } from "./support/arrivals.js"
import { changeAccount, suspendAccount } from "./support/changes.js"
import { NOON, rule, ruleUnder } from "./support/mailroom.js"
import { as, type Owner, paying, signUp, unverified, verified } from "./support/owners.js"
import { lastOf, setStatus } from "./support/plans.js"
import { accountOf, eventsOf, listed } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { send } from "./support/sends.js"
import { subscribe } from "./support/webhooks.js"

const search = (text: string | null, limit = 100, before: AccountId | null = null) =>
  Effect.flatMap(Administration, (admin) => admin.accounts({ search: text, limit, before }))

const slugsOf = (text: string | null) =>
  Effect.map(search(text), ({ items }) => items.map(({ slug }) => slug))

const setPlan = (owner: Owner, plan: Plan) =>
  Effect.gen(function* () {
    const admin = yield* Administration
    return yield* admin.setPlan((yield* as(owner)).account.id, plan)
  })

describe("the list of accounts", () => {
  rule(
    "shows each as its owner sees it, newest first",
    Effect.gen(function* () {
      const one = yield* unverified("one")
      const two = yield* paying("two")
      yield* suspendAccount(one)
      expect((yield* search(null)).items).toEqual([yield* accountOf(two), yield* accountOf(one)])
    }),
  )

  rule(
    "finds accounts by the start of an email or slug, in any case",
    Effect.gen(function* () {
      yield* signUp("zebra", { email: "Lea@Stable.dev" })
      yield* signUp("lea-too")
      yield* signUp("other", { email: "mia@lea.dev" })
      expect(yield* slugsOf("lea")).toEqual(["lea-too", "zebra"])
      expect(yield* slugsOf("LEA@st")).toEqual(["zebra"])
      expect(yield* slugsOf("Zeb")).toEqual(["zebra"])
      expect(yield* slugsOf("ebra")).toEqual([])
      expect(yield* slugsOf("le%")).toEqual([])
    }),
  )

  rule(
    "finds an account by its whole id, not by a part of it",
    Effect.gen(function* () {
      const { account } = yield* signUp("acme")
      yield* signUp("other")
      expect(yield* slugsOf(account.id)).toEqual(["acme"])
      expect(yield* slugsOf(account.id.toUpperCase())).toEqual(["acme"])
      expect(yield* slugsOf(account.id.slice(0, 20))).toEqual([])
      expect(yield* slugsOf("01900000-0000-7000-8000-000000000000")).toEqual([])
    }),
  )

  rule(
    "has pages with every account once",
    Effect.gen(function* () {
      const slugs = Array.from({ length: 7 }, (_, index) => `acme-${index}`)
      for (const slug of slugs) yield* signUp(slug)
      for (const text of [null, "acme"]) {
        const seen: Array<string> = []
        let before: AccountId | null = null
        for (;;) {
          const page: Effect.Effect.Success<ReturnType<typeof search>> = yield* search(text, 3, before)
          expect(page.items.length).toBeLessThanOrEqual(3)
          seen.push(...page.items.map(({ slug }) => slug))
          if (page.next === null) break
          before = page.next
        }
        expect(seen).toEqual([...slugs].reverse())
      }
    }),
  )

  rule(
    "has no next page when the last one is full",
    Effect.gen(function* () {
      for (const slug of ["one", "two"]) yield* signUp(slug)
      expect((yield* search(null, 2)).next).toBeNull()
      expect((yield* search("on", 1)).next).toBeNull()
    }),
  )

  rule(
    "refuses a search that matches more than 1,000 accounts",
    Effect.gen(function* () {
      const { account } = yield* signUp("acme")
      const accounts = yield* AccountStore
      const transactions = yield* Transactions
      const copy = (index: number) =>
        accounts.insert({
          ...account,
          id: AccountId.make(`01900000-0000-7000-8000-${index.toString().padStart(12, "0")}`),
          email: `crowd-${index}@acme.dev`,
          slug: `s${index}`,
        })
      const many = Array.from({ length: 1000 }, (_, index) => index)
      yield* transactions.run(Effect.forEach(many, copy, { discard: true }))
      expect((yield* search("crowd", 100)).items).toHaveLength(100)
      yield* copy(1000)
      expect(yield* refused(search("crowd"))).toMatchObject({
        _tag: "InvalidInput",
        issues: [{ path: "q", message: expect.stringContaining("1000") }],
      })
      expect(yield* slugsOf("crowd-1000")).toEqual(["s1000"])
    }),
  )
})

describe("a mailbox that the operator suspends", () => {
  rule(
    "is not active, and keeps its place in the plan",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      const last = yield* lastOf(owner, 11)
      yield* setPlan(owner, "Developer")
      const admin = yield* Administration
      yield* admin.suspendMailbox(owner.mailboxId, null)
      const counts = { mailboxCount: 12, activeMailboxCount: 9 }
      expect(yield* accountOf(owner)).toMatchObject(counts)
      expect((yield* search("acme")).items).toMatchObject([counts])
      expect(yield* refused(setStatus(owner, last.id, "ACTIVE"))).toMatchObject({
        _tag: "MailboxLimitReached",
      })
      expect(yield* admin.unsuspendMailbox(owner.mailboxId)).toMatchObject({ status: "ACTIVE" })
    }),
  )
})

describe("a plan from the operator", () => {
  for (const plan of Plan.literals)
    rule(
      `can be ${plan}, without payment`,
      Effect.gen(function* () {
        const owner = yield* verified()
        expect(yield* setPlan(owner, plan)).toMatchObject({
          plan,
          state: plan === "Free" ? "trial" : "active",
          billingLinked: false,
        })
        expect(yield* setPlan(owner, plan)).toEqual(yield* accountOf(owner))
      }),
    )

  rule(
    "with a higher inbound limit unlocks gated messages in place, without a second event",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* receivedMany(owner.address, 102)
      const before = yield* eventsOf(owner)
      expect(yield* setPlan(owner, "Developer")).toMatchObject({ overLimitMessageCount: 0 })
      expect(yield* listed(owner, { limit: 2 })).toMatchObject([
        { subject: "Mail 102" },
        { subject: "Mail 101" },
      ])
      expect(yield* eventsOf(owner)).toEqual(before)
    }),
  )

  rule(
    "with the same inbound limit unlocks nothing",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Scale")
      yield* changeAccount(owner, { plan: "Developer", receivedMonth: { window: "2026-03", count: 2000 } })
      yield* received(owner.address)
      for (const plan of ["Developer", "Free"] as const)
        expect(yield* setPlan(owner, plan)).toMatchObject({ overLimitMessageCount: 1 })
      expect(yield* setPlan(owner, "Growth")).toMatchObject({ overLimitMessageCount: 0 })
    }),
  )

  rule(
    "ends a lapse and unlocks the messages gated in it",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* changeAccount(owner, { lapsed: true })
      yield* received(owner.address)
      expect(yield* accountOf(owner)).toMatchObject({ state: "payment_required", overLimitMessageCount: 1 })
      expect(yield* setPlan(owner, "Developer")).toMatchObject({ state: "active", overLimitMessageCount: 0 })
    }),
  )

  rule(
    "clears an intent to buy, and replaces a period without a price by monthly",
    Effect.gen(function* () {
      const owner = yield* verified("acme", { plan: "Growth", period: "annual" })
      yield* changeAccount(owner, { billingPeriod: "annual" })
      expect((yield* setPlan(owner, "Growth")).billingPeriod).toBe("annual")
      expect((yield* as(owner)).account).toMatchObject({ intentPlan: null, intentPeriod: null })
      expect((yield* setPlan(owner, "Scale")).billingPeriod).toBe("monthly")
    }),
  )

  ruleUnder({ billing: "none" })(
    "works with billing off",
    Effect.gen(function* () {
      const owner = yield* verified()
      expect(yield* setPlan(owner, "Scale")).toMatchObject({ plan: "Scale", state: "active" })
      expect(yield* setPlan(owner, "Free")).toMatchObject({ plan: "Free", state: "active" })
    }),
  )

  rule(
    "does not end a suspension",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* suspendAccount(owner)
      expect(yield* setPlan(owner, "Scale")).toMatchObject({ plan: "Scale", state: "suspended" })
    }),
  )
})

describe("complaints", () => {
  /** Applies a feedback report about a sent message. */
  const complained = (owner: Owner, { content }: MessageRecord, at: number) =>
    Effect.gen(function* () {
      const events = yield* EventStore
      const { account } = yield* as(owner)
      const envelope = {
        event: "message.complaint",
        timestamp: timestamp(at),
        data: {
          message_id: content.id,
          mailbox_id: owner.mailboxId,
          mailbox_address: owner.address,
          rfc_message_id: content.messageId,
          complained_recipients: content.toAddresses,
          complained_at: timestamp(at),
        },
      }
      yield* events.append([
        {
          accountId: account.id,
          mailboxId: owner.mailboxId,
          kind: "message.complaint",
          envelope: JSON.stringify(envelope),
          happenedAt: at,
          random: 7,
        },
      ])
      return {
        accountId: account.id,
        slug: account.slug,
        mailboxId: owner.mailboxId,
        messageId: content.id,
        recipients: content.toAddresses,
        at: timestamp(at),
      } satisfies Complaint
    })

  rule(
    "are listed across accounts, newest first, once each",
    Effect.gen(function* () {
      const admin = yield* Administration
      const [one, two] = [yield* paying("one"), yield* paying("two")]
      const first = yield* complained(one, yield* send(one), NOON)
      const second = yield* complained(two, yield* send(two), NOON + 1)
      const third = yield* complained(one, yield* send(one), NOON + 2)
      expect(yield* admin.complaints({ before: null, limit: 10 })).toEqual({
        items: [third, second, first],
        next: null,
      })
      const start = yield* admin.complaints({ before: null, limit: 2 })
      expect(start.items).toEqual([third, second])
      expect(yield* admin.complaints({ before: start.next, limit: 2 })).toEqual({
        items: [first],
        next: null,
      })
    }),
  )

  rule(
    "do not include other events",
    Effect.gen(function* () {
      const admin = yield* Administration
      const owner = yield* paying()
      yield* send(owner)
      yield* received(owner.address)
      expect(yield* admin.complaints({ before: null, limit: 10 })).toEqual({ items: [], next: null })
    }),
  )
})

describe("the numbers", () => {
  const stats = Effect.flatMap(Administration, (admin) => admin.stats)

  rule(
    "count accounts, mailboxes, and waiting work",
    Effect.gen(function* () {
      expect(yield* stats).toEqual({
        countedTo: 100_000,
        accounts: 0,
        suspendedAccounts: 0,
        mailboxes: 0,
        stoppedMailboxes: 0,
        messagesToday: 0,
        queuedMails: 0,
        waitingDeliveries: 0,
        waitingJobs: 0,
      })
      const owner = yield* paying("acme")
      const mailboxes = yield* Mailboxes
      yield* mailboxes.create(yield* as(owner), { localPart: "two", displayName: null, domainId: null })
      yield* suspendAccount(yield* unverified("other"))
      yield* subscribe(owner, { events: ["message.sent"] })
      yield* received(owner.address)
      yield* send(owner)
      yield* accepted(owner.address, aMail({ subject: "Queued" }))
      yield* signUp("third")
      expect(yield* stats).toEqual({
        countedTo: 100_000,
        accounts: 3,
        suspendedAccounts: 1,
        mailboxes: 4,
        stoppedMailboxes: 0,
        messagesToday: 2,
        queuedMails: 1,
        waitingDeliveries: 1,
        waitingJobs: 2,
      })
    }),
  )

  rule(
    "count messages from midnight UTC",
    Effect.gen(function* () {
      const owner = yield* paying()
      const midnight = Date.UTC(2026, 2, 11)
      yield* TestClock.setTime(midnight - 1)
      yield* received(owner.address, { subject: "Late" })
      expect((yield* stats).messagesToday).toBe(1)
      yield* TestClock.setTime(midnight)
      expect((yield* stats).messagesToday).toBe(0)
      yield* received(owner.address, { subject: "Early" })
      yield* TestClock.setTime(midnight + DAY - 1)
      expect((yield* stats).messagesToday).toBe(1)
    }),
  )
})
