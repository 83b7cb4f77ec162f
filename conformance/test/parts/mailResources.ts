/** The fields of messages, threads, attachments, webhooks and upgrades. */
import { Effect } from "effect"
import { expect } from "vitest"
import { agent, checkout, listMessages, pathOf, receive, send } from "../../src/agents.js"
import { namesIn, listAt, numberAt, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row, virtual } from "../../src/Row.js"
import type { RowId } from "../../src/rows/index.js"
import { hooked } from "../../src/webhooks.js"
import { Virtual, World } from "../../src/World.js"
import { anyId, anyText, expectInvalid, expectWithin } from "../expectations.js"

/** A field of a mail's attachment in the event. */
const ofAttachment = (id: RowId, field: string, name: string, expected: readonly [unknown, unknown]) =>
  row(id, name, function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const stream = yield* listen({ key: owner.key })
    const attachments = [
      {
        filename: "logo.png",
        contentType: "image/png",
        content: new Uint8Array([137, 80]),
        cid: "logo@corp",
      },
      { filename: "a.csv", contentType: "text/csv", content: "a;b" },
    ]
    yield* receive(owner, [{ html: `<img src="cid:logo@corp">`, attachments }])
    const [frame] = yield* stream.received(1)
    const found = listAt(frame?.data, "data.attachments")
    expect(found.map((one) => valueAt(one, field))).toEqual(expected)
  })

const webhookEvents = ["message.received", "message.sent"]

