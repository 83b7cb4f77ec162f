/** The suppression list of an account (`spec: decisions.suppressions.list`). */
import { describe, expect } from "@effect/vitest"
import type { MailboxId } from "@mailroom/domain"
import { Mailboxes, type SuppressionQuery, Suppressions } from "@mailroom/engine"
import { Effect, TestClock } from "effect"
import { takingTurns } from "./support/concurrency.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, paying } from "./support/owners.js"
import { lastOf } from "./support/plans.js"
import { refused } from "./support/refused.js"
import { RECIPIENT, send } from "./support/sends.js"

const add = (owner: Owner, email: string, mailboxId: MailboxId | null = null) =>
  Effect.gen(function* () {
    const suppressions = yield* Suppressions
    return yield* suppressions.add(yield* as(owner), email, mailboxId)
  })

const page = (owner: Owner, over: Partial<SuppressionQuery> = {}) =>
  Effect.gen(function* () {
    const suppressions = yield* Suppressions
    return yield* suppressions.list(yield* as(owner), { email: null, before: null, limit: 10, ...over })
  })

const listed = (owner: Owner, over: Partial<SuppressionQuery> = {}) =>
  Effect.map(page(owner, over), ({ suppressions }) => suppressions.map(({ email }) => email))

describe("the suppression list", () => {
  rule(
    "adds an address, in any case, and keeps its first entry",
    Effect.gen(function* () {
      const owner = yield* paying()
      const first = yield* add(owner, "BOB@Elsewhere.org")
      expect(first).toEqual({
        id: first.id,
        email: "bob@elsewhere.org",
        reason: "MANUAL",
        createdAt: "2026-03-10T12:00:00.000Z",
      })
      yield* TestClock.adjust("1 hour")
      expect(yield* add(owner, "bob@elsewhere.org")).toEqual(first)
      expect(yield* listed(owner)).toEqual(["bob@elsewhere.org"])
    }),
  )

  ruleWith(takingTurns)(
    "has one entry for an address that is added twice concurrently",
    Effect.gen(function* () {
      const owner = yield* paying()
      const [one, two] = yield* Effect.all([add(owner, RECIPIENT), add(owner, RECIPIENT)], {
        concurrency: "unbounded",
      })
      expect(one).toEqual(two)
      expect(yield* listed(owner)).toEqual([RECIPIENT])
    }),
  )

  rule(
    "is listed newest first, in pages",
    Effect.gen(function* () {
      const owner = yield* paying()
      for (const name of ["a", "b", "c", "d", "e"]) yield* add(owner, `${name}@elsewhere.org`)
      const first = yield* page(owner, { limit: 2 })
      expect(first).toMatchObject({ hasMore: true })
      expect(first.suppressions.map(({ email }) => email)).toEqual(["e@elsewhere.org", "d@elsewhere.org"])
      const second = yield* page(owner, { limit: 3, before: first.last })
      expect(second).toMatchObject({ hasMore: false })
      expect(second.suppressions.map(({ email }) => email)).toEqual([
        "c@elsewhere.org",
        "b@elsewhere.org",
        "a@elsewhere.org",
      ])
    }),
  )

  rule(
    "finds one address",
    Effect.gen(function* () {
      const owner = yield* paying()
      for (const email of [RECIPIENT, "eve@elsewhere.org"]) yield* add(owner, email)
      expect(yield* listed(owner, { email: "Bob@Elsewhere.org" })).toEqual([RECIPIENT])
      expect(yield* listed(owner, { email: "bob@elsewhere" })).toEqual([])
    }),
  )

  rule(
    "is separate for each account",
    Effect.gen(function* () {
      const [owner, other] = [yield* paying("acme"), yield* paying("other")]
      const { id } = yield* add(owner, RECIPIENT)
      expect(yield* listed(other)).toEqual([])
      const suppressions = yield* Suppressions
      const refusal = yield* refused(suppressions.remove(yield* as(other), id))
      expect(refusal).toMatchObject({ _tag: "NotFound", resource: "suppression" })
      expect((yield* send(other)).status).toBe("SENT")
      expect(yield* refused(send(owner))).toMatchObject({ _tag: "RecipientSuppressed", address: RECIPIENT })
    }),
  )

  rule(
    "suppresses an address for one mailbox, beside the entry of the account, and keeps the first entry of each",
    Effect.gen(function* () {
      const owner = yield* paying()
      const other = yield* lastOf(owner, 1)
      const ofMailbox = yield* add(owner, RECIPIENT, owner.mailboxId)
      expect(ofMailbox).toMatchObject({ email: RECIPIENT, reason: "MANUAL", mailboxId: owner.mailboxId })
      expect(yield* add(owner, "BOB@elsewhere.org", owner.mailboxId)).toEqual(ofMailbox)
      expect(yield* refused(send(owner))).toMatchObject({ _tag: "RecipientSuppressed", address: RECIPIENT })
      expect((yield* send({ ...owner, mailboxId: other.id })).status).toBe("SENT")

      const ofAccount = yield* add(owner, RECIPIENT)
      expect(yield* listed(owner)).toEqual([RECIPIENT, RECIPIENT])
      const suppressions = yield* Suppressions
      yield* suppressions.remove(yield* as(owner), ofMailbox.id)
      expect((yield* page(owner)).suppressions).toEqual([ofAccount])
    }),
  )

  rule(
    "suppresses nothing for a mailbox of another account, or a deleted one",
    Effect.gen(function* () {
      const [owner, other] = [yield* paying("acme"), yield* paying("other")]
      const mailboxes = yield* Mailboxes
      const deleted = yield* lastOf(owner, 1)
      yield* mailboxes.remove(yield* as(owner), deleted.id)
      for (const mailboxId of [other.mailboxId, deleted.id])
        expect(yield* refused(add(owner, RECIPIENT, mailboxId))).toMatchObject({
          _tag: "NotFound",
          resource: "mailbox",
        })
      expect(yield* listed(owner)).toEqual([])
      expect(yield* listed(other)).toEqual([])
    }),
  )

  rule(
    "allows sends to an address after its removal",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id } = yield* add(owner, RECIPIENT)
      const suppressions = yield* Suppressions
      yield* suppressions.remove(yield* as(owner), id)
      expect((yield* send(owner)).status).toBe("SENT")
      expect(yield* refused(suppressions.remove(yield* as(owner), id))).toMatchObject({ _tag: "NotFound" })
    }),
  )
})
