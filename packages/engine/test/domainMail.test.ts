/** Mail of mailboxes whose custom domain is no longer VERIFIED, or went to another account (docs/decisions/0015). */
import { describe, expect } from "@effect/vitest"
import { HOUR, MINUTE } from "@mailroom/domain"
import { Administration, AuditLog, Engine, Mailboxes, MailSpool } from "@mailroom/engine"
import { Effect } from "effect"
import { received } from "./support/arrivals.js"
import {
  after,
  claim,
  onDomain,
  pointAway,
  publish,
  removeDomain,
  shown,
  statusOf,
  verifiedDomain,
  verify,
} from "./support/domains.js"
import { rule } from "./support/mailroom.js"
import { mailsTo } from "./support/outbox.js"
import { as, type Owner, paying } from "./support/owners.js"
import { listed, mailboxOf, subjectsOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { send } from "./support/sends.js"

const untilFailed = (owner: Owner & { readonly domainId: Parameters<typeof statusOf>[1] }, name: string) =>
  Effect.gen(function* () {
    yield* pointAway(name)
    yield* after(5 * MINUTE)
    yield* after(72 * HOUR)
    expect(yield* statusOf(owner, owner.domainId)).toBe("FAILED")
  })

describe("a mailbox whose domain FAILED", () => {
  rule(
    "sends only when the domain is VERIFIED again",
    Effect.gen(function* () {
      const owner = yield* onDomain(yield* paying(), "acme.dev")
      expect((yield* send(owner)).status).toBe("SENT")
      yield* untilFailed(owner, "acme.dev")
      const refusal = { _tag: "DomainNotVerified", domain: "acme.dev" }
      expect(yield* refused(send(owner))).toMatchObject(refusal)
      expect(yield* mailboxOf(owner, owner.mailboxId)).toMatchObject({ status: "ACTIVE", dailySendCount: 0 })
      yield* publish((yield* shown(owner, owner.domainId)).dnsRecords)
      yield* verify(owner, owner.domainId)
      expect((yield* send(owner)).status).toBe("SENT")
    }),
  )

  rule(
    "does not affect the account's other mailboxes",
    Effect.gen(function* () {
      const platform = yield* paying()
      const owner = yield* onDomain(platform, "acme.dev")
      yield* untilFailed(owner, "acme.dev")
      expect((yield* send(platform)).status).toBe("SENT")
    }),
  )

  rule(
    "still receives mail through its MX",
    Effect.gen(function* () {
      const owner = yield* onDomain(yield* paying(), "acme.dev")
      yield* untilFailed(owner, "acme.dev")
      yield* received(owner.address, { subject: "Still here" })
      expect(subjectsOf(yield* listed(owner))).toEqual(["Still here"])
    }),
  )

  rule(
    "receives no mail inside: mail to it goes to the relay and its MX",
    Effect.gen(function* () {
      const owner = yield* onDomain(yield* paying("acme"), "acme.dev")
      const other = yield* paying("other")
      yield* send(other, { to: [owner.address], subject: "Inside" })
      yield* Engine.settle
      yield* untilFailed(owner, "acme.dev")
      yield* send(other, { to: [owner.address], subject: "Outside" })
      yield* Engine.settle
      expect(subjectsOf(yield* listed(owner))).toEqual(["Inside"])
      expect(yield* mailsTo(owner.address)).toHaveLength(1)
    }),
  )
})

describe("a domain that another account verifies", () => {
  rule(
    "receives its mail there: the mailboxes of the previous account keep their messages, and neither receive nor send",
    Effect.gen(function* () {
      const before = yield* onDomain(yield* paying("before"), "acme.dev")
      yield* received(before.address, { subject: "Old" })
      yield* untilFailed(before, "acme.dev")
      const next = yield* paying("next")
      const { domain, dnsRecords } = yield* claim(next, "acme.dev")
      expect(yield* mailboxOf(before, before.mailboxId)).toMatchObject({ status: "ACTIVE" })
      yield* publish(dnsRecords)
      yield* verify(next, domain.id)

      expect(yield* mailboxOf(before, before.mailboxId)).toMatchObject({
        status: "suspended",
        suspendedReason: "another account has verified its domain",
        domainId: null,
        fullAddress: `hello@acme.dev.${before.mailboxId}.invalid`,
      })
      expect(subjectsOf(yield* listed(before))).toEqual(["Old"])
      expect(yield* refused(send(before))).toMatchObject({ _tag: "MailboxNotActive", status: "suspended" })
      const spool = yield* MailSpool
      expect(yield* spool.recipients([{ from: "ada@example.org", to: "hello@acme.dev" }])).toEqual([
        { kind: "unknown" },
      ])

      const mailboxes = yield* Mailboxes
      const wanted = { localPart: "hello", displayName: null, domainId: domain.id }
      const made = yield* mailboxes.create(yield* as(next), wanted)
      yield* Engine.settle
      yield* received("hello@acme.dev", { subject: "New" })
      expect(subjectsOf(yield* listed({ ...next, mailboxId: made.id }))).toEqual(["New"])
      expect(subjectsOf(yield* listed(before))).toEqual(["Old"])
      yield* removeDomain(before, before.domainId)
    }),
  )

  rule(
    "is told to the previous account: its audit trail names each mailbox, and the next account's trail none",
    Effect.gen(function* () {
      const before = yield* onDomain(yield* paying("before"), "acme.dev")
      yield* untilFailed(before, "acme.dev")
      const next = yield* paying("next")
      yield* verifiedDomain(next, "acme.dev")
      const suspensions = (owner: Owner) =>
        Effect.gen(function* () {
          const { entries } = yield* (yield* AuditLog).list(yield* as(owner), { before: null, limit: 100 })
          return entries.filter(({ action }) => action === "mailbox.suspended")
        })
      expect(yield* suspensions(before)).toMatchObject([
        {
          actor: { kind: "system" },
          target: before.mailboxId,
          detail: { reason: "another account has verified its domain", address: "hello@acme.dev" },
        },
      ])
      expect(yield* suspensions(next)).toEqual([])
    }),
  )

  rule(
    "leaves mailboxes that not even the operator can start again",
    Effect.gen(function* () {
      const before = yield* onDomain(yield* paying("before"), "acme.dev")
      yield* untilFailed(before, "acme.dev")
      yield* verifiedDomain(yield* paying("next"), "acme.dev")
      const { unsuspendMailbox } = yield* Administration
      expect(yield* unsuspendMailbox(before.mailboxId)).toMatchObject({ status: "suspended" })
      expect(yield* refused(send(before))).toMatchObject({ _tag: "MailboxNotActive" })
    }),
  )
})
