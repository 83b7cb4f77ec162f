/** Mailboxes on custom domains (docs/specification/mailboxes.md). */
import { describe, expect } from "@effect/vitest"
import type { DomainId, MailboxId } from "@mailroom/domain"
import { Mailboxes } from "@mailroom/engine"
import { Effect } from "effect"
import { addDomain, changeAccount } from "./support/changes.js"
import { rule } from "./support/mailroom.js"
import { as, type Owner, paying, unverified } from "./support/owners.js"
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

describe("a mailbox on a custom domain", () => {
  rule(
    "needs a domain of the account",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const domainId = yield* addDomain(yield* unverified("other"), "other.dev")
      const refusal = yield* refused(create(owner, "hello", domainId))
      expect(refusal).toMatchObject({ _tag: "NotFound", resource: "domain" })
    }),
  )

  for (const status of ["PENDING_VERIFICATION", "FAILED"] as const)
    rule(
      `needs a VERIFIED domain, not one that is ${status}`,
      Effect.gen(function* () {
        const owner = yield* paying()
        const domainId = yield* addDomain(owner, "acme.dev", status)
        const refusal = yield* refused(create(owner, "hello", domainId))
        expect(refusal).toMatchObject({ _tag: "DomainNotVerified", domain: "acme.dev" })
      }),
    )

  rule(
    "has its address there",
    Effect.gen(function* () {
      const owner = yield* paying()
      const domainId = yield* addDomain(owner, "acme.dev")
      expect(yield* create(owner, "hello", domainId)).toMatchObject({
        fullAddress: "hello@acme.dev",
        domainId,
      })
      expect((yield* create(owner, "hello")).fullAddress).toBe("hello@acme.mailroom.localhost")
    }),
  )

  rule(
    "counts the domain once, against the plan's custom domains",
    Effect.gen(function* () {
      const owner = yield* paying()
      const [first, second] = yield* Effect.all([addDomain(owner, "acme.dev"), addDomain(owner, "acme.org")])
      yield* create(owner, "hello", first)
      yield* create(owner, "world", first)
      const refusal = { _tag: "CustomDomainLimitReached", plan: "Developer", limit: 1 }
      expect(yield* refused(create(owner, "hello", second))).toMatchObject(refusal)
    }),
  )

  rule(
    "is refused on the plan Free, both new and started again",
    Effect.gen(function* () {
      const owner = yield* paying()
      const domainId = yield* addDomain(owner, "acme.dev")
      const made = yield* create(owner, "hello", domainId)
      yield* update(owner, made.id, { status: "paused" })
      yield* changeAccount(owner, { plan: "Free" })
      const refusal = { _tag: "CustomDomainLimitReached", plan: "Free", limit: 0 }
      expect(yield* refused(create(owner, "world", domainId))).toMatchObject(refusal)
      expect(yield* refused(update(owner, made.id, { status: "ACTIVE" }))).toMatchObject(refusal)
    }),
  )
})
