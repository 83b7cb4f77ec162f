/** Mailboxes and the limits of plans (`spec: mailboxes.create.201`, `states.mailbox.activate`). */
import { describe, expect } from "@effect/vitest"
import type { DomainId, MailboxId } from "@mailroom/domain"
import { ApiKeys, Engine, Mailboxes } from "@mailroom/engine"
import { Effect, Either, TestClock } from "effect"
import { changeAccount, changeMailbox } from "./support/changes.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, paying, unverified } from "./support/owners.js"
import { mailboxOf } from "./support/reading.js"
import { takingTurns } from "./support/concurrency.js"
import { refused } from "./support/refused.js"

const create = (owner: Owner, localPart: string, domainId: DomainId | null = null) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    return yield* mailboxes.create(yield* as(owner), { localPart, displayName: null, domainId })
  })

interface Change {
  readonly displayName?: string | null
  readonly status?: "ACTIVE" | "paused"
}

const update = (owner: Owner, id: MailboxId, { displayName, status }: Change) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    return yield* mailboxes.update(yield* as(owner), id, { displayName, status })
  })

const list = (owner: Pick<Owner, "key">) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    return yield* mailboxes.list(yield* as(owner))
  })

const addressesOf = (owner: Pick<Owner, "key">) =>
  Effect.map(list(owner), (mailboxes) => mailboxes.map(({ address }) => address))

describe("a new mailbox", () => {
  rule(
    "is ACTIVE at once, and provisioned by a job",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const mailboxes = yield* Mailboxes
      const wanted = { localPart: "sales", displayName: "Sales", domainId: null }
      const made = yield* mailboxes.create(yield* as(owner), wanted)
      expect(made).toMatchObject({
        address: "sales",
        fullAddress: "sales@acme.mailroom.localhost",
        displayName: "Sales",
        domainId: null,
        status: "ACTIVE",
        mailServerProvisioned: false,
        dailySendCount: 0,
        dailySendLimit: 100,
        monthlySendLimit: 5000,
        receivedThisMonth: 0,
      })
      yield* Engine.settle
      expect(yield* mailboxOf(owner, made.id)).toEqual({ ...made, mailServerProvisioned: true })
    }),
  )

  rule(
    "cannot have an address that is in use",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const refusal = yield* refused(create(owner, "agent"))
      expect(refusal).toMatchObject({ _tag: "AlreadyTaken", what: "address" })
      expect(yield* addressesOf(owner)).toEqual(["agent"])
    }),
  )

  rule(
    "can have the local part of another account's mailbox",
    Effect.gen(function* () {
      yield* create(yield* unverified("acme"), "sales")
      const made = yield* create(yield* unverified("other"), "sales")
      expect(made.fullAddress).toBe("sales@other.mailroom.localhost")
    }),
  )
})

describe("the plan's mailboxes", () => {
  rule(
    "three on Free, paused ones included",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* create(owner, "second")
      yield* create(owner, "third")
      const refusal = { _tag: "MailboxLimitReached", plan: "Free", limit: 3 }
      expect(yield* refused(create(owner, "fourth"))).toMatchObject(refusal)
      yield* update(owner, owner.mailboxId, { status: "paused" })
      expect(yield* refused(create(owner, "fourth"))).toMatchObject(refusal)
    }),
  )

  ruleWith(takingTurns)(
    "are never more among concurrent requests",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* Effect.forEach(
        ["a", "b", "c", "d", "e"],
        (localPart) => Effect.either(create(owner, localPart)),
        { concurrency: "unbounded" },
      )
      expect(made.filter(Either.isRight)).toHaveLength(2)
      expect(yield* addressesOf(owner)).toHaveLength(3)
    }),
  )

  rule(
    "limit which mailboxes may be activated",
    Effect.gen(function* () {
      const owner = yield* paying()
      for (const localPart of ["second", "third", "fourth"]) yield* create(owner, localPart)
      yield* update(owner, owner.mailboxId, { status: "paused" })
      yield* changeAccount(owner, { plan: "Free" })
      const started = update(owner, owner.mailboxId, { status: "ACTIVE" })
      expect(yield* refused(started)).toMatchObject({ _tag: "MailboxLimitReached", limit: 3 })
      const [, second] = yield* list(owner)
      if (second !== undefined) yield* update(owner, second.id, { status: "paused" })
      expect((yield* started).status).toBe("ACTIVE")
    }),
  )
})