export const mailResources: Part = [
  row("resources.message.direction", "what arrived is INBOUND, what was sent OUTBOUND", function* () {
    const owner = yield* agent("active")
    yield* receive(owner)
    yield* send(owner, "bob@partner.dev")
    expectWithin(yield* listMessages(owner), 200, {
      messages: [{ direction: "OUTBOUND" }, { direction: "INBOUND" }],
    })
  }),
  row("resources.message.deliveredTo", "with the tag, in lists and on a single read", function* () {
    const owner = yield* agent("active")
    const tagged = owner.address.replace("@", "+bills@")
    yield* receive(owner, [{}], tagged)
    const sent = yield* send(owner, "bob@partner.dev")
    expectWithin(sent, 201, { message: { deliveredTo: null } })
    expectWithin(yield* listMessages(owner), 200, {
      messages: [{ deliveredTo: null }, { deliveredTo: tagged }],
    })
    const id = textAt((yield* listMessages(owner)).json, "messages.1.id")
    expectWithin(yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages/${id}`), 200, {
      message: { deliveredTo: tagged },
    })
  }),
  row("resources.message.status", "the answer to a send says SENT, and so does its read", function* () {
    const owner = yield* agent("active")
    const sent = yield* send(owner, "bob@partner.dev")
    expectWithin(sent, 201, { message: { status: "SENT" } })
    const path = `/v1/mailboxes/${owner.mailboxId}/messages/${textAt(sent.json, "message.id")}`
    expectWithin(yield* owner.call(`GET ${path}`), 200, { message: { status: "SENT" } })
  }),
  row("resources.message.to", "it is a list of addresses, and nothing else", function* () {
    const owner = yield* agent("active")
    const to = ["bob@partner.dev", "eve@partner.dev"]
    expectWithin(yield* send(owner, "", { to }), 201, { message: { toAddresses: to } })
    expectInvalid(yield* send(owner, "", { to: "bob@partner.dev" }), "to")
  }),
  row("resources.message.subject", "998 characters are taken, 999 are not", function* () {
    const owner = yield* agent("active")
    for (const character of ["s", "𝄞"]) {
      const subject = character.repeat(998)
      expectWithin(yield* send(owner, "bob@partner.dev", { subject }), 201, { message: { subject } })
      expectInvalid(yield* send(owner, "bob@partner.dev", { subject: subject + character }), "subject")
      const filter = (text: string) => owner.call(`GET /v1/messages?subject=${encodeURIComponent(text)}`)
      expectWithin(yield* filter(subject), 200, { messages: [{ subject }] })
      expectInvalid(yield* filter(subject + character), "subject")
    }
  }),
  row("resources.message.bodyText", "the text goes out and is read as it was given", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const to = `to-${owner.slug}@partner.dev`
    expectWithin(yield* send(owner, to, { bodyText: "Grüße €" }), 201, {
      message: { bodyText: "Grüße €", bodyHtml: null },
    })
    expect((yield* outbox(to))[0]?.text?.trim()).toBe("Grüße €")
  }),
  row("resources.message.bodyHtml", "the HTML goes out and is read as it was given", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const to = `to-${owner.slug}@partner.dev`
    const bodyHtml = "<p>Grüße <b>€</b></p>"
    expectWithin(yield* send(owner, to, { bodyText: undefined, bodyHtml }), 201, {
      message: { bodyText: null, bodyHtml },
    })
    expect((yield* outbox(to))[0]?.html?.trim()).toBe(bodyHtml)
  }),
  row("resources.message.inReplyTo", "the reply names what it answers, and is in its thread", function* () {
    const owner = yield* agent("active")
    yield* receive(owner, [{ messageId: "<question@sender.dev>" }])
    const listed = yield* listMessages(owner)
    const sent = yield* send(owner, "bob@sender.dev", { inReplyTo: textAt(listed.json, "messages.0.id") })
    expectWithin(sent, 201, {
      message: {
        inReplyTo: "<question@sender.dev>",
        threadId: textAt(listed.json, "messages.0.threadId"),
      },
    })
  }),
  row("resources.message.threadId", "it is a UUID under which the thread is read", function* () {
    const owner = yield* agent()
    yield* receive(owner)
    const threadId = valueAt((yield* listMessages(owner)).json, "messages.0.threadId")
    expect(threadId).toEqual(anyId)
    const thread = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/threads/${String(threadId)}`)
    expectWithin(thread, 200, { thread: { id: threadId } })
  }),
  row(
    ["resources.message.attachments", "resources.message.camel"],
    "a single read has attachments, and camelCase: messageId, bodyText",
    function* () {
      const owner = yield* agent()
      const file = { filename: "a.txt", contentType: "text/plain", content: "A" }
      yield* receive(owner, [{ messageId: "<one@sender.dev>", text: "Hi", attachments: [file] }])
      const id = textAt((yield* listMessages(owner)).json, "messages.0.id")
      const read = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages/${id}`)
      expectWithin(read, 200, {
        message: {
          messageId: "<one@sender.dev>",
          bodyText: expect.stringContaining("Hi"),
          attachments: [{ filename: "a.txt", sizeBytes: 1 }],
        },
      })
    },
  ),
  row("resources.thread.id", "a thread keeps its UUID while it grows", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ messageId: "<first@sender.dev>" }])
    const before = valueAt((yield* listMessages(owner)).json, "messages.0.threadId")
    yield* receive(owner, [{ inReplyTo: "<first@sender.dev>" }])
    expect(before).toEqual(anyId)
    expectWithin(yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/threads`), 200, {
      threads: [{ id: before, messageCount: 2 }],
    })
  }),
  row("resources.thread.visible", "a gated answer changes neither its count nor its time", function* () {
    const owner = yield* agent("trial")
    yield* receive(
      owner,
      Array.from({ length: 10 }, (_, index) => ({ messageId: `<mail-${index}@sender.dev>` })),
    )
    const path = `GET /v1/mailboxes/${owner.mailboxId}/threads`
    const before = yield* owner.call(path)
    yield* receive(owner, [{ inReplyTo: "<mail-9@sender.dev>" }])
    const after = yield* owner.call(path)
    expect(valueAt(after.json, "threads")).toEqual(valueAt(before.json, "threads"))
    expect(numberAt(after.json, "metadata.overLimitCount")).toBe(1)
  }),
  ofAttachment("resources.attachment.id", "id", "two attachments have two UUIDs", [anyId, anyId]),
  ofAttachment("resources.attachment.filename", "filename", "as it was given", ["logo.png", "a.csv"]),
  ofAttachment("resources.attachment.content_type", "content_type", "as it was given", [
    "image/png",
    "text/csv",
  ]),
  ofAttachment("resources.attachment.size_bytes", "size_bytes", "what it has decoded", [2, 3]),
  ofAttachment("resources.attachment.content_id", "content_id", "without brackets, and null", [
    "logo@corp",
    null,
  ]),
  virtual("resources.attachment.download_url", "handed out later it lasts longer", function* () {
    const { call, listen } = yield* World
    const { advance } = yield* Virtual
    const owner = yield* agent()
    const file = { filename: "a.bin", contentType: "application/octet-stream", content: "12345" }
    yield* receive(owner, [{ attachments: [file] }])
    const link = Effect.gen(function* () {
      const stream = yield* listen({ key: owner.key, headers: { "last-event-id": "none" } })
      const [frame] = yield* stream.received(1)
      return `GET ${pathOf(textAt(frame?.data, "data.attachments.0.download_url"))}`
    })
    const first = yield* link
    expect((yield* call(first)).text).toBe("12345")
    yield* advance("30 minutes")
    const second = yield* link
    yield* advance("23 hours")
    yield* advance(30 * 60 * 1000)
    expect([(yield* call(first)).status, (yield* call(second)).status]).toEqual([404, 200])
    yield* advance("30 minutes")
    expect((yield* call(second)).status).toBe(404)
  }),
  row("resources.webhook.id", "a webhook has an id", function* () {
    const { receiver } = yield* World
    const { url } = yield* receiver
    const made = yield* (yield* agent()).call("POST /v1/webhooks", { body: { url, events: webhookEvents } })
    expectWithin(made, 201, { webhook: { id: anyId } })
  }),
  row(["resources.webhook.url", "resources.webhook.events"], "they are what was asked for", function* () {
    const { receiver } = yield* World
    const { url } = yield* receiver
    const made = yield* (yield* agent()).call("POST /v1/webhooks", { body: { url, events: webhookEvents } })
    expectWithin(made, 201, { webhook: { url, events: webhookEvents } })
  }),
  row("resources.webhook.secret", "no read and no change has it", function* () {
    const { owner, path, secret } = yield* hooked
    for (const [target, body] of [
      ["GET /v1/webhooks", undefined],
      [`GET ${path}`, undefined],
      [`PATCH ${path}`, { status: "PAUSED" }],
    ] as const) {
      const answer = yield* owner.call(target, { body })
      expect(answer.status).toBe(200)
      expect(namesIn(answer.json)).not.toContain("secret")
      expect(answer.text).not.toContain(secret)
    }
  }),
  row("resources.upgrade.checkout_url", "it leads to a page", function* () {
    const { visit } = yield* World
    const page = yield* visit(`GET ${yield* checkout(yield* agent())}`)
    expect([page.status, page.headers.get("content-type")]).toEqual([
      200,
      expect.stringMatching(/^text\/html/),
    ])
  }),
  row("resources.upgrade.expires_at", "it is 24 hours from now, in seconds", function* () {
    const { now } = yield* World
    const { call } = yield* agent()
    const before = yield* now
    const expiresAt = numberAt((yield* call("POST /v1/billing/upgrade")).json, "expires_at")
    const day = 24 * 60 * 60
    expect(expiresAt).toBeGreaterThanOrEqual(Math.floor(before / 1000) + day)
    expect(expiresAt).toBeLessThanOrEqual(Math.ceil((yield* now) / 1000) + day)
  }),
  row("resources.upgrade.message", "it is a hint", function* () {
    const { call } = yield* agent()
    expectWithin(yield* call("POST /v1/billing/upgrade"), 201, { message: anyText })
  }),
]
