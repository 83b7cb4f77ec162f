/** Errors: format, statuses, codes and headers. */
import { Effect } from "effect"
import { expect } from "vitest"
import { agent, listMessages, newcomer, pay, scopedKey, send, suppress, upload } from "../../src/agents.js"
import { textAt, valueAt } from "../../src/Answer.js"
import { overTheMonth, overTheTrial, sharedOverTheMonth } from "../../src/gates.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import {
  ABSENT,
  anyText,
  anyTime,
  expectAnswer,
  expectError,
  expectInvalid,
  expectPayment,
  expectWithin,
  UPGRADE_HINT,
  upgrade,
} from "../expectations.js"
import { BOB, MB } from "../values.js"

/** The 402 of a message above the month's cap. */
const gatedRead = Effect.gen(function* () {
  const { owner, path, id } = yield* sharedOverTheMonth
  return { id, answer: yield* owner.call(`GET ${path}`) }
})

const aDay = 24 * 60 * 60 * 1000
const nextMonth = (now: number): number => {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

export const errors: Part = [
  row("errors.format.error", "whatever the status, and it says application/json", function* () {
    const { call } = yield* World
    const owner = yield* agent()
    const scoped = yield* scopedKey(owner)
    const spent = yield* agent("payment_required")
    const refused = [
      yield* owner.call("POST /v1/mailboxes", { body: {} }),
      yield* call("GET /v1/account"),
      yield* spent.call("GET /v1/mailboxes"),
      yield* scoped.call("GET /v1/account"),
      yield* owner.call(`GET /v1/mailboxes/${ABSENT}`),
      yield* owner.call("POST /v1/mailboxes", { body: { address: "agent" } }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([400, 401, 402, 403, 404, 409])
    for (const answer of refused) {
      expect(textAt(answer.json, "error")).not.toBe("")
      expect(answer.headers.get("content-type")).toBe("application/json")
    }
  }),
  row("errors.format.upgrade-text", "at the number of mailboxes", function* () {
    const { call } = yield* agent()
    const create = (address: string) => call("POST /v1/mailboxes", { body: { address } })
    for (const address of ["second", "third"]) yield* create(address)
    expect(valueAt((yield* create("fourth")).json, "upgrade")).toBe(UPGRADE_HINT)
  }),
  row("errors.format.upgrade-object-payment", "of a spent trial", function* () {
    const { call } = yield* agent("payment_required")
    expect(valueAt((yield* call("GET /v1/mailboxes")).json, "upgrade")).toEqual(upgrade)
  }),
  row("errors.format.upgrade-object-inbound", "of a gated message", function* () {
    const { owner, path } = yield* overTheTrial
    expect(valueAt((yield* owner.call(`GET ${path}`)).json, "upgrade")).toEqual(upgrade)
  }),
  row("errors.format.payment", "of a spent trial, and of a send to another in the trial", function* () {
    const { call } = yield* agent("payment_required")
    expectPayment(yield* call("GET /v1/mailboxes"), "PAYMENT_REQUIRED")
    expectPayment(yield* send(yield* agent("trial"), BOB), "TRIAL_RECIPIENT_LOCKED")
  }),
  row("errors.status.200", "of what is read, changed and deleted", function* () {
    const { call, mailboxId } = yield* agent()
    const path = `/v1/mailboxes/${mailboxId}`
    for (const [target, body] of [
      [`GET ${path}`, undefined],
      [`PATCH ${path}`, { displayName: "Ada" }],
      [`DELETE ${path}`, undefined],
    ] as const)
      expect((yield* call(target, { body })).status).toBe(200)
  }),
  row("errors.status.201", "of a key, a mailbox, a webhook, an upload, a link and a send", function* () {
    const { receiver } = yield* World
    const owner = yield* agent("trial")
    const { url } = yield* receiver
    for (const [target, body] of [
      ["POST /v1/api-keys", { name: "k" }],
      ["POST /v1/mailboxes", { address: "second" }],
      ["POST /v1/webhooks", { url, events: ["message.sent"] }],
      ["POST /v1/billing/upgrade", undefined],
    ] as const)
      expect((yield* owner.call(target, { body })).status).toBe(201)
    expect((yield* upload(owner, "a.txt", "A")).status).toBe(201)
    expect((yield* send(owner, owner.email)).status).toBe(201)
  }),
  row("errors.status.400", "a wrong field, a missing field, a rule", function* () {
    const owner = yield* agent("active")
    expectInvalid(yield* owner.call("POST /v1/mailboxes", { body: { address: "two words" } }), "address")
    expectInvalid(yield* owner.call("POST /v1/mailboxes", { body: {} }), "address")
    expectWithin(yield* send(owner, "ada@example.com"), 400, {
      error: anyText,
      code: "RECIPIENT_NOT_ALLOWED",
    })
  }),
  row("errors.status.401", "none, and one that is none", function* () {
    const { call } = yield* World
    expectError(yield* call("GET /v1/mailboxes"), 401, "UNAUTHORIZED")
    expectError(yield* call("GET /v1/mailboxes", { key: "mr_none" }), 401, "UNAUTHORIZED")
  }),
  row("errors.status.402", "a spent trial, and a gated message", function* () {
    const { call } = yield* agent("payment_required")
    expect((yield* call("GET /v1/mailboxes")).status).toBe(402)
    const { owner, path } = yield* overTheTrial
    expect((yield* owner.call(`GET ${path}`)).status).toBe(402)
  }),
  row("errors.status.403", "each of the three", function* () {
    const owner = yield* agent()
    expectError(yield* send(owner, owner.email), 403, "EMAIL_NOT_VERIFIED")
    expectError(yield* (yield* scopedKey(owner)).call("GET /v1/account"), 403, "SCOPE_FORBIDDEN")
    for (const address of ["second", "third"]) yield* owner.call("POST /v1/mailboxes", { body: { address } })
    const fourth = yield* owner.call("POST /v1/mailboxes", { body: { address: "fourth" } })
    expectError(fourth, 403, "MAILBOX_LIMIT_REACHED", { upgrade: UPGRADE_HINT })
  }),
  row("errors.status.404", "absent, and another account's", function* () {
    const { call } = yield* agent()
    const { mailboxId } = yield* agent()
    for (const id of [ABSENT, mailboxId])
      expectError(yield* call(`GET /v1/mailboxes/${id}`), 404, "MAILBOX_NOT_FOUND")
  }),
  row("errors.status.409", "email, slug, mailbox, and a plan", function* () {
    const { call } = yield* World
    const owner = yield* agent("active")
    const { body, headers } = yield* newcomer
    for (const [change, code] of [
      [{ email: owner.email }, "EMAIL_TAKEN"],
      [{ slug: owner.slug }, "SLUG_TAKEN"],
    ] as const)
      expectError(yield* call("POST /v1/signup", { body: { ...body, ...change }, headers }), 409, code)
    const again = yield* owner.call("POST /v1/mailboxes", { body: { address: "agent" } })
    expectError(again, 409, "ADDRESS_TAKEN")
    expectError(yield* owner.call("POST /v1/billing/upgrade"), 409, "ALREADY_PAID")
  }),
  virtual("errors.status.413", "a file, a message, the storage", function* () {
    const owner = yield* agent("active")
    expectError(yield* upload(owner, "a.bin", new Uint8Array(25 * MB + 1)), 413, "SIZE_EXCEEDED")
    const ids = yield* Effect.replicateEffect(upload(owner, "b.bin", new Uint8Array(13 * MB)), 2)
    const attachments = ids.map(({ json }) => textAt(json, "id"))
    expectError(yield* send(owner, BOB, { attachments }), 413, "SIZE_EXCEEDED")
    yield* (yield* Virtual).pretend(owner.email, { storageUsedBytes: 10 * 1024 * MB })
    expectError(yield* upload(owner, "c.txt", "c"), 413, "STORAGE_FULL", { upgrade: UPGRADE_HINT })
  }),
  virtual("errors.status.429", "daily and monthly sends, velocity, signups, streams", function* () {
    const { call, listen } = yield* World
    const { pretend, advance } = yield* Virtual
    const owner = yield* agent("active")
    yield* pretend(owner.email, { sendsThisMonth: 15_000 })
    expectWithin(yield* send(owner, BOB), 429, { code: "MONTHLY_SEND_LIMIT_REACHED" })
    yield* pretend(owner.email, { sendsThisMonth: 0, sendsToday: 500 })
    expectWithin(yield* send(owner, BOB), 429, { code: "DAILY_SEND_LIMIT_REACHED" })
    yield* pretend(owner.email, { sendsToday: 0 })
    yield* advance("1 minute")
    yield* Effect.replicateEffect(send(owner, BOB), 60)
    expectError(yield* send(owner, BOB), 429, "SEND_VELOCITY_EXCEEDED")
    const { headers } = yield* newcomer
    const signups = yield* Effect.replicateEffect(
      Effect.flatMap(newcomer, ({ body }) => call("POST /v1/signup", { body, headers })),
      6,
    )
    expect(signups.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 429])
    yield* Effect.replicateEffect(listen({ key: owner.key }), 5)
    expectError(yield* owner.call("GET /v1/events"), 429, "TOO_MANY_STREAMS")
  }),
  virtual("errors.status.500", "a fault in the code", function* () {
    const { call } = yield* agent()
    yield* (yield* Virtual).fail("code")
    const answer = yield* call("POST /v1/mailboxes", { body: { address: "second" } })
    expectAnswer(answer, 500, { error: "Internal error", code: "INTERNAL_ERROR" })
  }),
  virtual("errors.status.503", "the storage, and the provider", function* () {
    const { fail, relay } = yield* Virtual
    const owner = yield* agent("active")
    yield* relay.reachable(false)
    expectError(yield* send(owner, BOB), 503, "RELAY_UNAVAILABLE")
    yield* fail("storage")
    const answer = yield* owner.call("POST /v1/mailboxes", { body: { address: "second" } })
    expectError(answer, 503, "STORAGE_UNAVAILABLE")
    expect(answer.text).not.toContain("locked")
  }),
  virtual("errors.code.payment", "after 10 sends, and after 3 days", function* () {
    const { advance } = yield* Virtual
    const spent = yield* agent("payment_required")
    const expired = yield* agent("trial")
    yield* advance("3 days")
    for (const { call } of [spent, expired])
      expectPayment(yield* call("GET /v1/mailboxes"), "PAYMENT_REQUIRED")
  }),
  virtual("errors.code.inbound", "lifted by an upgrade, and by the month", function* () {
    const { advance } = yield* Virtual
    const { now } = yield* World
    const gated = [yield* overTheMonth, yield* overTheMonth]
    const read = ({ owner, path }: (typeof gated)[number]) => owner.call(`GET ${path}`)
    for (const one of gated) expectWithin(yield* read(one), 402, { code: "INBOUND_LIMIT_EXCEEDED" })
    const [first, second] = gated
    if (first === undefined || second === undefined) return
    yield* pay(first.owner)
    expect((yield* read(first)).status).toBe(200)
    expect((yield* read(second)).status).toBe(402)
    const at = yield* now
    yield* advance(nextMonth(at) - at)
    expect((yield* read(second)).status).toBe(200)
  }),
  virtual("errors.code.inbound-trial", "lifted by an upgrade, and not by the month", function* () {
    const { advance } = yield* Virtual
    const { owner, path } = yield* overTheTrial
    expectWithin(yield* owner.call(`GET ${path}`), 402, { code: "INBOUND_TRIAL_LIMIT_EXCEEDED" })
    yield* advance(40 * aDay)
    expect((yield* owner.call(`GET ${path}`)).status).toBe(402)
    yield* pay(owner)
    expect((yield* owner.call(`GET ${path}`)).status).toBe(200)
  }),
  row("errors.inbound.message", "exactly these fields", function* () {
    const { answer, id } = yield* gatedRead
    expectError(answer, 402, "INBOUND_LIMIT_EXCEEDED", {
      resource: { type: "message", id },
      upgrade,
      resetAt: anyTime,
    })
  }),
  virtual("errors.inbound.attachment", "exactly these fields", function* () {
    const { hiddenAttachments } = yield* Virtual
    const { owner, id } = yield* overTheMonth
    const [attachment] = yield* hiddenAttachments(owner.mailboxId, id)
    expectError(yield* owner.call(`GET /v1/attachments/${attachment}`), 402, "INBOUND_LIMIT_EXCEEDED", {
      resource: { type: "attachment", id: attachment },
      upgrade,
      resetAt: anyTime,
    })
  }),
  row("errors.inbound.retry-after", "to midnight UTC on the 1st", function* () {
    const { now } = yield* World
    const { answer } = yield* gatedRead
    const at = yield* now
    const seconds = Number(answer.headers.get("retry-after"))
    expect(seconds).toBeGreaterThanOrEqual(Math.floor((nextMonth(at) - at) / 1000))
    expect(seconds).toBeLessThanOrEqual(Math.ceil((nextMonth(at) - at) / 1000) + 60)
  }),
  row("errors.inbound.retriable", "it is", function* () {
    const { answer } = yield* gatedRead
    expect(answer.headers.get("x-service-retriable")).toBe("false")
  }),
  row("errors.inbound.reset-at", "and that is midnight UTC on the 1st", function* () {
    const { now } = yield* World
    const { answer } = yield* gatedRead
    const resetAt = textAt(answer.json, "resetAt")
    expect(answer.headers.get("x-service-reset-at")).toBe(resetAt)
    expect(resetAt).toBe(new Date(nextMonth(yield* now)).toISOString())
  }),
  row("errors.inbound.quota", "101 of 100", function* () {
    const { answer } = yield* gatedRead
    expect(answer.headers.get("x-service-inbound-quota")).toBe("101/100")
  }),
  row("errors.inbound.warning", "it is", function* () {
    const { answer } = yield* gatedRead
    expect(answer.headers.get("x-service-inbound-warning")).toBe("reached")
  }),
  row("errors.inbound.messages", "without the message, which is counted", function* () {
    const { owner } = yield* sharedOverTheMonth
    const listed = yield* listMessages(owner)
    expectWithin(listed, 200, { metadata: { overLimitCount: 1 } })
    expect(listed.text).not.toContain("secret")
  }),
  row("errors.inbound.threads", "without the thread, whose message is counted", function* () {
    const { owner } = yield* sharedOverTheMonth
    const listed = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/threads`)
    expectWithin(listed, 200, { metadata: { overLimitCount: 1 } })
    expect(listed.text).not.toContain("secret")
  }),
  row("errors.scenario.mailboxes", "error, upgrade and a code", function* () {
    const { call } = yield* agent()
    for (const address of ["second", "third"]) yield* call("POST /v1/mailboxes", { body: { address } })
    const fourth = yield* call("POST /v1/mailboxes", { body: { address: "fourth" } })
    expectError(fourth, 403, "MAILBOX_LIMIT_REACHED", { upgrade: UPGRADE_HINT })
  }),
  row("errors.scenario.suppressed", "error, code, and the address", function* () {
    const owner = yield* agent("active")
    yield* suppress(owner, BOB)
    expectAnswer(yield* send(owner, BOB), 400, {
      error: expect.stringContaining(BOB),
      code: "RECIPIENT_SUPPRESSED",
      address: BOB,
    })
  }),
  row("errors.scenario.unsuppressed", "with the next send", function* () {
    const owner = yield* agent("active")
    const id = textAt((yield* suppress(owner, BOB)).json, "suppression.id")
    expect((yield* send(owner, BOB)).status).toBe(400)
    yield* owner.call(`DELETE /v1/suppressions/${id}`)
    expect((yield* send(owner, BOB)).status).toBe(201)
  }),
  virtual("errors.scenario.usage", "at a limit the mailbox and the account say so", function* () {
    const owner = yield* agent("active")
    yield* (yield* Virtual).pretend(owner.email, { sendsToday: 499, sendsThisMonth: 14_000 })
    yield* send(owner, BOB)
    expect((yield* send(owner, BOB)).status).toBe(429)
    expectWithin(yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}`), 200, {
      mailbox: { dailySendCount: 500, monthlySendCount: 14_001 },
    })
    expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { sentToday: 1, sentThisMonth: 1 } })
  }),
]
