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
  pathOf,
  receive,
  receiveMany,
  scopedKey,
  send,
  signIn,
  signUp,
  upload,
} from "../../src/agents.js"
import { fieldsAt, listAt, textAt, valueAt } from "../../src/Answer.js"
import { overTheTrial } from "../../src/gates.js"
import { type Part, row, virtual } from "../../src/Row.js"
import type { RowId } from "../../src/rows/index.js"
import { Virtual, World } from "../../src/World.js"
import {
  anyId,
  anyText,
  anyTime,
  expectAnswer,
  expectError,
  expectInvalid,
  expectWithin,
  upgrade,
} from "../expectations.js"

const BOB = "bob@partner.dev"
const binary = "application/octet-stream"

/** The fields of an object, as a line of the decisions has them. */
const expectFields = (json: unknown, path: string, fields: string): void =>
  expect(fieldsAt(json, path)).toEqual(fields.split(", ").sort())

const messageFields =
  "id, mailboxId, direction, messageId, inReplyTo, references, threadId, fromAddress, fromName, toAddresses, " +
  "ccAddresses, bccAddresses, replyTo, subject, bodyText, bodyHtml, extractedText, status, hasAttachments, " +
  "attachmentsDropped, attachmentsDroppedReason, overLimit, automated, authentication, codes, links, labels, " +
  "readAt, createdAt, sentAt, receivedAt, attachments"

/** A list under its plural, one under its singular, each alone. */
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

const expectLocalPart = ({ call }: Agent, address: string, status: number) =>
  Effect.map(call("POST /v1/mailboxes", { body: { address } }), (answer) => {
    if (status === 201) expectWithin(answer, 201, { mailbox: { address } })
    else expectInvalid(answer, "address")
  })

