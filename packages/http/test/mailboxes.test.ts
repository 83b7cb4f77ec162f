/** Mailboxes (spec, Mailboxes, Mailbox status, Plans; decisions §2). */
import { describe } from "@effect/vitest"
import { type Mailbox, MailboxId, type MailboxRecord } from "@mailroom/domain"
import { Engine, MailboxStore } from "@mailroom/engine"
import { Effect } from "effect"
import { expect } from "vitest"
import { Mailboxes, owner, type Owner, pay, scopedKey, setFacts, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { receive } from "./support/mail.js"
import { ABSENT } from "./support/routes.js"
import { rule } from "./support/service.js"

const create = (key: string, body: unknown) => ask("POST /v1/mailboxes", { key, body })
const update = ({ key, mailboxId }: Owner, body: unknown) =>
  ask(`PATCH /v1/mailboxes/${mailboxId}`, { key, body })

/** What only an operator or billing does to a mailbox. */
const setMailbox = Effect.fn(function* ({ mailboxId }: Owner, facts: Partial<MailboxRecord>) {
  const store = yield* MailboxStore
  for (const mailbox of yield* store.lock([MailboxId.make(mailboxId)]))
    yield* store.save({ ...mailbox, ...facts })
})

const fresh = {
  id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
  domainId: null,
  address: "support",
  fullAddress: "support@acme.mailroom.localhost",
  displayName: "Support",
  status: "ACTIVE",
  mailServerProvisioned: false,
  dailySendCount: 0,
  dailySendLimit: 100,
  monthlySendCount: 0,
  monthlySendLimit: 5000,
  receivedThisMonth: 0,
  pausedByBilling: false,
  suspendedReason: null,
  createdAt: "1970-01-01T00:00:00.000Z",
  updatedAt: "1970-01-01T00:00:00.000Z",
} satisfies { readonly [F in keyof Mailbox]: unknown }

describe("POST /v1/mailboxes", () => {
  rule("creates it ACTIVE, and provisions it later", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const answer = yield* create(key, { address: "support", displayName: "Support" })
      expect([answer.status, answer.json]).toEqual([201, { mailbox: fresh }])
      yield* Engine.settle
      const { mailboxes } = read(Mailboxes)(yield* ask("GET /v1/mailboxes", { key }))
      expect(mailboxes).toMatchObject([{ address: "agent" }, { ...fresh, mailServerProvisioned: true }])
    }),
  )

  rule("stores the address in lower case", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const answer = yield* create(key, { address: "Support.Team" })
      expect(answer.json).toMatchObject({ mailbox: { address: "support.team", displayName: null } })
    }),
  )

  for (const address of ["", ".a", "a.", "a..b", "a b", "a@b", "a+b", "ü", "a".repeat(65)])
    rule(`answers 400 to the address "${address.slice(0, 10)}"`, () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const answer = yield* create(key, { address })
        expect(answer.status).toBe(400)
        expect(answer.json).toMatchObject({ issues: [{ path: "address" }] })
      }),
    )

  rule("takes a display name of 255 characters, and no longer one", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const named = (length: number) => ({ address: `a${length}`, displayName: "ü".repeat(length) })
      expect((yield* create(key, named(255))).status).toBe(201)
      expect((yield* create(key, named(256))).json).toMatchObject({ issues: [{ path: "displayName" }] })
    }),
  )

  rule("answers 400 to a display name with a line break", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const answer = yield* create(key, { address: "new", displayName: "Ada\r\nBcc: eve@evil.dev" })
      expect(answer.json).toMatchObject({ issues: [{ path: "displayName" }] })
    }),
  )

  rule("answers 409 to an address that is taken", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const answer = yield* create(key, { address: "AGENT" })
      expect(answer.status).toBe(409)
      expect(answer.json).toMatchObject({ code: "ADDRESS_TAKEN" })
    }),
  )

  rule("answers 404 to a domain that is not there", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const answer = yield* create(key, { address: "new", domainId: ABSENT })
      expect([answer.status, answer.json]).toEqual([
        404,
        { error: expect.any(String), code: "DOMAIN_NOT_FOUND" },
      ])
    }),
  )

  rule("answers 403 with a hint to upgrade beyond the plan's mailboxes", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      for (const address of ["second", "third"]) expect((yield* create(key, { address })).status).toBe(201)
      const answer = yield* create(key, { address: "fourth" })
      expect(answer.status).toBe(403)
      expect(answer.json).toEqual({
        error: expect.stringContaining("3"),
        code: "MAILBOX_LIMIT_REACHED",
        upgrade: "POST /v1/billing/upgrade for a checkout URL",
      })
    }),
  )
})

