/** Authentication, rule by rule. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  agent,
  listMessages,
  newcomer,
  newMailbox,
  pay,
  receive,
  scopedKey,
  send,
  signIn,
  signUp,
  upload,
  verify,
} from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import { ABSENT, expectAnswer, expectError, expectPayment, expectWithin } from "../expectations.js"
import { signature } from "../signatures.js"

/** Documented endpoints without a key, in addition to those of rule 1: sessions and signed links. */
const proveThemselves = [
  "POST /v1/auth/verify-email",
  "POST /api/auth/sign-in/email",
  "POST /api/auth/sign-out",
  "POST /api/auth/request-password-reset",
  "POST /api/auth/reset-password",
  "GET /v1/attachments/{id}/content",
]
const open = [
  "POST /v1/signup",
  "GET /v1/signup/check-slug",
  "POST /v1/auth/resend-verification",
  ...proveThemselves,
]

export const authentication: Part = [
  row("authentication.rule-1-signup", "it answers 201 without any", function* () {
    const { call } = yield* World
    const { body, headers } = yield* newcomer
    expect((yield* call("POST /v1/signup", { body, headers })).status).toBe(201)
  }),
  row("authentication.rule-1-check-slug", "it answers 200 without any", function* () {
    const { call } = yield* World
    const { slug, headers } = yield* newcomer
    expect((yield* call(`GET /v1/signup/check-slug?slug=${slug}`, { headers })).status).toBe(200)
  }),
  row("authentication.rule-1-resend", "it answers 200 without any", function* () {
    const { call } = yield* World
    const { email } = yield* signUp()
    expectAnswer(yield* call("POST /v1/auth/resend-verification", { body: { email } }), 200, { ok: true })
  }),
  row("authentication.rule-1-others", "every other operation of the document answers 401", function* () {
    const { call, operations } = yield* World
    const others = operations.filter(
      (operation) => !open.includes(operation) && !operation.includes("/admin/"),
    )
    expect(others.length).toBeGreaterThan(20)
    const answers = yield* Effect.forEach(others, (operation) =>
      Effect.map(call(operation.replaceAll(/\{[A-Za-z]+\}/g, ABSENT)), ({ status }) => [operation, status]),
    )
    expect(answers).toEqual(others.map((operation) => [operation, 401]))
  }),
  row("authentication.rule-2-missing", "it says how to send one", function* () {
    const { call } = yield* World
    const answer = yield* call("GET /v1/mailboxes")
    expectError(answer, 401, "UNAUTHORIZED")
    expect(textAt(answer.json, "error")).toContain("Authorization: Bearer")
  }),
  row("authentication.rule-2-invalid", "one that never was, one cut short, one with more", function* () {
    const { call } = yield* World
    const { key } = yield* agent()
    for (const wrong of [`mr_${"0".repeat(64)}`, key.slice(0, -1), `${key}0`, key.toUpperCase(), "none"])
      expectError(yield* call("GET /v1/mailboxes", { key: wrong }), 401, "UNAUTHORIZED")
  }),
  row("authentication.rule-3-unverified", "it reads and receives, and does not send", function* () {
    const owner = yield* signUp()
    expect((yield* owner.call("GET /v1/mailboxes")).status).toBe(200)
    expectError(yield* send(owner, owner.email), 403, "EMAIL_NOT_VERIFIED")
  }),
  row("authentication.rule-3-trial", "the account says so, and a send to another is refused", function* () {
    const owner = yield* signUp()
    yield* verify(owner)
    expectWithin(yield* owner.call("GET /v1/account"), 200, {
      account: { trial: { active: true, sendsRemaining: 10, receivesRemaining: 10 } },
    })
    expect((yield* send(owner, owner.email)).status).toBe(201)
    expectPayment(yield* send(owner, "bob@partner.dev"), "TRIAL_RECIPIENT_LOCKED")
  }),
  virtual("authentication.rule-3-spent", "spent by sends, and spent by days, until it is paid", function* () {
    const { advance } = yield* Virtual
    const spent = yield* agent("payment_required")
    const expired = yield* agent("trial")
    yield* advance("3 days")
    for (const owner of [spent, expired]) {
      expectPayment(yield* owner.call("GET /v1/mailboxes"))
      yield* pay(owner)
      expect((yield* owner.call("GET /v1/mailboxes")).status).toBe(200)
    }
  }),
  row("authentication.rule-4-mailboxes", "the first call after signup makes one", function* () {
    const { call } = yield* signUp()
    expect((yield* call("POST /v1/mailboxes", { body: { address: "second" } })).status).toBe(201)
  }),
  row("authentication.rule-4-webhooks", "the first call after signup makes one", function* () {
    const { receiver } = yield* World
    const { call } = yield* signUp()
    const { url } = yield* receiver
    const body = { url, events: ["message.received"] }
    expect((yield* call("POST /v1/webhooks", { body })).status).toBe(201)
  }),
  row("authentication.rule-4-attachments", "the first call after signup uploads one", function* () {
    expect((yield* upload(yield* signUp(), "a.txt", "A")).status).toBe(201)
  }),
  row("authentication.rule-4-send", "and after it, it is not", function* () {
    const owner = yield* signUp()
    expectError(yield* send(owner, owner.email), 403, "EMAIL_NOT_VERIFIED")
    yield* verify(owner)
    expect((yield* send(owner, owner.email)).status).toBe(201)
  }),
  row("authentication.rule-5-full", "account, keys, mailboxes and uploads", function* () {
    const owner = yield* agent()
    expect((yield* owner.call("GET /v1/account")).status).toBe(200)
    expect((yield* owner.call("POST /v1/api-keys", { body: { name: "k" } })).status).toBe(201)
    const made = yield* owner.call("POST /v1/mailboxes", { body: { address: "second" } })
    expect(made.status).toBe(201)
    const id = textAt(made.json, "mailbox.id")
    expect((yield* owner.call(`DELETE /v1/mailboxes/${id}`)).status).toBe(200)
    expect((yield* upload(owner, "a.txt", "A")).status).toBe(201)
  }),
  row("authentication.rule-5-scoped", "all four, in its own mailbox", function* () {
    const owner = yield* agent("active")
    const { call } = yield* scopedKey(owner)
    const scoped = { ...owner, call }
    yield* receive(owner, [{ subject: "In" }])
    const listed = yield* listMessages(scoped)
    expectWithin(listed, 200, { messages: [{ subject: "In" }] })
    const path = `/v1/mailboxes/${owner.mailboxId}/messages/${textAt(listed.json, "messages.0.id")}`
    expect((yield* call(`GET ${path}`)).status).toBe(200)
    expect((yield* send(scoped, "bob@partner.dev")).status).toBe(201)
    expect((yield* call(`PATCH ${path}`, { body: { read: true } })).status).toBe(200)
    const body = { displayName: "Ada" }
    expect((yield* call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body })).status).toBe(200)
  }),
  row("authentication.rule-5-404", "whatever is asked of them", function* () {
    const owner = yield* agent("active")
    const { id } = yield* newMailbox(owner, "second")
    const { call } = yield* scopedKey(owner)
    const path = `/v1/mailboxes/${id}`
    for (const target of [`GET ${path}`, `GET ${path}/messages`, `GET ${path}/threads`])
      expectError(yield* call(target), 404, "MAILBOX_NOT_FOUND")
    expectError(yield* send({ ...owner, call, mailboxId: id }, "bob@partner.dev"), 404, "MAILBOX_NOT_FOUND")
    const body = { displayName: "Ada" }
    expectError(yield* call(`PATCH ${path}`, { body }), 404, "MAILBOX_NOT_FOUND")
  }),
  row("authentication.rule-5-403", "account, keys, making and deleting mailboxes, uploads", function* () {
    const owner = yield* agent()
    const scoped = yield* scopedKey(owner)
    for (const [target, body] of [
      ["GET /v1/account", undefined],
      ["GET /v1/api-keys", undefined],
      ["POST /v1/api-keys", { name: "k" }],
      ["POST /v1/mailboxes", { address: "second" }],
      [`DELETE /v1/mailboxes/${owner.mailboxId}`, undefined],
    ] as const)
      expectError(yield* scoped.call(target, { body }), 403, "SCOPE_FORBIDDEN")
    expectError(yield* upload(scoped, "a.txt", "A"), 403, "SCOPE_FORBIDDEN")
  }),
  row("authentication.rule-5-webhooks", "of the account it makes none", function* () {
    const { receiver } = yield* World
    const owner = yield* agent()
    const { call } = yield* scopedKey(owner)
    const { url } = yield* receiver
    const body = { url, events: ["message.received"] }
    expectError(yield* call("POST /v1/webhooks", { body }), 403, "SCOPE_FORBIDDEN")
    const bound = { ...body, mailboxId: owner.mailboxId }
    expect((yield* call("POST /v1/webhooks", { body: bound })).status).toBe(201)
  }),
  row("authentication.rule-6", "step by step, with nothing but email and password", function* () {
    const { call } = yield* World
    const owner = yield* agent()
    const cookie = yield* signIn(owner)
    const made = yield* call("POST /v1/api-keys", { cookie, body: { name: "replacement" } })
    expect(made.status).toBe(201)
    const key = textAt(made.json, "key")
    const keys = listAt((yield* call("GET /v1/api-keys", { key })).json, "keys")
    const lost = keys.find((one) => owner.key.startsWith(textAt(one, "prefix")))
    expectAnswer(yield* call(`DELETE /v1/api-keys/${textAt(lost, "id")}`, { key }), 200, { revoked: true })
    expectError(yield* owner.call("GET /v1/account"), 401, "UNAUTHORIZED")
    expectWithin(yield* call("GET /v1/account", { key }), 200, { account: { slug: owner.slug } })
  }),
  row(
    ["authentication.rule-7", "decisions.webhook.signature"],
    "the receiver computes the same over the bytes it got",
    function* () {
      const { receiver } = yield* World
      const owner = yield* agent()
      const { url, received } = yield* receiver
      const made = yield* owner.call("POST /v1/webhooks", { body: { url, events: ["message.received"] } })
      yield* receive(owner, [{ subject: "Grüße €" }])
      const [posted] = yield* received(1)
      const secret = textAt(made.json, "webhook.secret")
      expect(posted?.headers["x-service-signature"]).toBe(signature(secret, posted))
    },
  ),
  row("authentication.rule-8", "and nothing in its query", function* () {
    const { call, listen } = yield* World
    const { key } = yield* agent()
    const stream = yield* listen({ key })
    expect(stream.headers.get("content-type")).toMatch(/^text\/event-stream/)
    expect(valueAt((yield* call(`GET /v1/events?key=${key}`)).json, "code")).toBe("UNAUTHORIZED")
  }),
]
