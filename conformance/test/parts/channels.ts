/** Attachments, webhooks, the stream and the upgrade, as endpoints. */
import { Effect } from "effect"
import { expect } from "vitest"
import { agent, newMailbox, pathOf, pay, receive, scopedKey, send, upload } from "../../src/agents.js"
import { numberAt, textAt, valueAt } from "../../src/Answer.js"
import { overTheMonth } from "../../src/gates.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { hook, hooked } from "../../src/webhooks.js"
import { Virtual, World } from "../../src/World.js"
import {
  anyId,
  anyText,
  anyTime,
  expectAnswer,
  expectError,
  expectInvalid,
  expectPayment,
  expectWithin,
  UPGRADE_HINT,
} from "../expectations.js"

const EVENTS = ["message.received"]

const PDF = `%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >> endobj
4 0 obj << /Length 27 >> stream
BT /F 9 Tf (Hello) Tj ET   
endstream endobj
5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj
trailer << /Root 1 0 R >>
`
const PNG = new Uint8Array(Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"))
/** The envelope of an encrypted Office document. */
const ENCRYPTED = new Uint8Array(
  Buffer.concat([
    Buffer.from("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "latin1"),
    Buffer.from("EncryptedPackage", "utf16le"),
  ]),
)

export const channels: Part = [
  row("attachments.get.200", "what is known of it, and the way to its bytes", function* () {
    const owner = yield* agent()
    const id = textAt((yield* upload(owner, "a.txt", "12345")).json, "id")
    expectAnswer(yield* owner.call(`GET /v1/attachments/${id}`), 200, {
      id,
      messageId: null,
      filename: "a.txt",
      contentType: "text/plain",
      sizeBytes: 5,
      contentId: null,
      createdAt: anyTime,
      url: expect.stringContaining(`/v1/attachments/${id}/content?`),
    })
  }),
  virtual("attachments.get.402", "one of a gated message, as itself", function* () {
    const { hiddenAttachments } = yield* Virtual
    const { owner, id } = yield* overTheMonth
    const [attachment] = yield* hiddenAttachments(owner.mailboxId, id)
    expectWithin(yield* owner.call(`GET /v1/attachments/${attachment}`), 402, {
      code: "INBOUND_LIMIT_EXCEEDED",
      resource: { type: "attachment", id: attachment },
    })
  }),
  row("attachments.text.200", "all of a short text, from its start", function* () {
    const owner = yield* agent()
    const id = textAt((yield* upload(owner, "a.csv", "a;b\r\nc;d", "text/csv")).json, "id")
    const whole = { text: "a;b\nc;d", offset: 0, nextOffset: null, total: 7, kind: "csv" }
    expectAnswer(yield* owner.call(`GET /v1/attachments/${id}/text`), 200, whole)
    expectAnswer(yield* owner.call(`GET /v1/attachments/${id}/text`), 200, whole)
  }),
  row("attachments.text.parts", "the parts make the whole, and no character is split", function* () {
    const owner = yield* agent()
    const id = textAt((yield* upload(owner, "a.txt", "ab😀cd")).json, "id")
    const part = (query: string) => owner.call(`GET /v1/attachments/${id}/text?${query}`)
    const of = { total: 6, kind: "text" }
    expectAnswer(yield* part("maxChars=3"), 200, { text: "ab😀", offset: 0, nextOffset: 4, ...of })
    expectAnswer(yield* part("offset=4&maxChars=3"), 200, { text: "cd", offset: 4, nextOffset: null, ...of })
    expectAnswer(yield* part("offset=99"), 200, { text: "", offset: 6, nextOffset: null, ...of })
  }),
  row("attachments.text.kinds", "a PDF and a page of HTML under other names", function* () {
    const owner = yield* agent()
    const kindOf = (name: string, content: string, type: string) =>
      Effect.gen(function* () {
        const id = textAt((yield* upload(owner, name, content, type)).json, "id")
        const { json } = yield* owner.call(`GET /v1/attachments/${id}/text`)
        return [valueAt(json, "kind"), valueAt(json, "text")]
      })
    expect(yield* kindOf("a.txt", PDF, "text/plain")).toEqual(["pdf", "Hello"])
    expect(yield* kindOf("a.txt", "<!doctype html><p>Hello", "text/plain")).toEqual(["html", "Hello"])
    expect(yield* kindOf("a.json", "{}", "application/octet-stream")).toEqual(["json", "{}"])
  }),
  row("attachments.text.400", "what is no position in a text is refused by name", function* () {
    const owner = yield* agent()
    const id = textAt((yield* upload(owner, "a.txt", "a")).json, "id")
    const part = (query: string) => owner.call(`GET /v1/attachments/${id}/text?${query}`)
    expectInvalid(yield* part("offset=-1"), "offset")
    expectInvalid(yield* part("maxChars=0"), "maxChars")
    expectInvalid(yield* part("maxChars=500001"), "maxChars")
  }),
  virtual("attachments.text.402", "one of a gated message, as itself", function* () {
    const { hiddenAttachments } = yield* Virtual
    const { owner, id } = yield* overTheMonth
    const [attachment] = yield* hiddenAttachments(owner.mailboxId, id)
    expectWithin(yield* owner.call(`GET /v1/attachments/${attachment}/text`), 402, {
      code: "INBOUND_LIMIT_EXCEEDED",
      resource: { type: "attachment", id: attachment },
    })
  }),
  row("attachments.text.415", "a picture, and nothing", function* () {
    const owner = yield* agent()
    for (const content of [PNG, ""]) {
      const id = textAt((yield* upload(owner, "a.png", content, "image/png")).json, "id")
      expectError(yield* owner.call(`GET /v1/attachments/${id}/text`), 415, "NO_TEXT")
    }
  }),
  row("attachments.text.422", "a PDF without pages, and a document under a password", function* () {
    const owner = yield* agent()
    for (const [content, code] of [
      ["%PDF-1.7\nnothing", "TEXT_DAMAGED"],
      [ENCRYPTED, "TEXT_ENCRYPTED"],
    ] as const) {
      const id = textAt((yield* upload(owner, "a", content, "application/octet-stream")).json, "id")
      expectError(yield* owner.call(`GET /v1/attachments/${id}/text`), 422, code)
    }
  }),
  virtual("attachments.upload.413", "the last byte fits, one more does not", function* () {
    const { pretend } = yield* Virtual
    const owner = yield* agent()
    yield* pretend(owner.email, { storageUsedBytes: 1024 ** 3 - 5 })
    expect((yield* upload(owner, "fits.txt", "12345")).status).toBe(201)
    expectError(yield* upload(owner, "more.txt", "1"), 413, "STORAGE_FULL", { upgrade: UPGRADE_HINT })
  }),
  row("attachments.upload.full", "a scoped key uploads nothing", function* () {
    const scoped = yield* scopedKey(yield* agent())
    expectError(yield* upload(scoped, "a.txt", "A"), 403, "SCOPE_FORBIDDEN")
  }),
  row("attachments.upload.early", "before verification too", function* () {
    expectAnswer(yield* upload(yield* agent(), "a.txt", "A"), 201, {
      id: anyId,
      filename: "a.txt",
      contentType: "text/plain",
      sizeBytes: 1,
    })
  }),

  row("webhooks.create.201", "the webhook with its secret", function* () {
    const { receiver } = yield* World
    const { call } = yield* agent()
    const { url } = yield* receiver
    expectAnswer(yield* call("POST /v1/webhooks", { body: { url, events: EVENTS } }), 201, {
      webhook: {
        id: anyId,
        url,
        mailboxId: null,
        events: EVENTS,
        headers: null,
        status: "ACTIVE",
        failureCount: 0,
        lastTriggeredAt: null,
        createdAt: anyTime,
        updatedAt: anyTime,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      },
    })
  }),
  row("webhooks.create.once", "another webhook has another, and neither is shown again", function* () {
    const one = yield* hooked
    const two = yield* hook(one.owner)
    expect(two.secret).not.toBe(one.secret)
    const listed = yield* one.owner.call("GET /v1/webhooks")
    expectAnswer(listed, 200, { webhooks: [one.webhook, two.webhook] })
    for (const { secret } of [one, two]) expect(listed.text).not.toContain(secret)
  }),
  row("webhooks.create.400", "what is missing or malformed is refused by name", function* () {
    const { receiver } = yield* World
    const { call } = yield* agent()
    const { url } = yield* receiver
    for (const [path, body] of [
      ["url", { events: EVENTS }],
      ["url", { url: "receiver", events: EVENTS }],
      ["url", { url: "ftp://receiver.mailroom.dev", events: EVENTS }],
      ["events", { url }],
      ["events", { url, events: [] }],
      ["events.0", { url, events: ["message.read"] }],
      ["mailboxId", { url, events: EVENTS, mailboxId: "inbox" }],
    ] as const)
      expectInvalid(yield* call("POST /v1/webhooks", { body }), path)
  }),
  row("webhooks.create.401", "without a key none is made", function* () {
    const { call, receiver } = yield* World
    const { url } = yield* receiver
    expectError(yield* call("POST /v1/webhooks", { body: { url, events: EVENTS } }), 401, "UNAUTHORIZED")
  }),
  row("webhooks.create.402", "with a spent trial none is made", function* () {
    const { receiver } = yield* World
    const { call } = yield* agent("payment_required")
    const { url } = yield* receiver
    expectPayment(yield* call("POST /v1/webhooks", { body: { url, events: EVENTS } }))
  }),
  row(
    ["webhooks.create.403", "decisions.webhook.mailboxId"],
    "a scoped key makes none of the whole account",
    function* () {
      const { receiver } = yield* World
      const { call } = yield* scopedKey(yield* agent())
      const { url } = yield* receiver
      expectError(yield* call("POST /v1/webhooks", { body: { url, events: EVENTS } }), 403, "SCOPE_FORBIDDEN")
    },
  ),
  row("webhooks.create.scoped", "of its mailbox it makes one, of another it does not", function* () {
    const { receiver } = yield* World
    const owner = yield* agent()
    const second = yield* newMailbox(owner, "second")
    const { call } = yield* scopedKey(owner)
    const { url } = yield* receiver
    const create = (mailboxId: string) =>
      call("POST /v1/webhooks", { body: { url, events: EVENTS, mailboxId } })
    expectWithin(yield* create(owner.mailboxId), 201, { webhook: { mailboxId: owner.mailboxId } })
    expectError(yield* create(second.id), 404, "MAILBOX_NOT_FOUND")
  }),

  row("events.get.stream", "events come as they happen, on one response", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const stream = yield* listen({ key: owner.key, headers: { accept: "text/event-stream" } })
    expect(stream.headers.get("content-type")).toMatch(/^text\/event-stream/)
    for (const number of [1, 2]) {
      yield* receive(owner, [{ subject: `Mail ${number}` }])
      expect(valueAt((yield* stream.received(number)).at(-1)?.data, "data.subject")).toBe(`Mail ${number}`)
    }
  }),
  row("events.get.mailboxId", "the other mailbox's event does not come", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const second = yield* newMailbox(owner, "second")
    const stream = yield* listen({ key: owner.key }, `?mailboxId=${second.id}`)
    yield* receive(owner, [{ subject: "to the first" }])
    yield* receive(owner, [{ subject: "to the second" }], second.address)
    expect(yield* stream.received(1)).toMatchObject([{ data: { data: { subject: "to the second" } } }])
  }),
  row("events.get.events", "kinds that are not listed do not come", function* () {
    const { listen } = yield* World
    const owner = yield* agent("active")
    const stream = yield* listen({ key: owner.key }, "?events=message.sent,message.bounced")
    yield* receive(owner)
    yield* send(owner, "bob@partner.dev")
    expect(yield* stream.received(1)).toMatchObject([{ event: "message.sent" }])
  }),
  row("events.get.last-event-id", "without it what is new comes, with it what was missed too", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const first = yield* listen({ key: owner.key })
    for (const subject of ["seen", "missed"]) yield* receive(owner, [{ subject }])
    const [seen, missed] = yield* first.received(2)
    const again = yield* listen({ key: owner.key, headers: { "last-event-id": seen?.id ?? "" } })
    expect(yield* again.received(1)).toEqual([missed])
    const fresh = yield* listen({ key: owner.key })
    yield* receive(owner, [{ subject: "new" }])
    expect(yield* fresh.received(1)).toMatchObject([{ data: { data: { subject: "new" } } }])
  }),
  row("events.get.401", "without a key there is no stream", function* () {
    const { call } = yield* World
    expectError(yield* call("GET /v1/events"), 401, "UNAUTHORIZED")
  }),
  row("events.get.429", "the 6th is refused", function* () {
    const { listen } = yield* World
    const { key, call } = yield* agent()
    yield* Effect.replicateEffect(listen({ key }), 5)
    expectError(yield* call("GET /v1/events"), 429, "TOO_MANY_STREAMS")
  }),

  row("billing.upgrade.201", "without a body there is a link, its end and a hint", function* () {
    const { visit } = yield* World
    const { call } = yield* agent()
    const answer = yield* call("POST /v1/billing/upgrade")
    expectAnswer(answer, 201, {
      checkout_url: expect.stringMatching(/^http:\/\/mailroom\.test\/checkout\/[0-9a-f]{64}$/),
      expires_at: numberAt(answer.json, "expires_at"),
      message: anyText,
    })
    expect((yield* visit(`GET ${pathOf(textAt(answer.json, "checkout_url"))}`)).status).toBe(200)
  }),
  row(["billing.upgrade.409", "decisions.upgrade.409-paid"], "on a paid plan there is none", function* () {
    const owner = yield* agent()
    yield* pay(owner)
    expectError(yield* owner.call("POST /v1/billing/upgrade"), 409, "ALREADY_PAID")
  }),
]
