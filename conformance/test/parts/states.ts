/** States and their transitions. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  agent,
  listMessages,
  pay,
  receive,
  scopedKey,
  send,
  sendBody,
  signUp,
  verify,
} from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { claim, publish } from "../../src/domains.js"
import { overTheMonth, overTheTrial, sharedOverTheMonth } from "../../src/gates.js"
import { aboveThePlan, REASON, suspendMailbox } from "../../src/operator.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { deliveryPath, hook, hooked, type Hooked } from "../../src/webhooks.js"
import { Virtual, World } from "../../src/World.js"
import { expectAnswer, expectError, expectPayment, expectWithin, upgrade } from "../expectations.js"

/** A refused delivery is retried and succeeds. */
const expectDelivered = (made: Hooked) =>
  Effect.gen(function* () {
    const { owner, answer } = made
    const path = yield* deliveryPath(made, "PENDING")
    expectWithin(yield* owner.call(`GET ${path}`), 200, { delivery: { responseStatus: 500 } })
    yield* answer(200)
    expectWithin(yield* owner.call(`POST ${path}/redeliver`), 202, { delivery: { status: "PENDING" } })
    yield* deliveryPath(made, "DELIVERED")
    const read = yield* owner.call(`GET ${path}`)
    expectWithin(read, 200, { delivery: { status: "DELIVERED", responseStatus: 200 } })
    return read
  })

