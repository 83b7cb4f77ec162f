/** The fields of every resource. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  type Agent,
  agent,
  arrived,
  listMessages,
  newestId,
  newKey,
  pathOf,
  receive,
  scopedKey,
  send,
  signUp,
  upload,
} from "../../src/agents.js"
import { type Answer, fieldsAt, listAt, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { deliveriesOnce, deliveryPath, hooked } from "../../src/webhooks.js"
import { Virtual, World } from "../../src/World.js"
import { anyTime, expectError, expectInvalid, expectWithin } from "../expectations.js"
import { BOB, binary } from "../values.js"

/** The fields of an object, from a list of names. */
const expectFields = (json: unknown, path: string, fields: string): void =>
  expect(fieldsAt(json, path)).toEqual(fields.split(", ").sort())

const messageFields =
  "id, mailboxId, direction, deliveredTo, messageId, inReplyTo, references, threadId, fromAddress, fromName, toAddresses, " +
  "ccAddresses, bccAddresses, replyTo, subject, bodyText, bodyHtml, extractedText, status, hasAttachments, " +
  "attachmentsDropped, attachmentsDroppedReason, overLimit, automated, authentication, codes, links, calendar, trust, spam, labels, " +
  "readAt, createdAt, sentAt, receivedAt, attachments, claim, quarantined"

const webhookFields =
  "id, url, mailboxId, events, headers, status, failureCount, lastTriggeredAt, createdAt, updatedAt"

const expectLocalPart = ({ call }: Agent, address: string, status: number) =>
  Effect.map(call("POST /v1/mailboxes", { body: { address } }), (answer) => {
    if (status === 201) expectWithin(answer, 201, { mailbox: { address } })
    else expectInvalid(answer, "address")
  })

/** The path of a signed link to an upload. */
const linkTo = ({ call }: Agent, uploaded: Answer) =>
  Effect.map(call(`GET /v1/attachments/${textAt(uploaded.json, "id")}`), ({ json }) =>
    pathOf(textAt(json, "url")),
  )

/** A link to a file of ten digits. */
const linkToDigits = Effect.gen(function* () {
  const owner = yield* agent()
  return yield* linkTo(owner, yield* upload(owner, "digits.bin", "0123456789", binary))
})

export const decisionsFields: Part = [
  row("decisions.account.fields", "these, and no other", function* () {
    const { call } = yield* agent()
    expectFields(
      (yield* call("GET /v1/account")).json,
      "account",
      "id, email, emailVerified, name, slug, plan, billingPeriod, state, suspended, suspendedAt, suspendedReason, " +
        "storageUsedBytes, storageLimitBytes, mailboxCount, activeMailboxCount, mailboxLimit, sentToday, " +
        "sentThisMonth, receivedToday, bouncedToday, monthlyInboundCount, monthlyInboundLimit, " +
        "monthlyInboundPercentage, monthlyInboundResetAt, overLimitMessageCount, billingLinked, trial, sendingPaused, createdAt",
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
        "suspendedReason, sendingStopped, outboundPolicy, reviewTtlHours, receivePolicy, onBlocked, quarantine, createdAt, updatedAt",
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
      expectWithin(yield* arrived(bcc), 200, {
        messages: [{ toAddresses: [to.address], bccAddresses: [] }],
      })
      const seen = yield* arrived(to)
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
    const text = "0123456789".repeat(7000)
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
  row("decisions.attachment.download", "with the type it was given, and its name", function* () {
    const { call } = yield* World
    const owner = yield* agent()
    const link = yield* linkTo(owner, yield* upload(owner, "übersicht.csv", "a;b", "text/csv"))
    const { status, text, headers } = yield* call(`GET ${link}`)
    expect([status, text]).toEqual([200, "a;b"])
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/csv",
      "content-length": "3",
      "content-disposition": expect.stringMatching(/^attachment; .*filename\*=UTF-8''%C3%BCbersicht\.csv$/),
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
    })
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
      "id, mailboxId, subject, participants, messageCount, lastMessageAt, createdAt, takenOverAt",
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
    expectFields(json, "webhook", `${webhookFields}, secret`)
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
  row("decisions.webhook.secret", "whsec_ and 32 bytes; no other answer has it", function* () {
    const { owner, path, secret } = yield* hooked
    const rotated = yield* owner.call(`POST ${path}/rotate-secret`)
    for (const one of [secret, textAt(rotated.json, "webhook.secret")]) expect(one).toMatch(/^whsec_.{43}=$/)
    for (const [target, object, body] of [
      ["GET /v1/webhooks", "webhooks.0", undefined],
      [`GET ${path}`, "webhook", undefined],
      [`PATCH ${path}`, "webhook", { status: "ACTIVE" }],
    ] as const)
      expectFields((yield* owner.call(target, { body })).json, object, webhookFields)
  }),
  row("decisions.delivery.fields", "while it waits, and once it is delivered", function* () {
    const made = yield* hooked
    const { owner, answer } = made
    const fields =
      "id, event, eventId, status, attempts, responseStatus, lastError, nextRetryAt, createdAt, deliveredAt"
    yield* answer(500)
    yield* receive(owner)
    const delivery = yield* deliveryPath(made, "PENDING")
    expect((yield* deliveriesOnce(made, "PENDING"))[0]).toMatchObject({
      nextRetryAt: anyTime,
      deliveredAt: null,
    })
    yield* answer(200)
    const again = yield* owner.call(`POST ${delivery}/redeliver`)
    const [delivered] = yield* deliveriesOnce(made, "DELIVERED")
    expect(delivered).toMatchObject({ nextRetryAt: null, deliveredAt: anyTime })
    expectFields(again.json, "delivery", fields)
    expectFields(delivered, "", fields)
  }),
  row("decisions.key.fields", "these, and no other", function* () {
    const owner = yield* agent()
    yield* scopedKey(owner)
    const { json } = yield* owner.call("GET /v1/api-keys")
    for (const path of ["keys.0", "keys.1"])
      expectFields(
        json,
        path,
        "id, name, prefix, mailboxIds, scoped, permissions, enabled, lastUsedAt, createdAt",
      )
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
