/** API keys. */
import { expect } from "vitest"
import { type Agent, agent, newKey, scopedKey, signIn } from "../../src/agents.js"
import { fieldsAt, listAt, textAt, valueAt } from "../../src/Answer.js"
import { suspend } from "../../src/operator.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import { ABSENT, anyId, expectAnswer, expectError, expectInvalid, expectPayment } from "../expectations.js"
import { Effect } from "effect"

/** The id of the key that came with the account. */
const firstKeyId = ({ call }: Pick<Agent, "call">) =>
  Effect.map(call("GET /v1/api-keys"), ({ json }) => textAt(listAt(json, "keys").at(-1), "id"))

export const keys: Part = [
  row("keys.list.200", "the list has prefix and metadata of every key, and no key", function* () {
    const owner = yield* agent()
    const scoped = yield* scopedKey(owner)
    const answer = yield* owner.call("GET /v1/api-keys")
    expect(answer.status).toBe(200)
    expect(listAt(answer.json, "keys")).toHaveLength(2)
    expect(fieldsAt(answer.json, "keys.0")).not.toContain("key")
    expect(answer.text).not.toContain(scoped.key)
  }),
  row("keys.list.401", "without a key there is no list", function* () {
    const { call } = yield* World
    expectError(yield* call("GET /v1/api-keys"), 401, "UNAUTHORIZED")
  }),
  row("keys.list.403", "a scoped key does not list", function* () {
    const { call } = yield* scopedKey(yield* agent())
    expectError(yield* call("GET /v1/api-keys"), 403, "SCOPE_FORBIDDEN")
  }),

  row("keys.create.201-full", "without mailboxIds the key reaches the account", function* () {
    const owner = yield* agent()
    const answer = yield* owner.call("POST /v1/api-keys", { body: { name: "worker" } })
    const key = textAt(answer.json, "key")
    expectAnswer(answer, 201, {
      id: anyId,
      name: "worker",
      key,
      prefix: key.slice(0, 11),
      scoped: false,
      permissions: ["read", "send", "draft", "manage", "review"],
    })
    const { call } = yield* World
    expect((yield* call("GET /v1/account", { key })).status).toBe(200)
  }),
  row("keys.create.201-scoped", "with mailboxIds it reaches these mailboxes", function* () {
    const owner = yield* agent()
    const body = { name: "worker", mailboxIds: [owner.mailboxId, owner.mailboxId] }
    const answer = yield* owner.call("POST /v1/api-keys", { body })
    const key = textAt(answer.json, "key")
    expectAnswer(answer, 201, {
      id: anyId,
      name: "worker",
      key,
      prefix: key.slice(0, 11),
      scoped: true,
      mailboxIds: [owner.mailboxId],
      permissions: ["read", "send", "draft"],
    })
    const { call } = yield* World
    expect((yield* call(`GET /v1/mailboxes/${owner.mailboxId}`, { key })).status).toBe(200)
    expect((yield* call("GET /v1/account", { key })).status).toBe(403)
  }),
  row("keys.create.once", "nothing shows the key again", function* () {
    const owner = yield* agent()
    const { key } = yield* newKey(owner)
    for (const target of ["GET /v1/api-keys", "GET /v1/account"])
      expect((yield* owner.call(target)).text).not.toContain(key)
  }),
  row("keys.create.session", "a session makes a key that works", function* () {
    const { call } = yield* World
    const owner = yield* agent()
    const cookie = yield* signIn(owner)
    const answer = yield* call("POST /v1/api-keys", { cookie, body: { name: "recovered" } })
    expect(answer.status).toBe(201)
    expect((yield* call("GET /v1/account", { key: textAt(answer.json, "key") })).status).toBe(200)
  }),
  row("keys.create.400", "no name, no list and ids that are none are refused by name", function* () {
    const { call } = yield* agent()
    for (const [path, body] of [
      ["name", {}],
      ["name", { name: "" }],
      ["name", { name: 7 }],
      ["mailboxIds", { name: "k", mailboxIds: [] }],
      ["mailboxIds", { name: "k", mailboxIds: null }],
      ["mailboxIds.0", { name: "k", mailboxIds: ["inbox"] }],
    ] as const)
      expectInvalid(yield* call("POST /v1/api-keys", { body }), path)
  }),
  row("keys.create.401", "without a key none is made", function* () {
    const { call } = yield* World
    expectError(yield* call("POST /v1/api-keys", { body: { name: "k" } }), 401, "UNAUTHORIZED")
  }),
  row("keys.create.402", "with a spent trial none is made", function* () {
    const { call } = yield* agent("payment_required")
    expectPayment(yield* call("POST /v1/api-keys", { body: { name: "k" } }))
  }),
  row("keys.create.403", "a scoped key makes none", function* () {
    const { call } = yield* scopedKey(yield* agent())
    expectError(yield* call("POST /v1/api-keys", { body: { name: "k" } }), 403, "SCOPE_FORBIDDEN")
  }),
  row("keys.create.404", "neither an absent nor a foreign mailbox is there", function* () {
    const owner = yield* agent()
    const other = yield* agent()
    for (const id of [ABSENT, other.mailboxId]) {
      const body = { name: "k", mailboxIds: [owner.mailboxId, id] }
      expectError(yield* owner.call("POST /v1/api-keys", { body }), 404, "MAILBOX_NOT_FOUND")
    }
    expect(listAt((yield* owner.call("GET /v1/api-keys")).json, "keys")).toHaveLength(1)
  }),

  row("keys.revoke.200", "the revoked key is refused at once", function* () {
    const owner = yield* agent()
    const another = yield* newKey(owner)
    expect((yield* another.call("GET /v1/account")).status).toBe(200)
    expectAnswer(yield* owner.call(`DELETE /v1/api-keys/${another.id}`), 200, { revoked: true })
    expectError(yield* another.call("GET /v1/account"), 401, "UNAUTHORIZED")
  }),
  row("keys.revoke.400", "the last full-access key stays, a scoped one beside it or not", function* () {
    const owner = yield* agent("active")
    yield* scopedKey(owner)
    const id = yield* firstKeyId(owner)
    expectError(yield* owner.call(`DELETE /v1/api-keys/${id}`), 400, "LAST_FULL_KEY")
    expect((yield* owner.call("GET /v1/account")).status).toBe(200)
  }),
  row("keys.revoke.401", "without a key none is revoked", function* () {
    const { call } = yield* World
    const another = yield* newKey(yield* agent())
    expectError(yield* call(`DELETE /v1/api-keys/${another.id}`), 401, "UNAUTHORIZED")
    expect((yield* another.call("GET /v1/account")).status).toBe(200)
  }),
  row("keys.revoke.403", "a scoped key revokes no other", function* () {
    const owner = yield* agent()
    const { call } = yield* scopedKey(owner)
    const id = yield* firstKeyId(owner)
    expectError(yield* call(`DELETE /v1/api-keys/${id}`), 403, "SCOPE_FORBIDDEN")
    expect((yield* owner.call("GET /v1/account")).status).toBe(200)
  }),
  row("keys.revoke.404", "neither an absent nor a foreign key is there", function* () {
    const owner = yield* agent()
    const other = yield* agent()
    const foreign = yield* newKey(other)
    for (const id of [ABSENT, foreign.id, "not-an-id"])
      expectError(yield* owner.call(`DELETE /v1/api-keys/${id}`), 404, "KEY_NOT_FOUND")
    expect((yield* foreign.call("GET /v1/account")).status).toBe(200)
  }),
  virtual("keys.revoke.scheduled", "a mail in an hour", function* () {
    const { advance, settle } = yield* Virtual
    const { now, outbox } = yield* World
    const owner = yield* agent("active")
    const scoped = yield* scopedKey(owner)
    const sendAt = new Date((yield* now) + 3_600_000).toISOString()
    const to = `bob-${owner.slug}@partner.dev`
    const body = { to: [to], subject: "Later", bodyText: "Hello", sendAt }
    const path = `POST /v1/mailboxes/${owner.mailboxId}/messages`
    expect((yield* scoped.call(path, { body })).status).toBe(202)
    expectAnswer(yield* owner.call(`DELETE /v1/api-keys/${scoped.id}`), 200, { revoked: true })
    expectError(yield* scoped.call(path, { body }), 401, "UNAUTHORIZED")
    yield* advance("1 hour")
    yield* settle
    expect(yield* outbox(to)).toHaveLength(1)
  }),
  row("keys.revoke.suspended", "even the last key goes", function* () {
    const owner = yield* agent("active")
    const id = yield* firstKeyId(owner)
    yield* suspend(owner)
    expectAnswer(yield* owner.call(`DELETE /v1/api-keys/${id}`), 200, { revoked: true })
    expectError(yield* owner.call("GET /v1/account"), 401, "UNAUTHORIZED")
  }),
  row("keys.revoke.unpaid", "with a spent trial even the last key goes", function* () {
    const owner = yield* agent("payment_required")
    const id = yield* firstKeyId(owner)
    expectAnswer(yield* owner.call(`DELETE /v1/api-keys/${id}`), 200, { revoked: true })
    expect(valueAt((yield* owner.call("GET /v1/account")).json, "code")).toBe("UNAUTHORIZED")
  }),
]