describe("GET /v1/mailboxes and /v1/mailboxes/{id}", () => {
  rule("show what arrived this month", () =>
    Effect.gen(function* () {
      const { key, address, mailboxId } = yield* signUp()
      yield* receive(address)
      const listed = yield* ask("GET /v1/mailboxes", { key })
      expect(listed.json).toMatchObject({ mailboxes: [{ receivedThisMonth: 1 }] })
      const one = yield* ask(`GET /v1/mailboxes/${mailboxId}`, { key })
      expect(one.json).toEqual({ mailbox: read(Mailboxes)(listed).mailboxes[0] })
    }),
  )

  rule("show null for a limit that is none", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      yield* pay(account, "Growth")
      const answer = yield* ask("GET /v1/mailboxes", { key: account.key })
      expect(answer.json).toMatchObject({ mailboxes: [{ monthlySendLimit: null, dailySendLimit: 1000 }] })
    }),
  )
})

describe("PATCH /v1/mailboxes/{id}", () => {
  rule("changes the display name, and leaves alone what it does not name", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      expect((yield* update(account, { displayName: "Ada" })).json).toMatchObject({
        mailbox: { displayName: "Ada", status: "ACTIVE" },
      })
      expect((yield* update(account, { status: "paused" })).json).toMatchObject({
        mailbox: { displayName: "Ada", status: "paused" },
      })
      expect((yield* update(account, { displayName: null })).json).toMatchObject({
        mailbox: { displayName: null, status: "paused" },
      })
    }),
  )

  rule("takes a status in any case, and answers it as the specification writes it", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      for (const [given, shown] of [
        ["PAUSED", "paused"],
        ["active", "ACTIVE"],
        ["Paused", "paused"],
        ["ACTIVE", "ACTIVE"],
      ])
        expect((yield* update(account, { status: given })).json).toMatchObject({ mailbox: { status: shown } })
    }),
  )

  for (const body of [{ status: "suspended" }, { status: "deleted" }, { status: 7 }, { displayName: 7 }, []])
    rule(`answers 400 to ${JSON.stringify(body)}`, () =>
      Effect.gen(function* () {
        const answer = yield* Effect.flatMap(signUp(), (account) => update(account, body))
        expect(answer.status).toBe(400)
        expect(answer.json).toMatchObject({ code: "VALIDATION_FAILED" })
      }),
    )

  rule("never starts a suspended mailbox again", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      yield* setMailbox(account, { status: "suspended", suspendedReason: "spam" })
      for (const status of ["ACTIVE", "paused"]) {
        const answer = yield* update(account, { status })
        expect(answer.status).toBe(400)
        expect(answer.json).toMatchObject({ code: "MAILBOX_SUSPENDED" })
      }
    }),
  )

  rule("answers 403 to starting one more than the plan has room for", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      yield* pay(account)
      for (const address of ["second", "third", "fourth"]) yield* create(account.key, { address })
      yield* update(account, { status: "paused" })
      yield* setFacts(account, { plan: "Free" })
      const answer = yield* update(account, { status: "ACTIVE" })
      expect(answer.status).toBe(403)
      expect(answer.json).toMatchObject({ code: "MAILBOX_LIMIT_REACHED", upgrade: expect.any(String) })
    }),
  )

  rule("is open to a scoped key, in scope", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const { key } = yield* scopedKey(account)
      expect((yield* update({ ...account, key }, { displayName: "Ada" })).status).toBe(200)
    }),
  )
})

describe("DELETE /v1/mailboxes/{id}", () => {
  rule("deletes it and its messages for good, and frees its address", () =>
    Effect.gen(function* () {
      const { key, mailboxId, address } = yield* owner()
      yield* receive(address)
      const answer = yield* ask(`DELETE /v1/mailboxes/${mailboxId}`, { key })
      expect([answer.status, answer.json]).toEqual([200, { deleted: true }])
      yield* Engine.settle
      for (const path of ["", "/messages", "/threads"])
        expect((yield* ask(`GET /v1/mailboxes/${mailboxId}${path}`, { key })).status).toBe(404)
      expect((yield* ask(`DELETE /v1/mailboxes/${mailboxId}`, { key })).status).toBe(404)
      expect((yield* create(key, { address: "agent" })).status).toBe(201)
    }),
  )
})
