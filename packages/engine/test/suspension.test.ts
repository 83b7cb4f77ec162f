/** The operator's suspension of accounts and mailboxes (`spec: decisions.state.suspended`, `states.mailbox.suspended`). */
import { describe, expect } from "@effect/vitest"
import { AccountId, MailboxId } from "@mailroom/domain"
import { Administration, Engine, Mailboxes, MailSpool, Signals } from "@mailroom/engine"
import { Effect, Fiber, TestClock } from "effect"
import { accepted, aMail, received, receivedMany } from "./support/arrivals.js"
import { changeAccount, changeMailbox, suspendAccount, unsuspendAccount } from "./support/changes.js"
import { takingTurns } from "./support/concurrency.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, pay, paying, verified } from "./support/owners.js"
import { accountOf, eventsOf, listed, mailboxOf, subjectsOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { send, sendAtOnce } from "./support/sends.js"
import { answered, answers, countTo, requestsTo, subscribe, URL_ONE, URL_TWO } from "./support/webhooks.js"

const ABSENT = "01900000-0000-7000-8000-000000000000"

const verdict = (address: string) =>
  Effect.flatMap(MailSpool, ({ recipients }) =>
    Effect.map(recipients([{ from: "ada@example.org", to: address }]), ([one]) => one?.kind),
  )

const suspendMailbox = (owner: Owner, reason: string | null = "spam") =>
  Effect.flatMap(Administration, (admin) => admin.suspendMailbox(owner.mailboxId, reason))

const unsuspendMailbox = (owner: Owner) =>
  Effect.flatMap(Administration, (admin) => admin.unsuspendMailbox(owner.mailboxId))

const start = (owner: Owner) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    const change = { displayName: undefined, status: "ACTIVE" } as const
    return yield* mailboxes.update(yield* as(owner), owner.mailboxId, change)
  })

const subjectsTo = (url: string) =>
  Effect.map(requestsTo(url), (requests) => requests.map(({ body }) => /"subject":"([^"]*)"/.exec(body)?.[1]))