export const states: Part = [
  row("states.mailbox.create", "it is ACTIVE at once, and provisioned a little later", function* () {
    const { eventually } = yield* World
    const { call } = yield* agent()
    const made = yield* call("POST /v1/mailboxes", { body: { address: "second" } })
    expectWithin(made, 201, { mailbox: { status: "ACTIVE", mailServerProvisioned: false } })
    yield* eventually(
      "it is provisioned",
      call(`GET /v1/mailboxes/${textAt(made.json, "mailbox.id")}`),
      ({ json }) => valueAt(json, "mailbox.mailServerProvisioned") === true,
    )
  }),
  row("states.mailbox.activate", "a paused one is ACTIVE again, and sends", function* () {
    const owner = yield* agent("active")
    const target = `PATCH /v1/mailboxes/${owner.mailboxId}`
    yield* owner.call(target, { body: { status: "paused" } })
    expectWithin(yield* owner.call(target, { body: { status: "ACTIVE" } }), 200, {
      mailbox: { status: "ACTIVE" },
    })
    expect((yield* send(owner, "bob@partner.dev")).status).toBe(201)
  }),
  row("states.mailbox.activate-limit", "one that billing paused stays paused", function* () {
    const { call, path } = yield* aboveThePlan
    const before = yield* call(`GET ${path}`)
    expectWithin(before, 200, { mailbox: { status: "paused", pausedByBilling: true } })
    expect((yield* call(`PATCH ${path}`, { body: { status: "ACTIVE" } })).status).toBe(403)
    expectAnswer(yield* call(`GET ${path}`), 200, before.json)
  }),
  row("states.mailbox.suspended", "nor paused: it stays suspended, and says why", function* () {
    const owner = yield* agent("active")
    const path = `/v1/mailboxes/${owner.mailboxId}`
    yield* suspendMailbox(owner)
    for (const status of ["ACTIVE", "paused"])
      expectError(yield* owner.call(`PATCH ${path}`, { body: { status } }), 400, "MAILBOX_SUSPENDED")
    expectWithin(yield* owner.call(`GET ${path}`), 200, {
      mailbox: { status: "suspended", suspendedReason: REASON },
    })
  }),
  row("states.mailbox.inactive-send", "a paused one does not send", function* () {
    const owner = yield* agent("active")
    yield* owner.call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body: { status: "paused" } })
    expectError(yield* send(owner, "bob@partner.dev"), 400, "MAILBOX_NOT_ACTIVE")
  }),
  row("states.mailbox.pause", "PATCH pauses it, and it stays paused", function* () {
    const owner = yield* agent()
    const path = `/v1/mailboxes/${owner.mailboxId}`
    const paused = { mailbox: { status: "paused", pausedByBilling: false } }
    expectWithin(yield* owner.call(`PATCH ${path}`, { body: { status: "paused" } }), 200, paused)
    expectWithin(yield* owner.call(`GET ${path}`), 200, paused)
  }),

  row("states.account.trial", "it has 3 days, 10 sends and 10 receives", function* () {
    const owner = yield* signUp()
    yield* verify(owner)
    const { json } = yield* owner.call("GET /v1/account")
    expect(json).toMatchObject({ account: { state: "trial", trial: { sendCap: 10, receiveCap: 10 } } })
    const [started, expires] = ["startedAt", "expiresAt"].map((name) =>
      Date.parse(textAt(json, `account.trial.${name}`)),
    )
    expect((expires ?? 0) - (started ?? 0)).toBe(3 * 24 * 60 * 60 * 1000)
  }),
  row(
    "states.account.trial-recipient",
    "another recipient is refused, the owner is written to",
    function* () {
      const { outbox } = yield* World
      const owner = yield* agent("trial")
      expectPayment(yield* send(owner, "bob@partner.dev"), "TRIAL_RECIPIENT_LOCKED")
      expect((yield* send(owner, owner.email, { subject: "To you" })).status).toBe(201)
      expect((yield* outbox(owner.email)).at(-1)?.subject).toBe("To you")
    },
  ),
  row("states.account.spent", "after the 10th send every key is answered 402", function* () {
    const owner = yield* agent("trial")
    const scoped = yield* scopedKey(owner)
    for (let sent = 0; sent < 10; sent++) expect((yield* send(owner, owner.email)).status).toBe(201)
    for (const { call } of [owner, scoped]) expectPayment(yield* call("GET /v1/mailboxes"))
  }),
  virtual("states.account.expired", "after 3 days every key is answered 402", function* () {
    const { advance } = yield* Virtual
    const owner = yield* agent("trial")
    const scoped = yield* scopedKey(owner)
    yield* advance(3 * 24 * 60 * 60 * 1000 - 1)
    for (const { call } of [owner, scoped]) expect((yield* call("GET /v1/mailboxes")).status).toBe(200)
    yield* advance("1 millis")
    for (const { call } of [owner, scoped]) expectPayment(yield* call("GET /v1/mailboxes"))
  }),
  row("states.account.paid", "the same key works, with the plan's limits", function* () {
    const owner = yield* agent("payment_required")
    expectPayment(yield* owner.call("GET /v1/mailboxes"))
    yield* pay(owner)
    expectWithin(yield* owner.call("GET /v1/mailboxes"), 200, { mailboxes: [{ dailySendLimit: 500 }] })
    expect((yield* send(owner, "bob@partner.dev")).status).toBe(201)
  }),

  row("states.inbound.visible", "it is listed, and its event has the content", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner, [{ subject: "Visible" }])
    const [frame] = yield* stream.received(1)
    expect(valueAt(frame?.data, "data.subject")).toBe("Visible")
    expectWithin(yield* listMessages(owner), 200, { messages: [{ subject: "Visible", overLimit: false }] })
  }),
  row("states.inbound.gated-event", "its event has nothing of the content", function* () {
    const { stub } = yield* sharedOverTheMonth
    expect(stub).toMatchObject({ event: "message.received", data: { over_limit: true } })
    expect(JSON.stringify(stub)).not.toContain("secret")
  }),
  row("states.inbound.gated-read", "its read is 402", function* () {
    const { owner, path } = yield* sharedOverTheMonth
    expectWithin(yield* owner.call(`GET ${path}`), 402, { code: "INBOUND_LIMIT_EXCEEDED", upgrade })
  }),
  row("states.inbound.gated-list", "the list has 100 of 101, and counts the other", function* () {
    const { owner } = yield* sharedOverTheMonth
    const listed = yield* listMessages(owner, "?limit=100")
    expectWithin(listed, 200, { metadata: { overLimitCount: 1, hasMore: false } })
    expect(listAt(listed.json, "messages")).toHaveLength(100)
    expect(listed.text).not.toContain("secret")
  }),
  row("states.inbound.upgrade", "after the checkout the same id reads, whole", function* () {
    const { owner, path, id } = yield* overTheMonth
    yield* pay(owner)
    expectWithin(yield* owner.call(`GET ${path}`), 200, { message: { id, subject: "secret subject" } })
    expectWithin(yield* listMessages(owner), 200, { metadata: { overLimitCount: 0 } })
  }),
  virtual("states.inbound.month", "at midnight UTC on the 1st the same id reads, whole", function* () {
    const { advance } = yield* Virtual
    const { now } = yield* World
    const { owner, path, id } = yield* overTheMonth
    const date = new Date(yield* now)
    const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
    yield* advance(first - date.getTime() - 1)
    expect((yield* owner.call(`GET ${path}`)).status).toBe(402)
    yield* advance("1 millis")
    expectWithin(yield* owner.call(`GET ${path}`), 200, { message: { id, subject: "secret subject" } })
  }),
  virtual("states.inbound.trial", "a month changes nothing, a checkout does", function* () {
    const { advance } = yield* Virtual
    const { owner, path } = yield* overTheTrial
    expectError(yield* owner.call(`GET ${path}`), 402, "INBOUND_TRIAL_LIMIT_EXCEEDED", {
      resource: { type: "message", id: path.split("/").at(-1) },
      upgrade,
    })
    yield* advance("40 days")
    expect((yield* owner.call(`GET ${path}`)).status).toBe(402)
    yield* pay(owner)
    expect((yield* owner.call(`GET ${path}`)).status).toBe(200)
  }),

  row("states.delivery.delivered", "once the receiver takes it", function* () {
    const made = yield* hooked
    yield* made.answer(500)
    yield* receive(made.owner)
    yield* expectDelivered(made)
  }),
  row("states.delivery.stub", "and is not what the mail said", function* () {
    const { owner } = yield* overTheTrial
    const made = yield* hook(owner)
    yield* made.answer(500)
    yield* receive(owner, [{ subject: "secret subject" }])
    const { json, text } = yield* expectDelivered(made)
    expect(valueAt(json, "delivery.payload.data.over_limit")).toBe(true)
    expect(text).not.toContain("secret")
  }),

  row("states.message.sent", "SENT comes with the mail in the provider's hands", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const to = `to-${owner.slug}@partner.dev`
    const target = `POST /v1/mailboxes/${owner.mailboxId}/messages`
    const [sent, mails] = yield* Effect.zip(owner.call(target, { body: sendBody(to) }), outbox(to))
    expectWithin(sent, 201, { message: { status: "SENT" } })
    expect(mails).toHaveLength(1)
  }),

  virtual("states.domain.verified", "not one that is pending, nor one that has failed", function* () {
    const { advance, settle } = yield* Virtual
    const owner = yield* agent("active")
    const claimed = yield* claim(owner, "acme.dev")
    const domainId = textAt(claimed.json, "domain.id")
    const create = owner.call("POST /v1/mailboxes", { body: { address: "sales", domainId } })
    const statusIs = (status: string) =>
      Effect.map(owner.call(`GET /v1/domains/${domainId}`), (answer) =>
        expectWithin(answer, 200, { domain: { status } }),
      )
    yield* statusIs("PENDING_VERIFICATION")
    expectError(yield* create, 400, "DOMAIN_NOT_VERIFIED")
    yield* advance("3 days")
    yield* settle
    yield* statusIs("FAILED")
    expectError(yield* create, 400, "DOMAIN_NOT_VERIFIED")
    yield* publish(claimed)
    yield* owner.call(`POST /v1/domains/${domainId}/verify`)
    yield* statusIs("VERIFIED")
    expect((yield* create).status).toBe(201)
  }),
]
