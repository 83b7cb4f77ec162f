/** Shapes: values, names, metadata, and the fields of every resource. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  type Agent,
  agent,
  listMessages,
  newcomer,
  newestId,
  newKey,
  newMailbox,
  receive,
  receiveMany,
  send,
  signIn,
  upload,
} from "../../src/agents.js"
import { fieldsAt, listAt, textAt, valueAt } from "../../src/Answer.js"
import { overTheTrial } from "../../src/gates.js"
import { type Part, row } from "../../src/Row.js"
import type { RowId } from "../../src/rows/index.js"
import { hooked, listDeliveries } from "../../src/webhooks.js"
import { World } from "../../src/World.js"
import {
  anyId,
  anyText,
  anyTime,
  expectAnswer,
  expectInvalid,
  expectWithin,
  upgrade,
} from "../expectations.js"

/** The fields of an object, from a list of names. */
const expectFields = (json: unknown, path: string, fields: string): void =>
  expect(fieldsAt(json, path)).toEqual(fields.split(", ").sort())

/** A list under the plural name and a resource under the singular, without other fields. */
const names = (
  id: RowId,
  plural: string,
  list: (owner: Agent) => string,
  singular?: readonly [string, string],
) =>
  row(id, `the list is ${plural}${singular === undefined ? "" : `, one is ${singular[0]}`}`, function* () {
    const owner = yield* agent()
    yield* receive(owner)
    const beside = ["messages", "threads"].includes(plural) ? "metadata, " : ""
    const listed = yield* owner.call(`GET ${list(owner)}`)
    expectFields(listed.json, "", `${beside}${plural}`)
    if (singular === undefined) return
    const one = yield* owner.call(
      `GET ${singular[1]}/${textAt(listed.json, `${plural}.0.id`)}`.replace("{}", list(owner)),
    )
    expectFields(one.json, "", singular[0])
  })

