/** What a key may do. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  type Agent,
  agent,
  newestId,
  receive,
  type ScopedKey,
  sendBody,
  signIn,
  upload,
} from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row } from "../../src/Row.js"
import { World } from "../../src/World.js"
import { expectAnswer, expectError, expectInvalid, expectPayment } from "../expectations.js"
import { BOB } from "../values.js"

const create = ({ call }: Pick<Agent | ScopedKey, "call">, fields: object) =>
  call("POST /v1/api-keys", { body: { name: "limited", ...fields } })

/** A key with these fields at its creation. */
const limited = (creator: Pick<Agent | ScopedKey, "call">, fields: object) =>
  Effect.map(create(creator, fields), ({ json }): ScopedKey => {
    const key = textAt(json, "key")
    return {
      id: textAt(json, "id"),
      key,
      call: (target, options) => creator.call(target, { key, ...options }),
    }
  })

const permissionsOf = ({ call }: ScopedKey) =>
  Effect.map(call("GET /v1/whoami"), ({ json }) => valueAt(json, "principal.permissions"))

const ALL = ["read", "send", "draft", "manage", "review"]

export const permissions: Part = [
  row("keys.permissions.default", "a full and a scoped key", function* () {
    const owner = yield* agent()
    expect(yield* permissionsOf(yield* limited(owner, {}))).toEqual(ALL)
    const scoped = yield* limited(owner, { mailboxIds: [owner.mailboxId] })
    expect(yield* permissionsOf(scoped)).toEqual(["read", "send", "draft"])
  }),
  row("keys.permissions.presets", "each, for full access and for a mailbox", function* () {
    const owner = yield* agent()
    for (const [preset, expected] of [
      ["readOnly", ["read"]],
      ["draftOnly", ["read", "draft"]],
    ] as const)
      for (const scope of [{}, { mailboxIds: [owner.mailboxId] }])
        expect(yield* permissionsOf(yield* limited(owner, { permissions: preset, ...scope }))).toEqual(
          expected,
        )
  }),
  row("keys.permissions.shown", "in their order, each once", function* () {
    const owner = yield* agent()
    const created = yield* create(owner, { permissions: ["manage", "read", "read"] })
    expect(valueAt(created.json, "permissions")).toEqual(["read", "manage"])
    const [newest] = listAt((yield* owner.call("GET /v1/api-keys")).json, "keys")
    expect(valueAt(newest, "permissions")).toEqual(["read", "manage"])
  }),
  row("keys.permissions.400", "and the creation makes no key", function* () {
    const owner = yield* agent()
    for (const wrong of [[], ["write"], "everything", null, ["read", 7]]) {
      const answer = yield* create(owner, { permissions: wrong })
      expect([answer.status, valueAt(answer.json, "code")]).toEqual([400, "VALIDATION_FAILED"])
    }
    expect(listAt((yield* owner.call("GET /v1/api-keys")).json, "keys")).toHaveLength(1)
  }),
  row("keys.permissions.review", "a session creates none either, and manage is allowed", function* () {
    const { call } = yield* World
    const owner = yield* agent()
    const body = { name: "k", mailboxIds: [owner.mailboxId], permissions: ["read", "review"] }
    expectInvalid(yield* create(owner, body), "permissions")
    expectInvalid(yield* call("POST /v1/api-keys", { cookie: yield* signIn(owner), body }), "permissions")
    const manager = yield* limited(owner, { ...body, permissions: ["manage"] })
    expect(yield* permissionsOf(manager)).toEqual(["manage"])
  }),
  row("keys.permissions.beyond", "named, by a preset, or left out", function* () {
    const owner = yield* agent()
    const manager = yield* limited(owner, { permissions: ["read", "manage"] })
    for (const [fields, required] of [
      [{ permissions: ["read", "send"] }, ["send"]],
      [{ permissions: "draftOnly" }, ["draft"]],
      [{}, ["send", "draft", "review"]],
      [{ mailboxIds: [owner.mailboxId] }, ["send", "draft"]],
    ] as const)
      expectError(yield* create(manager, fields), 403, "PERMISSION_DENIED", { required })
    expect(yield* permissionsOf(yield* limited(manager, { permissions: "readOnly" }))).toEqual(["read"])
    expect((yield* create(manager, { permissions: ["manage", "read"] })).status).toBe(201)
  }),
  row(
    "keys.permissions.denied",
    "a reader reads and sends nothing, a sender sends and reads nothing",
    function* () {
      const owner = yield* agent("trial")
      const messages = `/v1/mailboxes/${owner.mailboxId}/messages`
      const sending = { body: sendBody(owner.email) }
      for (const scope of [{}, { mailboxIds: [owner.mailboxId] }]) {
        const reader = yield* limited(owner, { permissions: ["read"], ...scope })
        expect((yield* reader.call(`GET ${messages}`)).status).toBe(200)
        expectError(yield* reader.call(`POST ${messages}`, sending), 403, "PERMISSION_DENIED", {
          required: ["send"],
        })
        const sender = yield* limited(owner, { permissions: ["send"], ...scope })
        expect((yield* sender.call(`POST ${messages}`, sending)).status).toBe(201)
        expectError(yield* sender.call(`GET ${messages}`), 403, "PERMISSION_DENIED", { required: ["read"] })
      }
      const reader = yield* limited(owner, { permissions: ["read"] })
      expectError(
        yield* reader.call("POST /v1/mailboxes", { body: { address: "x" } }),
        403,
        "PERMISSION_DENIED",
        {
          required: ["manage"],
        },
      )
    },
  ),
  row("keys.permissions.content", "neither by a forward nor by its files", function* () {
    const owner = yield* agent("active")
    const attachments = [{ filename: "plan.txt", contentType: "text/plain", content: "the plan" }]
    const path = `/v1/mailboxes/${owner.mailboxId}`
    yield* receive(owner)
    const message = `${path}/messages/${yield* newestId(owner)}`
    yield* receive(owner, [{ attachments }])
    const withFiles = `${path}/messages/${yield* newestId(owner)}`
    const whole = yield* owner.call(`GET ${withFiles}`)
    const file = textAt(whole.json, "message.attachments.0.id")
    const denied = { required: ["read"] }
    for (const permissions of [
      ["send", "draft"],
      ["send", "draft", "manage"],
    ]) {
      const writer = yield* limited(owner, { permissions, mailboxIds: [owner.mailboxId] })
      const withFile = { body: sendBody(BOB, { attachments: [file] }) }
      for (const [target, options] of [
        [`POST ${message}/forward`, { body: { to: [BOB] } }],
        [`POST ${path}/messages`, withFile],
        [`POST ${path}/drafts`, withFile],
      ] as const)
        expectError(yield* writer.call(target, options), 403, "PERMISSION_DENIED", denied)
    }
    const sender = yield* limited(owner, { permissions: ["send"] })
    expect((yield* sender.call(`POST ${message}/reply`, { body: { bodyText: "Yes" } })).status).toBe(201)
    const own = textAt((yield* upload(sender, "own.txt", "mine")).json, "id")
    const sent = yield* sender.call(`POST ${path}/messages`, { body: sendBody(BOB, { attachments: [own] }) })
    expect(sent.status).toBe(201)
    const manager = yield* limited(owner, { permissions: ["manage"] })
    for (const action of ["quarantine", "release"])
      expectError(yield* manager.call(`POST ${message}/${action}`), 403, "PERMISSION_DENIED", denied)
    const reader = yield* limited(owner, { permissions: ["read", "send"] })
    expect((yield* reader.call(`POST ${message}/forward`, { body: { to: [BOB] } })).status).toBe(201)
  }),
  row("keys.permissions.order", "each refusal in its place", function* () {
    const unverified = yield* agent("unverified")
    const domains = ({ call }: ScopedKey) => call("GET /v1/domains")
    const denied = { required: ["read", "manage"] }
    const scoped = yield* limited(unverified, { permissions: ["send"], mailboxIds: [unverified.mailboxId] })
    expectError(yield* domains(scoped), 403, "SCOPE_FORBIDDEN")
    const sender = yield* limited(unverified, { permissions: ["send"] })
    expectError(yield* domains(sender), 403, "PERMISSION_DENIED", denied)
    const reader = yield* limited(unverified, { permissions: ["read"] })
    expectError(yield* domains(reader), 403, "EMAIL_NOT_VERIFIED")
    // Malformed ids and unknown parameters come after it.
    expectError(yield* sender.call("GET /v1/mailboxes/none/messages?unknown=1"), 403, "PERMISSION_DENIED", {
      required: ["read"],
    })
  }),
  row("keys.permissions.order", "and before payment", function* () {
    const { call } = yield* World
    const owner = yield* agent("trial")
    const sender = yield* limited(owner, { permissions: ["send"] })
    const list = (key: string) => call("GET /v1/messages", { key })
    for (let sends = 0; sends < 10; sends++)
      yield* owner.call(`POST /v1/mailboxes/${owner.mailboxId}/messages`, { body: sendBody(owner.email) })
    expectPayment(yield* list(owner.key))
    expectError(yield* list(sender.key), 403, "PERMISSION_DENIED", { required: ["read"] })
  }),
  row("keys.permissions.self", "and no other without manage", function* () {
    const owner = yield* agent()
    const reader = yield* limited(owner, { permissions: "readOnly" })
    const other = yield* limited(owner, { permissions: "readOnly" })
    expectError(yield* reader.call(`DELETE /v1/api-keys/${other.id}`), 403, "PERMISSION_DENIED", {
      required: ["manage"],
    })
    expectAnswer(yield* reader.call(`DELETE /v1/api-keys/${reader.id}`), 200, { revoked: true })
    expectError(yield* reader.call("GET /v1/whoami"), 401, "UNAUTHORIZED")
  }),
  row("keys.permissions.last", "beside it the last one stays, and itself goes", function* () {
    const owner = yield* agent("active")
    const reader = yield* limited(owner, { permissions: "readOnly" })
    const first = textAt(listAt((yield* owner.call("GET /v1/api-keys")).json, "keys").at(-1), "id")
    expectError(yield* owner.call(`DELETE /v1/api-keys/${first}`), 400, "LAST_FULL_KEY")
    expect((yield* owner.call(`DELETE /v1/api-keys/${reader.id}`)).status).toBe(200)
    yield* limited(owner, { permissions: ["manage"] })
    expect((yield* owner.call(`DELETE /v1/api-keys/${first}`)).status).toBe(200)
  }),
]
