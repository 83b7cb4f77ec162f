/** Mailboxes. */
import { defaultPolicies } from "@mailroom/domain"
import { Effect } from "effect"
import { expect } from "vitest"
import { agent, changePlan, listMessages, newMailbox, pay, receive, scopedKey } from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { claim, verifiedDomain } from "../../src/domains.js"
import { aboveThePlan, REASON, suspendedAgent } from "../../src/operator.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { World } from "../../src/World.js"
import {
  ABSENT,
  anyId,
  anyTime,
  expectAnswer,
  expectError,
  expectInvalid,
  expectPayment,
  expectSuspended,
  expectWithin,
  UPGRADE_HINT,
} from "../expectations.js"

/** A mailbox without usage. */
const fresh = (address: string, slug: string, more: object = {}) => ({
  id: anyId,
  domainId: null,
  address,
  fullAddress: `${address}@${slug}.mailroom.localhost`,
  displayName: null,
  status: "ACTIVE",
  mailServerProvisioned: expect.any(Boolean),
  dailySendCount: 0,
  dailySendLimit: 100,
  monthlySendCount: 0,
  monthlySendLimit: 5000,
  receivedThisMonth: 0,
  pausedByBilling: false,
  suspendedReason: null,
  sendingStopped: null,
  ...defaultPolicies,
  createdAt: anyTime,
  updatedAt: anyTime,
  ...more,
})

const without = (target: string) =>
  Effect.gen(function* () {
    const { call } = yield* World
    expectError(yield* call(target), 401, "UNAUTHORIZED")
  })