describe("a suspended account", () => {
  rule(
    "shows the suspension and its reason; a second suspension only changes the reason",
    Effect.gen(function* () {
      const owner = yield* paying()
      const admin = yield* Administration
      const { account } = yield* as(owner)
      const first = yield* admin.suspendAccount(account.id, "spam")
      expect(first).toMatchObject({ state: "suspended", suspended: true, suspendedReason: "spam" })
      yield* TestClock.adjust("1 hour")
      expect(yield* admin.suspendAccount(account.id, "phishing")).toEqual({
        ...first,
        suspendedReason: "phishing",
      })
      expect((yield* as(owner)).account.suspendedAt).toBe(NOON)
    }),
  )

  rule(
    "is as it was before, once it is suspended no longer, however often that is said",
    Effect.gen(function* () {
      const owner = yield* paying()
      const before = yield* accountOf(owner)
      yield* suspendAccount(owner)
      yield* unsuspendAccount(owner)
      yield* unsuspendAccount(owner)
      expect(yield* accountOf(owner)).toEqual(before)
      expect((yield* send(owner)).status).toBe("SENT")
    }),
  )

  rule(
    "sends nothing and receives no mail; other accounts do",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const other = yield* paying("other")
      yield* suspendAccount(owner)
      expect(yield* refused(send(owner))).toEqual({ _tag: "AccountSuspended", reason: "spam" })
      expect(yield* verdict(owner.address)).toBe("suspended")
      expect((yield* send(other)).status).toBe("SENT")
      expect(yield* verdict(other.address)).toBe("accepted")
      yield* unsuspendAccount(owner)
      expect(yield* verdict(owner.address)).toBe("accepted")
    }),
  )

  ruleWith(takingTurns)(
    "does not send a message that was not recorded before the suspension",
    Effect.gen(function* () {
      const owner = yield* paying()
      const outcomes = yield* Effect.zipRight(suspendAccount(owner), sendAtOnce(owner, 5), {
        concurrent: true,
      })
      const sent = outcomes.filter(({ _tag }) => _tag === "Right").length
      yield* unsuspendAccount(owner)
      expect(sent).toBeLessThan(5)
      expect((yield* accountOf(owner)).sentToday).toBe(sent)
    }),
  )

  rule(
    "still gets the mail that was accepted before, which counts",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* accepted(owner.address, aMail({ subject: "On its way" }))
      yield* suspendAccount(owner)
      yield* Engine.settle
      yield* unsuspendAccount(owner)
      expect(subjectsOf(yield* listed(owner))).toEqual(["On its way"])
      expect(yield* accountOf(owner)).toMatchObject({ monthlyInboundCount: 1, receivedToday: 1 })
    }),
  )

  rule(
    "does not exceed its trial by that",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* receivedMany(owner.address, 9)
      yield* accepted(owner.address, aMail({ subject: "The tenth" }))
      yield* accepted(owner.address, aMail({ subject: "The eleventh" }))
      yield* suspendAccount(owner)
      yield* Engine.settle
      yield* unsuspendAccount(owner)
      expect(subjectsOf(yield* listed(owner, { limit: 1 }))).toEqual(["The tenth"])
      expect(yield* accountOf(owner)).toMatchObject({
        overLimitMessageCount: 1,
        trial: { receivesUsed: 11, receivesRemaining: 0 },
      })
    }),
  )

  rule(
    "gets that mail gated when its trial is over",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* TestClock.adjust("3 days")
      yield* accepted(owner.address, aMail({ subject: "Unpaid" }))
      yield* suspendAccount(owner)
      yield* Engine.settle
      expect((yield* accountOf(owner)).overLimitMessageCount).toBe(1)
      expect((yield* eventsOf(owner)).map(({ data }) => "over_limit" in data)).toEqual([true])
    }),
  )

  rule(
    "has no webhook attempts; its deliveries wait, and continue in their order",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const other = yield* paying("other")
      yield* subscribe(owner)
      yield* subscribe(other, { url: URL_TWO })
      for (const subject of ["One", "Two"]) yield* accepted(owner.address, aMail({ subject }))
      yield* suspendAccount(owner)
      yield* Engine.settle
      yield* received(other.address)
      yield* TestClock.adjust("1 hour")
      yield* Engine.settle
      expect(yield* countTo(URL_ONE)).toBe(0)
      expect(yield* countTo(URL_TWO)).toBe(1)
      yield* unsuspendAccount(owner)
      yield* Engine.settle
      expect(yield* subjectsTo(URL_ONE)).toEqual(["One", "Two"])
    }),
  )

  rule(
    "uses no attempt of a waiting delivery",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* subscribe(owner)
      yield* answers(URL_ONE, answered(500), answered(200))
      yield* received(owner.address, { subject: "Again" })
      yield* suspendAccount(owner)
      yield* TestClock.adjust("2 hours")
      yield* Engine.settle
      expect(yield* countTo(URL_ONE)).toBe(1)
      yield* unsuspendAccount(owner)
      yield* Engine.settle
      expect(yield* subjectsTo(URL_ONE)).toEqual(["Again", "Again"])
      yield* TestClock.adjust("1 day")
      yield* Engine.settle
      expect(yield* countTo(URL_ONE)).toBe(2)
    }),
  )

  rule(
    "signals its streams, so that they end",
    Effect.gen(function* () {
      const owner = yield* paying()
      const signals = yield* Signals
      const { account } = yield* as(owner)
      const { wait } = yield* signals.subscribe(`account:${account.id}`)
      const woken = yield* Effect.fork(wait)
      yield* suspendAccount(owner)
      yield* Fiber.join(woken)
      expect((yield* as(owner)).state).toBe("suspended")
    }),
  )

  rule(
    "is nothing that can happen to an account which is not there",
    Effect.gen(function* () {
      const admin = yield* Administration
      const id = AccountId.make(ABSENT)
      const absent = { _tag: "NotFound", resource: "account" }
      expect(yield* refused(admin.suspendAccount(id, "spam"))).toEqual(absent)
      expect(yield* refused(admin.unsuspendAccount(id))).toEqual(absent)
      expect(yield* refused(admin.setPlan(id, "Growth"))).toEqual(absent)
    }),
  )
})