/** The path of a signed link to a file of ten digits. */
const linkToDigits = Effect.gen(function* () {
  const owner = yield* agent()
  const file = yield* upload(owner, "digits.bin", "0123456789", binary)
  const read = yield* owner.call(`GET /v1/attachments/${textAt(file.json, "id")}`)
  return pathOf(textAt(read.json, "url"))
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
  row("decisions.names.account", "and nothing beside it", function* () {
    const { call } = yield* agent()
    expectFields((yield* call("GET /v1/account")).json, "", "account")
  }),

  row("decisions.flat.key", "with mailboxIds for a scoped one only", function* () {
    const owner = yield* agent()
    const create = (body: object) => owner.call("POST /v1/api-keys", { body })
    expectFields((yield* create({ name: "full" })).json, "", "id, name, key, prefix, scoped")
    const scoped = yield* create({ name: "scoped", mailboxIds: [owner.mailboxId] })
    expectFields(scoped.json, "", "id, name, key, prefix, scoped, mailboxIds")
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
  row("decisions.flat.signup", "four fields", function* () {
    const { call } = yield* World
    const { body, headers } = yield* newcomer
    const { json } = yield* call("POST /v1/signup", { body, headers })
    expectFields(json, "", "user, api_key, email_verified, next_steps")
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

  row("decisions.account.fields", "these, and no other", function* () {
    const { call } = yield* agent()
    expectFields(
      (yield* call("GET /v1/account")).json,
      "account",
      "id, email, emailVerified, name, slug, plan, billingPeriod, state, suspended, suspendedReason, " +
        "storageUsedBytes, storageLimitBytes, mailboxCount, activeMailboxCount, mailboxLimit, sentToday, " +
        "sentThisMonth, receivedToday, bouncedToday, monthlyInboundCount, monthlyInboundLimit, " +
        "monthlyInboundPercentage, monthlyInboundResetAt, overLimitMessageCount, billingLinked, trial, createdAt",
    )
  }),
  row("decisions.account.trial", "these in the trial; null before it and on a plan", function* () {
    const trialOf = ({ call }: Agent) =>
      Effect.map(call("GET /v1/account"), ({ json }) => valueAt(json, "account.trial"))
    const owner = yield* agent("trial")
    yield* send(owner, owner.email)
    yield* receive(owner)
    expect(yield* trialOf(owner)).toEqual({
      active: true,
      expired: false,
      exhausted: false,
      sendsUsed: 1,
      sendsRemaining: 9,
      sendCap: 10,
      receivesUsed: 1,
      receivesRemaining: 9,
      receiveCap: 10,
      startedAt: anyTime,
      expiresAt: anyTime,
    })
    expect([yield* trialOf(yield* signUp()), yield* trialOf(yield* agent("active"))]).toEqual([null, null])
  }),
  row("decisions.mailbox.fields", "these, and no other", function* () {
    const { call } = yield* agent()
    expectFields(
      (yield* call("GET /v1/mailboxes")).json,
      "mailboxes.0",
      "id, domainId, address, fullAddress, displayName, status, mailServerProvisioned, dailySendCount, " +
        "dailySendLimit, monthlySendCount, monthlySendLimit, receivedThisMonth, pausedByBilling, " +
        "suspendedReason, createdAt, updatedAt",
    )
  }),
  row("decisions.mailbox.status-case", "PAUSED is paused, active is ACTIVE", function* () {
    const { call, mailboxId } = yield* agent()
    for (const [given, written] of [
      ["PAUSED", "paused"],
      ["active", "ACTIVE"],
      ["Paused", "paused"],
    ] as const)
      expectWithin(yield* call(`PATCH /v1/mailboxes/${mailboxId}`, { body: { status: given } }), 200, {
        mailbox: { status: written },
      })
  }),
  row("decisions.mailbox.local-part", "one and 64 characters, and what is in between", function* () {
    const owner = yield* agent("active")
    for (const address of ["a", "a".repeat(64), "a.b-c_d.9"]) yield* expectLocalPart(owner, address, 201)
    for (const address of ["", "a".repeat(65), ".a", "a.", "a..b", "a+b", "a b", "ü", "a@b"])
      yield* expectLocalPart(owner, address, 400)
  }),
  row("decisions.mailbox.local-part-case", "and taken in any case", function* () {
    const { call } = yield* agent()
    const create = (address: string) => call("POST /v1/mailboxes", { body: { address } })
    expectWithin(yield* create("Sales"), 201, { mailbox: { address: "sales" } })
    expectError(yield* create("SALES"), 409, "ADDRESS_TAKEN")
  }),
  row("decisions.message.fields", "of what came and of what went", function* () {
    const owner = yield* agent("active")
    yield* receive(owner)
    const inbound = yield* owner.call(
      `GET /v1/mailboxes/${owner.mailboxId}/messages/${yield* newestId(owner)}`,
    )
    for (const { json } of [inbound, yield* send(owner, BOB)])
      expectFields(json, "message", `${messageFields}, headers`)
  }),
  row(
    "decisions.message.bcc",
    "the sender reads it, another recipient on the platform does not",
    function* () {
      const sender = yield* agent("active")
      const [to, bcc] = [yield* agent(), yield* agent()]
      const sent = yield* send(sender, to.address, { bcc: [bcc.address] })
      expectWithin(sent, 201, { message: { bccAddresses: [bcc.address] } })
      const { eventually } = yield* World
      const arrivedAt = (owner: Agent) =>
        eventually("it is there", listMessages(owner), ({ json }) => listAt(json, "messages").length === 1)
      expectWithin(yield* arrivedAt(bcc), 200, {
        messages: [{ toAddresses: [to.address], bccAddresses: [] }],
      })
      const seen = yield* arrivedAt(to)
      expectWithin(seen, 200, { messages: [{ bccAddresses: [] }] })
      expect(seen.text).not.toContain(bcc.address)
    },
  ),
  row("decisions.message.list", "headers are in the single read only", function* () {
    const owner = yield* agent()
    yield* receive(owner)
    const { json } = yield* listMessages(owner)
    expectFields(json, "messages.0", messageFields)
  }),
  row("decisions.message.truncated", "the single read has it whole, a short one is not cut", function* () {
    const owner = yield* agent()
    const text = `${"0123456789".repeat(7000)}`
    yield* receive(owner, [{ subject: "long", text }])
    yield* receive(owner, [{ subject: "short" }])
    const { json } = yield* listMessages(owner)
    expect(fieldsAt(json, "messages.0")).not.toContain("truncated")
    expect(valueAt(json, "messages.1.truncated")).toBe(true)
    expect(textAt(json, "messages.1.bodyText")).toHaveLength(64 * 1024)
    const path = `/v1/mailboxes/${owner.mailboxId}/messages/${textAt(json, "messages.1.id")}`
    const read = yield* owner.call(`GET ${path}`)
    expect(textAt(read.json, "message.bodyText").replaceAll(/\s/g, "")).toBe(text)
    expect(fieldsAt(read.json, "message")).not.toContain("truncated")
  }),
  row("decisions.message.received", "with receivedAt, and without sentAt", function* () {
    const owner = yield* agent()
    yield* receive(owner)
    expectWithin(yield* listMessages(owner), 200, {
      messages: [{ status: "RECEIVED", receivedAt: anyTime, sentAt: null }],
    })
  }),
  virtual("decisions.message.sending", "nor in any thread", function* () {
    const { relay } = yield* Virtual
    const owner = yield* agent("active")
    yield* relay.reachable(false)
    expect((yield* send(owner, BOB)).status).toBe(503)
    expectWithin(yield* listMessages(owner), 200, { messages: [] })
    expectWithin(yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/threads`), 200, { threads: [] })
  }),
  row("decisions.attachment.fields", "inside a message", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ attachments: [{ filename: "a.txt", contentType: "text/plain", content: "A" }] }])
    const { json } = yield* listMessages(owner)
    expectFields(
      json,
      "messages.0.attachments.0",
      "id, messageId, filename, contentType, sizeBytes, contentId, createdAt",
    )
  }),
  row("decisions.attachment.url", "the link opens without a key; a changed one does not", function* () {
    const { call } = yield* World
    const link = yield* linkToDigits
    expect((yield* call(`GET ${link}`)).text).toBe("0123456789")
    const later = link.replace(/expires=\d+/, "expires=99999999999999")
    expectError(yield* call(`GET ${later}`), 404, "ATTACHMENT_NOT_FOUND")
  }),
  row("decisions.attachment.range", "a part, an end, and none beyond", function* () {
    const { call } = yield* World
    const link = yield* linkToDigits
    for (const [range, status, text, contentRange] of [
      ["bytes=2-4", 206, "234", "bytes 2-4/10"],
      ["bytes=-2", 206, "89", "bytes 8-9/10"],
      ["bytes=10-", 416, "", "bytes */10"],
    ] as const) {
      const answer = yield* call(`GET ${link}`, { headers: { range } })
      expect([answer.status, answer.text, answer.headers.get("content-range")]).toEqual([
        status,
        text,
        contentRange,
      ])
    }
  }),
  row("decisions.thread.fields", "these, and no other", function* () {
    const owner = yield* agent()
    yield* receive(owner)
    const { json } = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/threads`)
    expectFields(
      json,
      "threads.0",
      "id, mailboxId, subject, participants, messageCount, lastMessageAt, createdAt",
    )
  }),
  row("decisions.thread.messages", "as the list of messages has them", function* () {
    const owner = yield* agent("active")
    yield* receive(owner, [{ messageId: "<one@sender.dev>" }])
    const first = yield* listMessages(owner)
    const inReplyTo = textAt(first.json, "messages.0.id")
    yield* send(owner, "bob@sender.dev", { inReplyTo })
    const listed = listAt((yield* listMessages(owner)).json, "messages")
    const threadId = textAt(first.json, "messages.0.threadId")
    const thread = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/threads/${threadId}`)
    expect(valueAt(thread.json, "thread.messages")).toEqual([...listed].reverse())
  }),
  row("decisions.webhook.fields", "these, and the secret at creation", function* () {
    const { receiver } = yield* World
    const { call } = yield* agent()
    const { url } = yield* receiver
    const { json } = yield* call("POST /v1/webhooks", { body: { url, events: ["message.sent"] } })
    expectFields(
      json,
      "webhook",
      "id, url, mailboxId, events, headers, status, failureCount, lastTriggeredAt, createdAt, updatedAt, secret",
    )
  }),
  row("decisions.webhook.headers", "the names are there, the values are not", function* () {
    const { receiver } = yield* World
    const { call } = yield* agent()
    const { url } = yield* receiver
    const headers = { Authorization: "Bearer of-the-receiver", "X-Run": "seven" }
    const answer = yield* call("POST /v1/webhooks", { body: { url, events: ["message.sent"], headers } })
    expectFields(answer.json, "webhook.headers", "Authorization, X-Run")
    expect(answer.text).not.toMatch(/of-the-receiver|seven/)
  }),
  row("decisions.key.fields", "these, and no other", function* () {
    const owner = yield* agent()
    yield* scopedKey(owner)
    const { json } = yield* owner.call("GET /v1/api-keys")
    for (const path of ["keys.0", "keys.1"])
      expectFields(json, path, "id, name, prefix, mailboxIds, scoped, enabled, lastUsedAt, createdAt")
    expect(valueAt(json, "keys.0")).toMatchObject({ scoped: true, enabled: true, lastUsedAt: null })
  }),
  row("decisions.key.format", "of the first and of any other", function* () {
    const owner = yield* agent()
    const { key } = yield* newKey(owner)
    for (const one of [key, owner.key]) expect(one).toMatch(/^mr_[0-9a-f]{64}$/)
    expectWithin(yield* owner.call("GET /v1/api-keys"), 200, {
      keys: [{ prefix: key.slice(0, 11) }, { prefix: owner.key.slice(0, 11) }],
    })
  }),
]