export const decisionsShapes: Part = [
  row("decisions.values.bytes", "storageLimitBytes is exactly that", function* () {
    const { call } = yield* agent()
    expectWithin(yield* call("GET /v1/account"), 200, { account: { storageLimitBytes: 1_073_741_824 } })
  }),
  row("decisions.values.ids", "of mailboxes made one after another", function* () {
    const owner = yield* agent()
    for (const address of ["second", "third"]) yield* newMailbox(owner, address)
    const ids = listAt((yield* owner.call("GET /v1/mailboxes")).json, "mailboxes").map((one) =>
      textAt(one, "id"),
    )
    for (const id of ids) expect(id).toEqual(anyId)
    expect([...ids].sort()).toEqual(ids)
  }),
  row("decisions.values.times", "of account, mailbox, key, message and thread", function* () {
    const owner = yield* agent("trial")
    yield* receive(owner)
    const times = [
      ["GET /v1/account", "account.createdAt"],
      ["GET /v1/account", "account.monthlyInboundResetAt"],
      ["GET /v1/account", "account.trial.expiresAt"],
      ["GET /v1/mailboxes", "mailboxes.0.updatedAt"],
      ["GET /v1/api-keys", "keys.0.lastUsedAt"],
      [`GET /v1/mailboxes/${owner.mailboxId}/messages`, "messages.0.receivedAt"],
      [`GET /v1/mailboxes/${owner.mailboxId}/threads`, "threads.0.lastMessageAt"],
    ] as const
    for (const [target, path] of times)
      expect(valueAt((yield* owner.call(target)).json, path)).toEqual(anyTime)
  }),
  row("decisions.values.addresses", "of recipients, of mailboxes and of the owner", function* () {
    const owner = yield* agent("trial")
    expectWithin(yield* send(owner, owner.email.toUpperCase()), 201, {
      message: { toAddresses: [owner.email] },
    })
    yield* receive(owner, [{ subject: "Shouted" }], owner.address.toUpperCase())
    expectWithin(yield* listMessages(owner, "?direction=INBOUND"), 200, {
      messages: [{ subject: "Shouted" }],
    })
  }),
  names("decisions.names.keys", "keys", () => "/v1/api-keys"),
  names("decisions.names.mailboxes", "mailboxes", () => "/v1/mailboxes", ["mailbox", "{}"]),
  names("decisions.names.messages", "messages", ({ mailboxId }) => `/v1/mailboxes/${mailboxId}/messages`, [
    "message",
    "{}",
  ]),
  names("decisions.names.threads", "threads", ({ mailboxId }) => `/v1/mailboxes/${mailboxId}/threads`, [
    "thread",
    "{}",
  ]),
  row("decisions.names.webhooks", "the list is webhooks, one is webhook", function* () {
    const { owner, path } = yield* hooked
    expectFields((yield* owner.call("GET /v1/webhooks")).json, "", "webhooks")
    for (const target of [`GET ${path}`, `POST ${path}/rotate-secret`])
      expectFields((yield* owner.call(target)).json, "", "webhook")
  }),
  row("decisions.names.deliveries", "the list is deliveries, one is delivery", function* () {
    const made = yield* hooked
    const { owner, path } = made
    const tried = yield* owner.call(`POST ${path}/test`)
    expectFields(tried.json, "", "delivery")
    expectFields((yield* listDeliveries(made)).json, "", "deliveries, metadata")
    const one = yield* owner.call(`GET ${path}/deliveries/${textAt(tried.json, "delivery.id")}`)
    expectFields(one.json, "", "delivery")
  }),
  row("decisions.names.account", "and nothing beside it", function* () {
    const { call } = yield* agent()
    expectFields((yield* call("GET /v1/account")).json, "", "account")
  }),
  row("decisions.flat.key", "with mailboxIds for a scoped one only", function* () {
    const owner = yield* agent()
    const create = (body: object) => owner.call("POST /v1/api-keys", { body })
    expectFields((yield* create({ name: "full" })).json, "", "id, name, key, prefix, scoped, permissions")
    const scoped = yield* create({ name: "scoped", mailboxIds: [owner.mailboxId] })
    expectFields(scoped.json, "", "id, name, key, prefix, scoped, permissions, mailboxIds")
  }),
  row("decisions.flat.attachment", "uploaded with four fields, read with all", function* () {
    const owner = yield* agent()
    const uploaded = yield* upload(owner, "a.txt", "A")
    expectFields(uploaded.json, "", "id, filename, contentType, sizeBytes")
    const read = yield* owner.call(`GET /v1/attachments/${textAt(uploaded.json, "id")}`)
    expectFields(read.json, "", "id, messageId, filename, contentType, sizeBytes, contentId, createdAt, url")
  }),
  row("decisions.flat.deleted", "of a message, an upload and a mailbox", function* () {
    const owner = yield* agent()
    yield* receive(owner)
    const file = yield* upload(owner, "a.txt", "A")
    const mailbox = `/v1/mailboxes/${owner.mailboxId}`
    for (const path of [
      `${mailbox}/messages/${yield* newestId(owner)}`,
      `/v1/attachments/${textAt(file.json, "id")}`,
      mailbox,
    ])
      expectAnswer(yield* owner.call(`DELETE ${path}`), 200, { deleted: true })
  }),
  row("decisions.flat.revoked", "of a key", function* () {
    const owner = yield* agent()
    const { id } = yield* newKey(owner)
    expectAnswer(yield* owner.call(`DELETE /v1/api-keys/${id}`), 200, { revoked: true })
  }),
  row("decisions.flat.ok", "of another verification mail, of signing in and out", function* () {
    const { call } = yield* World
    const owner = yield* agent()
    const { email } = owner
    expectAnswer(yield* call("POST /v1/auth/resend-verification", { body: { email } }), 200, { ok: true })
    expectAnswer(yield* call("POST /api/auth/sign-out", { cookie: yield* signIn(owner) }), 200, { ok: true })
  }),
  row("decisions.flat.upgrade", "three fields", function* () {
    const { call } = yield* agent()
    expectFields((yield* call("POST /v1/billing/upgrade")).json, "", "checkout_url, expires_at, message")
  }),
  row("decisions.flat.signup", "five fields", function* () {
    const { call } = yield* World
    const { body, headers } = yield* newcomer
    const { json } = yield* call("POST /v1/signup", { body, headers })
    expectFields(json, "", "user, mailbox, api_key, email_verified, next_steps")
  }),
  row("decisions.metadata.page", "nextCursor while there is more, and not on the last page", function* () {
    const owner = yield* agent()
    yield* receiveMany(owner, 2)
    const first = yield* listMessages(owner, "?limit=1")
    expect(valueAt(first.json, "metadata")).toEqual({
      overLimitCount: 0,
      limit: 1,
      offset: 0,
      hasMore: true,
      nextCursor: anyText,
    })
    const last = yield* listMessages(owner, "?limit=1&offset=1")
    expect(valueAt(last.json, "metadata")).toEqual({ overLimitCount: 0, limit: 1, offset: 1, hasMore: false })
  }),
  row("decisions.metadata.upgrade", "of messages and threads", function* () {
    const { owner } = yield* overTheTrial
    for (const list of ["messages", "threads"]) {
      const { json } = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/${list}`)
      expect(valueAt(json, "metadata.upgrade")).toEqual(upgrade)
    }
  }),
  row("decisions.metadata.limitHint", "absent with the 4th of ten, there with the 5th", function* () {
    const owner = yield* agent("trial")
    const hint = Effect.map(listMessages(owner), ({ json }) => valueAt(json, "metadata.limitHint"))
    yield* receiveMany(owner, 4)
    expect(yield* hint).toBeUndefined()
    yield* receive(owner)
    expect(yield* hint).toEqual({
      current: 5,
      limit: 10,
      percentage: 50,
      reset_date: anyTime,
      status: "approaching",
    })
  }),
  row("decisions.metadata.cursor", "whatever arrives in between", function* () {
    const owner = yield* agent()
    for (const subject of ["one", "two", "three", "four", "five"]) yield* receive(owner, [{ subject }])
    const seen: Array<unknown> = []
    let query = "?limit=2"
    for (;;) {
      const { json } = yield* listMessages(owner, query)
      seen.push(...listAt(json, "messages").map((message) => valueAt(message, "subject")))
      const cursor = valueAt(json, "metadata.nextCursor")
      if (cursor === undefined) break
      query = `?limit=2&cursor=${textAt(json, "metadata.nextCursor")}`
      yield* receive(owner, [{ subject: "in between" }])
    }
    expect(seen).toEqual(["five", "four", "three", "two", "one"])
    expectInvalid(yield* listMessages(owner, "?cursor=invented"), "cursor")
  }),
]