describe("a suspended mailbox", () => {
  rule(
    "receives no mail, sends none, and cannot be activated by its owner",
    Effect.gen(function* () {
      const owner = yield* paying()
      expect(yield* suspendMailbox(owner)).toMatchObject({ status: "suspended", suspendedReason: "spam" })
      expect(yield* verdict(owner.address)).toBe("suspended")
      expect(yield* refused(send(owner))).toMatchObject({ _tag: "MailboxNotActive", status: "suspended" })
      expect(yield* refused(start(owner))).toEqual({ _tag: "MailboxSuspended", reason: "spam" })
    }),
  )

  rule(
    "is ACTIVE again, once it is suspended no longer, however often that is said",
    Effect.gen(function* () {
      const owner = yield* paying()
      const before = yield* mailboxOf(owner)
      yield* suspendMailbox(owner)
      yield* suspendMailbox(owner, null)
      expect((yield* mailboxOf(owner)).suspendedReason).toBeNull()
      expect(yield* unsuspendMailbox(owner)).toEqual(before)
      yield* TestClock.adjust("1 hour")
      expect(yield* unsuspendMailbox(owner)).toEqual(before)
      expect(yield* verdict(owner.address)).toBe("accepted")
    }),
  )

  rule(
    "does not change a mailbox that its owner paused",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* changeMailbox(owner, { status: "paused" })
      expect(yield* unsuspendMailbox(owner)).toMatchObject({ status: "paused", pausedByBilling: false })
    }),
  )

  rule(
    "is paused by billing after the suspension where the plan has no room for it",
    Effect.gen(function* () {
      const owner = yield* paying()
      const mailboxes = yield* Mailboxes
      for (const localPart of ["two", "three"])
        yield* mailboxes.create(yield* as(owner), { localPart, displayName: null, domainId: null })
      yield* suspendMailbox(owner)
      yield* changeAccount(owner, { plan: "Free" })
      expect(yield* unsuspendMailbox(owner)).toMatchObject({ status: "ACTIVE", pausedByBilling: false })

      yield* changeAccount(owner, { plan: "Developer" })
      yield* mailboxes.create(yield* as(owner), { localPart: "four", displayName: null, domainId: null })
      yield* suspendMailbox(owner)
      yield* changeAccount(owner, { plan: "Free" })
      expect(yield* unsuspendMailbox(owner)).toMatchObject({ status: "paused", pausedByBilling: true })
    }),
  )

  rule(
    "is paused by billing after the suspension where a lapse leaves only the mailboxes of Free",
    Effect.gen(function* () {
      const owner = yield* paying()
      const mailboxes = yield* Mailboxes
      for (const localPart of ["two", "three", "four"])
        yield* mailboxes.create(yield* as(owner), { localPart, displayName: null, domainId: null })
      yield* suspendMailbox(owner)
      yield* changeAccount(owner, { lapsed: true })
      expect(yield* unsuspendMailbox(owner)).toMatchObject({ status: "paused", pausedByBilling: true })
    }),
  )

  rule(
    "is not activated by a purchase, although billing had paused it before",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* changeMailbox(owner, { status: "paused", pausedByBilling: true })
      yield* suspendMailbox(owner)
      yield* pay(owner)
      expect((yield* mailboxOf(owner)).status).toBe("suspended")
    }),
  )

  rule(
    "is nothing that can happen to a mailbox which is not there",
    Effect.gen(function* () {
      const admin = yield* Administration
      const id = MailboxId.make(ABSENT)
      const absent = { _tag: "NotFound", resource: "mailbox" }
      expect(yield* refused(admin.suspendMailbox(id, null))).toEqual(absent)
      expect(yield* refused(admin.unsuspendMailbox(id))).toEqual(absent)
    }),
  )
})