describe("pausing and activating", () => {
  rule(
    "moves between ACTIVE and paused, again and again",
    Effect.gen(function* () {
      const owner = yield* unverified()
      for (const status of ["paused", "paused", "ACTIVE", "ACTIVE"] as const)
        expect((yield* update(owner, owner.mailboxId, { status })).status).toBe(status)
    }),
  )

  rule(
    "a suspended mailbox cannot be changed to another status",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* changeMailbox(owner, { status: "suspended", suspendedReason: "spam" })
      for (const status of ["paused", "ACTIVE"] as const) {
        const refusal = yield* refused(update(owner, owner.mailboxId, { status }))
        expect(refusal).toMatchObject({ _tag: "MailboxSuspended", reason: "spam" })
      }
      expect((yield* mailboxOf(owner)).status).toBe("suspended")
    }),
  )

  rule(
    "unnamed fields stay unchanged; null removes the display name",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* update(owner, owner.mailboxId, { status: "paused", displayName: "Agent" })
      expect(yield* update(owner, owner.mailboxId, {})).toMatchObject({
        displayName: "Agent",
        status: "paused",
      })
      const unnamed = yield* update(owner, owner.mailboxId, { displayName: null })
      expect(unnamed).toMatchObject({ displayName: null, status: "paused" })
      expect(yield* mailboxOf(owner)).toEqual(unnamed)
    }),
  )
})

describe("the time of the last change of a mailbox", () => {
  rule(
    "moves with a change, and not with an update that changes nothing",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* TestClock.adjust("1 minute")
      const changed = yield* update(owner, owner.mailboxId, { status: "paused", displayName: "Agent" })
      expect(Date.parse(changed.updatedAt)).toBe(Date.parse(changed.createdAt) + 60_000)
      yield* TestClock.adjust("1 minute")
      for (const same of [{}, { displayName: "Agent" }, { status: "paused" as const }])
        expect(yield* update(owner, owner.mailboxId, same)).toEqual(changed)
    }),
  )
})

describe("which mailboxes a key sees", () => {
  rule(
    "full access: all mailboxes of the account, oldest first",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* unverified("other")
      yield* create(owner, "zeta")
      yield* create(owner, "beta")
      expect(yield* addressesOf(owner)).toEqual(["agent", "zeta", "beta"])
    }),
  )

  rule(
    "a scoped key: its own; the others are not found",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const second = yield* create(owner, "second")
      const keys = yield* ApiKeys
      const wanted = { name: "scoped", mailboxIds: [second.id] }
      const scoped = { ...owner, key: (yield* keys.create(yield* as(owner), wanted)).key }
      expect(yield* addressesOf(scoped)).toEqual(["second"])
      expect((yield* update(scoped, second.id, { status: "paused" })).status).toBe("paused")
      const foreign = { _tag: "NotFound", resource: "mailbox" }
      expect(yield* refused(mailboxOf(scoped, owner.mailboxId))).toMatchObject(foreign)
      expect(yield* refused(update(scoped, owner.mailboxId, { status: "paused" }))).toMatchObject(foreign)
    }),
  )

  rule(
    "none of another account",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const other = yield* unverified("other")
      expect(yield* refused(mailboxOf(owner, other.mailboxId))).toMatchObject({ _tag: "NotFound" })
      const mailboxes = yield* Mailboxes
      const removed = mailboxes.remove(yield* as(owner), other.mailboxId)
      expect(yield* refused(removed)).toMatchObject({ _tag: "NotFound" })
      expect(yield* addressesOf(other)).toEqual(["agent"])
    }),
  )
})