export const mailboxes: Part = [
  row("mailboxes.list.200", "all of them, oldest first, with receivedThisMonth", function* () {
    const owner = yield* agent()
    yield* newMailbox(owner, "second")
    yield* receive(owner)
    expectAnswer(yield* owner.call("GET /v1/mailboxes"), 200, {
      mailboxes: [
        fresh("agent", owner.slug, { receivedThisMonth: 1 }),
        fresh("second", owner.slug, { receivedThisMonth: 0 }),
      ],
    })
  }),
  row("mailboxes.list.scoped", "a scoped key's list has its own and no other", function* () {
    const owner = yield* agent()
    yield* newMailbox(owner, "second")
    const { call } = yield* scopedKey(owner)
    const { json } = yield* call("GET /v1/mailboxes")
    expect(listAt(json, "mailboxes").map((one) => valueAt(one, "id"))).toEqual([owner.mailboxId])
  }),
  row("mailboxes.list.401", "without a key there is no list", function* () {
    yield* without("GET /v1/mailboxes")
  }),
  row("mailboxes.list.402", "with a spent trial there is no list", function* () {
    expectPayment(yield* (yield* agent("payment_required")).call("GET /v1/mailboxes"))
  }),
  row("mailboxes.list.403", "with the reason, and without a mailbox", function* () {
    expectSuspended(yield* (yield* suspendedAgent()).call("GET /v1/mailboxes"), REASON)
  }),

  row("mailboxes.create.201", "the answer is the mailbox, ACTIVE and not provisioned", function* () {
    const { call, slug } = yield* agent()
    expectAnswer(yield* call("POST /v1/mailboxes", { body: { address: "sales" } }), 201, {
      mailbox: fresh("sales", slug, { mailServerProvisioned: false }),
    })
  }),
  row("mailboxes.create.displayName", "given it is kept", function* () {
    const { call } = yield* agent()
    const body = { address: "sales", displayName: "Sales, Ltd." }
    expectWithin(yield* call("POST /v1/mailboxes", { body }), 201, {
      mailbox: { displayName: "Sales, Ltd." },
    })
  }),
  row("mailboxes.create.blank-name", "it is null, and a name loses its spaces", function* () {
    const { call, mailboxId } = yield* agent()
    for (const [text, displayName] of [
      ["", null],
      [" Ada ", "Ada"],
      ["  ", null],
    ])
      expectWithin(yield* call(`PATCH /v1/mailboxes/${mailboxId}`, { body: { displayName: text } }), 200, {
        mailbox: { displayName },
      })
    const body = { address: "sales", displayName: " " }
    expectWithin(yield* call("POST /v1/mailboxes", { body }), 201, { mailbox: { displayName: null } })
  }),
  row("mailboxes.create.400", "what is missing or malformed is refused by name", function* () {
    const { call } = yield* agent()
    for (const [path, body] of [
      ["address", {}],
      ["address", { address: "" }],
      ["address", { address: "two words" }],
      ["address", { address: "ada@elsewhere.dev" }],
      ["displayName", { address: "sales", displayName: 7 }],
      ["domainId", { address: "sales", domainId: "mine.dev" }],
    ] as const)
      expectInvalid(yield* call("POST /v1/mailboxes", { body }), path)
    expect(listAt((yield* call("GET /v1/mailboxes")).json, "mailboxes")).toHaveLength(1)
  }),
  row("mailboxes.create.400-domain", "exactly, and none is made", function* () {
    const owner = yield* agent("active")
    const domainId = textAt((yield* claim(owner, "acme.dev")).json, "domain.id")
    const answer = yield* owner.call("POST /v1/mailboxes", { body: { address: "sales", domainId } })
    expectAnswer(answer, 400, { error: "Domain not verified", code: "DOMAIN_NOT_VERIFIED" })
    expect(listAt((yield* owner.call("GET /v1/mailboxes")).json, "mailboxes")).toHaveLength(1)
  }),
  row("mailboxes.create.401", "without a key none is made", function* () {
    yield* without("POST /v1/mailboxes")
  }),
  row("mailboxes.create.402", "with a spent trial none is made", function* () {
    const { call } = yield* agent("payment_required")
    expectPayment(yield* call("POST /v1/mailboxes", { body: { address: "sales" } }))
  }),
  row("mailboxes.create.403-scoped", "a scoped key makes none", function* () {
    const { call } = yield* scopedKey(yield* agent())
    expectError(yield* call("POST /v1/mailboxes", { body: { address: "sales" } }), 403, "SCOPE_FORBIDDEN")
  }),
  row("mailboxes.create.403-plan", "the 4th on Free is refused, with the way to more", function* () {
    const { call } = yield* agent()
    for (const address of ["second", "third"])
      expect((yield* call("POST /v1/mailboxes", { body: { address } })).status).toBe(201)
    expectError(
      yield* call("POST /v1/mailboxes", { body: { address: "fourth" } }),
      403,
      "MAILBOX_LIMIT_REACHED",
      {
        upgrade: UPGRADE_HINT,
      },
    )
  }),
  virtual("mailboxes.create.403-domains", "the second domain's, after a downgrade to one", function* () {
    const owner = yield* agent("trial")
    yield* pay(owner, "Growth")
    const create = (address: string, domainId: string) =>
      owner.call("POST /v1/mailboxes", { body: { address, domainId } })
    const first = yield* verifiedDomain(owner, "acme.dev")
    const second = yield* verifiedDomain(owner, "acme.org")
    expect((yield* create("sales", first)).status).toBe(201)
    yield* changePlan(owner, { plan: "Developer" })
    expectError(yield* create("sales", second), 403, "CUSTOM_DOMAIN_LIMIT_REACHED", { upgrade: UPGRADE_HINT })
    expect((yield* create("support", first)).status).toBe(201)
  }),
  row("mailboxes.create.404", "a domain that does not exist is not there", function* () {
    const { call } = yield* agent()
    const body = { address: "sales", domainId: ABSENT }
    expectError(yield* call("POST /v1/mailboxes", { body }), 404, "DOMAIN_NOT_FOUND")
  }),
  row("mailboxes.create.409", "the address of another one is taken", function* () {
    const { call } = yield* agent()
    yield* call("POST /v1/mailboxes", { body: { address: "sales" } })
    expectError(yield* call("POST /v1/mailboxes", { body: { address: "sales" } }), 409, "ADDRESS_TAKEN")
  }),

  row("mailboxes.get.200", "the mailbox, as the list has it", function* () {
    const { call, mailboxId } = yield* agent()
    const listed = yield* call("GET /v1/mailboxes")
    expectAnswer(yield* call(`GET /v1/mailboxes/${mailboxId}`), 200, {
      mailbox: valueAt(listed.json, "mailboxes.0"),
    })
  }),
  row("mailboxes.get.401", "without a key it is not read", function* () {
    const { mailboxId } = yield* agent()
    yield* without(`GET /v1/mailboxes/${mailboxId}`)
  }),
  row("mailboxes.get.402", "with a spent trial it is not read", function* () {
    const { call, mailboxId } = yield* agent("payment_required")
    expectPayment(yield* call(`GET /v1/mailboxes/${mailboxId}`))
  }),
  row("mailboxes.get.403", "with the reason, and without the mailbox", function* () {
    const { call, mailboxId } = yield* suspendedAgent()
    expectSuspended(yield* call(`GET /v1/mailboxes/${mailboxId}`), REASON)
  }),
  row("mailboxes.get.404", "absent, foreign and malformed ids are answered the same", function* () {
    const { call } = yield* agent()
    const other = yield* agent()
    for (const id of [ABSENT, other.mailboxId, "not-an-id"])
      expectError(yield* call(`GET /v1/mailboxes/${id}`), 404, "MAILBOX_NOT_FOUND")
  }),
  row("mailboxes.get.404-scope", "one out of scope is answered like an absent one", function* () {
    const owner = yield* agent()
    const second = yield* newMailbox(owner, "second")
    const { call } = yield* scopedKey(owner)
    const outOfScope = yield* call(`GET /v1/mailboxes/${second.id}`)
    const absent = yield* call(`GET /v1/mailboxes/${ABSENT}`)
    expectError(outOfScope, 404, "MAILBOX_NOT_FOUND")
    expect(outOfScope.json).toEqual(absent.json)
  }),

  row("mailboxes.update.displayName", "it is set, and taken away with null", function* () {
    const { call, mailboxId } = yield* agent()
    for (const displayName of ["Ada", null])
      expectWithin(yield* call(`PATCH /v1/mailboxes/${mailboxId}`, { body: { displayName } }), 200, {
        mailbox: { displayName, status: "ACTIVE" },
      })
  }),
  row("mailboxes.update.status", "it is paused and started again", function* () {
    const { call, mailboxId } = yield* agent()
    yield* call(`PATCH /v1/mailboxes/${mailboxId}`, { body: { displayName: "Ada" } })
    for (const status of ["paused", "ACTIVE"])
      expectWithin(yield* call(`PATCH /v1/mailboxes/${mailboxId}`, { body: { status } }), 200, {
        mailbox: { displayName: "Ada", status },
      })
  }),
  row("mailboxes.update.scoped", "a scoped key updates its own, and no other", function* () {
    const owner = yield* agent()
    const second = yield* newMailbox(owner, "second")
    const { call } = yield* scopedKey(owner)
    const body = { displayName: "Ada" }
    expect((yield* call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body })).status).toBe(200)
    expectError(yield* call(`PATCH /v1/mailboxes/${second.id}`, { body }), 404, "MAILBOX_NOT_FOUND")
  }),
  row("mailboxes.update.400", "another status, and values that are none, are refused by name", function* () {
    const { call, mailboxId } = yield* agent()
    for (const [path, body] of [
      ["status", { status: "suspended" }],
      ["status", { status: "closed" }],
      ["displayName", { displayName: 7 }],
      ["displayName", { displayName: "Ada\r\nBcc: eve@evil.dev" }],
    ] as const)
      expectInvalid(yield* call(`PATCH /v1/mailboxes/${mailboxId}`, { body }), path)
  }),
  row("mailboxes.update.401", "without a key it is not changed", function* () {
    const { mailboxId } = yield* agent()
    yield* without(`PATCH /v1/mailboxes/${mailboxId}`)
  }),
  row("mailboxes.update.402", "with a spent trial it is not changed", function* () {
    const { call, mailboxId } = yield* agent("payment_required")
    expectPayment(yield* call(`PATCH /v1/mailboxes/${mailboxId}`, { body: { displayName: "Ada" } }))
  }),
  row("mailboxes.update.403", "exactly, with the way to more; other fields are changed", function* () {
    const { call, path } = yield* aboveThePlan
    const answer = yield* call(`PATCH ${path}`, { body: { status: "ACTIVE" } })
    expectError(answer, 403, "MAILBOX_LIMIT_REACHED", { upgrade: UPGRADE_HINT })
    expectWithin(yield* call(`PATCH ${path}`, { body: { displayName: "Ada" } }), 200, {
      mailbox: { displayName: "Ada", status: "paused" },
    })
  }),
  row("mailboxes.update.404", "absent, foreign and malformed ids are not there", function* () {
    const { call } = yield* agent()
    const other = yield* agent()
    for (const id of [ABSENT, other.mailboxId, "not-an-id"]) {
      const answer = yield* call(`PATCH /v1/mailboxes/${id}`, { body: { displayName: "Eve" } })
      expectError(answer, 404, "MAILBOX_NOT_FOUND")
    }
    expectWithin(yield* other.call(`GET /v1/mailboxes/${other.mailboxId}`), 200, {
      mailbox: { displayName: null },
    })
  }),

  row("mailboxes.policies.defaults", "also those of the first mailbox", function* () {
    const { call, mailboxId } = yield* agent()
    expectWithin(yield* call(`GET /v1/mailboxes/${mailboxId}`), 200, { mailbox: defaultPolicies })
  }),
  row("mailboxes.policies.create", "the others keep their defaults", function* () {
    const { call } = yield* agent()
    const body = { address: "sales", receivePolicy: "allowlisted", quarantine: ["spam"] }
    expectWithin(yield* call("POST /v1/mailboxes", { body }), 201, {
      mailbox: { ...defaultPolicies, receivePolicy: "allowlisted", quarantine: ["spam"] },
    })
  }),
  row("mailboxes.policies.change", "one by one, and all at once", function* () {
    const { call, mailboxId } = yield* agent()
    const policies = {
      outboundPolicy: "review",
      reviewTtlHours: 1,
      receivePolicy: "allowlisted",
      onBlocked: "refuse",
      quarantine: ["suspicious", "unverified", "spam"],
    }
    const before: Record<string, unknown> = { ...defaultPolicies }
    for (const [name, value] of Object.entries(policies)) {
      before[name] = value
      const answer = yield* call(`PATCH /v1/mailboxes/${mailboxId}`, { body: { [name]: value } })
      expectWithin(answer, 200, { mailbox: before })
    }
    expectWithin(yield* call(`PATCH /v1/mailboxes/${mailboxId}`, { body: defaultPolicies }), 200, {
      mailbox: defaultPolicies,
    })
  }),
  row("mailboxes.policies.limits", "refused by name, at the edges too", function* () {
    const { call, mailboxId } = yield* agent()
    for (const [path, body] of [
      ["outboundPolicy", { outboundPolicy: "closed" }],
      ["reviewTtlHours", { reviewTtlHours: 0 }],
      ["reviewTtlHours", { reviewTtlHours: 169 }],
      ["receivePolicy", { receivePolicy: null }],
      ["onBlocked", { onBlocked: "drop" }],
      ["quarantine.0", { quarantine: ["known"] }],
    ] as const)
      expectInvalid(yield* call(`PATCH /v1/mailboxes/${mailboxId}`, { body }), path)
  }),
  row("mailboxes.policies.hidden", "neither in the list, alone, nor after a change", function* () {
    const owner = yield* agent()
    const { call } = yield* scopedKey(owner)
    const path = `/v1/mailboxes/${owner.mailboxId}`
    const listed = valueAt((yield* call("GET /v1/mailboxes")).json, "mailboxes.0")
    const read = valueAt((yield* call(`GET ${path}`)).json, "mailbox")
    const changed = yield* call(`PATCH ${path}`, { body: { displayName: "Ada" } })
    for (const shown of [listed, read, valueAt(changed.json, "mailbox")])
      for (const policy of Object.keys(defaultPolicies)) expect(shown).not.toHaveProperty(policy)
  }),
  row("mailboxes.policies.scoped", "the name beside it is not changed either", function* () {
    const owner = yield* agent()
    const { call } = yield* scopedKey(owner)
    const path = `/v1/mailboxes/${owner.mailboxId}`
    for (const [name, value] of Object.entries(defaultPolicies)) {
      const body = { displayName: "Eve", [name]: value }
      expectError(yield* call(`PATCH ${path}`, { body }), 403, "SCOPE_FORBIDDEN")
    }
    expectWithin(yield* owner.call(`GET ${path}`), 200, { mailbox: { displayName: null } })
  }),

  row("mailboxes.delete.200", "it is gone, its messages and its address with it", function* () {
    const owner = yield* agent()
    yield* receive(owner)
    const messageId = textAt((yield* listMessages(owner)).json, "messages.0.id")
    const path = `/v1/mailboxes/${owner.mailboxId}`
    expectAnswer(yield* owner.call(`DELETE ${path}`), 200, { deleted: true })
    for (const gone of [path, `${path}/messages`, `${path}/messages/${messageId}`])
      expectError(yield* owner.call(`GET ${gone}`), 404, "MAILBOX_NOT_FOUND")
    expectAnswer(yield* owner.call("GET /v1/mailboxes"), 200, { mailboxes: [] })
    const again = yield* owner.call("POST /v1/mailboxes", { body: { address: "agent" } })
    expectWithin(again, 201, { mailbox: { fullAddress: owner.address } })
    expectWithin(yield* owner.call(`GET /v1/mailboxes/${textAt(again.json, "mailbox.id")}/messages`), 200, {
      messages: [],
    })
  }),
  row("mailboxes.delete.401", "without a key it is not deleted", function* () {
    const { mailboxId, call } = yield* agent()
    yield* without(`DELETE /v1/mailboxes/${mailboxId}`)
    expect((yield* call(`GET /v1/mailboxes/${mailboxId}`)).status).toBe(200)
  }),
  row("mailboxes.delete.402", "with a spent trial it is not deleted", function* () {
    const { call, mailboxId } = yield* agent("payment_required")
    expectPayment(yield* call(`DELETE /v1/mailboxes/${mailboxId}`))
  }),
  row("mailboxes.delete.403", "a scoped key does not delete its own", function* () {
    const owner = yield* agent()
    const { call } = yield* scopedKey(owner)
    expectError(yield* call(`DELETE /v1/mailboxes/${owner.mailboxId}`), 403, "SCOPE_FORBIDDEN")
    expect((yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}`)).status).toBe(200)
  }),
  row("mailboxes.delete.404", "absent, foreign, malformed and deleted ids are not there", function* () {
    const { call, mailboxId } = yield* agent()
    const other = yield* agent()
    yield* call(`DELETE /v1/mailboxes/${mailboxId}`)
    for (const id of [ABSENT, other.mailboxId, "not-an-id", mailboxId])
      expectError(yield* call(`DELETE /v1/mailboxes/${id}`), 404, "MAILBOX_NOT_FOUND")
    expect((yield* other.call(`GET /v1/mailboxes/${other.mailboxId}`)).status).toBe(200)
  }),
]
