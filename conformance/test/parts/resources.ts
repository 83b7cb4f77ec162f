/** The fields of resources. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  agent,
  checkout,
  listMessages,
  newcomer,
  newKey,
  newMailbox,
  pathOf,
  pay,
  receive,
  scopedKey,
  send,
  upload,
} from "../../src/agents.js"
import { listAt, numberAt, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row, virtual } from "../../src/Row.js"
import type { RowId } from "../../src/rows/index.js"
import { Virtual, World } from "../../src/World.js"
import { ABSENT, anyId, anyText, expectError, expectInvalid, expectWithin } from "../expectations.js"

/** A field of the answer to a signup. */
const atSignup = (id: RowId, path: string, name: string, expected: (slug: string) => unknown) =>
  row(id, name, function* () {
    const { call } = yield* World
    const { slug, body, headers } = yield* newcomer
    const { json } = yield* call("POST /v1/signup", { body, headers })
    expect(valueAt(json, path)).toEqual(expected(slug))
  })

/** A field of a mail's attachments, as the event tells it. */
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

export const resources: Part = [
  row("resources.account.slug", "3 and 30 characters are taken, and kept as they are", function* () {
    const { call, next } = yield* World
    for (const slug of [
      `a${(yield* next).toString(36)}z`.padStart(3, "b"),
      `${yield* next}-`.padEnd(30, "x"),
    ]) {
      const { body, headers } = yield* newcomer
      expectWithin(yield* call("POST /v1/signup", { body: { ...body, slug }, headers }), 201, {
        user: { slug },
      })
    }
  }),
  atSignup(
    "resources.account.platform_domain",
    "user.platform_domain",
    "it is the slug under the platform domain",
    (slug) => `${slug}.mailroom.localhost`,
  ),
  atSignup("resources.account.email_verified", "email_verified", "it is false", () => false),
  atSignup("resources.account.verify_email", "next_steps.verify_email", "it is a hint", () => anyText),
  atSignup("resources.account.create_mailbox", "next_steps.create_mailbox", "it is a hint", () => anyText),

  row("resources.account.plan", "it is Free, and then the plan that was bought", function* () {
    const owner = yield* agent()
    expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { plan: "Free" } })
    yield* pay(owner, "Growth")
    expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { plan: "Growth" } })
  }),

  row("resources.account.storageUsedBytes", "uploads and arrived attachments are counted", function* () {
    const owner = yield* agent()
    yield* upload(owner, "a.txt", "12345")
    expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { storageUsedBytes: 5 } })
    yield* receive(owner, [
      { attachments: [{ filename: "b.txt", contentType: "text/plain", content: "123" }] },
    ])
    expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { storageUsedBytes: 8 } })
  }),

  row("resources.account.storageLimitBytes", "it grows with the plan", function* () {
    const owner = yield* agent()
    const gb = 1024 * 1024 * 1024
    expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { storageLimitBytes: gb } })
    yield* pay(owner)
    expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { storageLimitBytes: 10 * gb } })
  }),

  row(
    ["resources.account.sentToday", "resources.account.sentThisMonth"],
    "sends of two mailboxes are counted together",
    function* () {
      const owner = yield* agent("active")
      const second = yield* newMailbox(owner, "second")
      yield* send(owner, "bob@partner.dev")
      yield* send({ ...owner, mailboxId: second.id }, "bob@partner.dev")
      expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { sentToday: 2, sentThisMonth: 2 } })
    },
  ),

  row("resources.account.more", "counts, quota and linkage are there, and true", function* () {
    const owner = yield* agent("active")
    yield* newMailbox(owner, "second")
    yield* owner.call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body: { status: "paused" } })
    yield* receive(owner)
    expectWithin(yield* owner.call("GET /v1/account"), 200, {
      account: {
        mailboxCount: 2,
        activeMailboxCount: 1,
        mailboxLimit: 10,
        monthlyInboundCount: 1,
        monthlyInboundLimit: 2000,
        billingLinked: true,
      },
    })
  }),

  row("resources.key.key", "the raw key is in the answer to its creation, and it works", function* () {
    const { call } = yield* World
    const owner = yield* agent()
    const made = yield* owner.call("POST /v1/api-keys", { body: { name: "worker" } })
    expect((yield* call("GET /v1/account", { key: textAt(made.json, "key") })).status).toBe(200)
    expect((yield* owner.call("GET /v1/api-keys")).text).not.toContain(textAt(made.json, "key"))
  }),
  row("resources.key.prefix", "it is how the key begins", function* () {
    const owner = yield* agent()
    const { key, id } = yield* newKey(owner)
    const { json } = yield* owner.call("GET /v1/api-keys")
    const listed = listAt(json, "keys").find((one) => valueAt(one, "id") === id)
    expect(key.startsWith(textAt(listed, "prefix"))).toBe(true)
    expect(textAt(listed, "prefix").length).toBeLessThan(16)
  }),
  row("resources.key.name", "the label comes back at once and in the list", function* () {
    const owner = yield* agent()
    const made = yield* owner.call("POST /v1/api-keys", { body: { name: "night shift" } })
    expectWithin(made, 201, { name: "night shift" })
    const { json } = yield* owner.call("GET /v1/api-keys")
    expect(listAt(json, "keys").map((one) => valueAt(one, "name"))).toContain("night shift")
  }),
  row("resources.key.mailboxIds", "it is the scope that was given, and null with full access", function* () {
    const owner = yield* agent()
    yield* scopedKey(owner)
    const { json } = yield* owner.call("GET /v1/api-keys")
    expect(listAt(json, "keys").map((one) => valueAt(one, "mailboxIds"))).toEqual([[owner.mailboxId], null])
  }),
  row("resources.key.id", "the key is revoked by it", function* () {
    const owner = yield* agent()
    const another = yield* newKey(owner)
    expect((yield* owner.call(`DELETE /v1/api-keys/${another.id}`)).status).toBe(200)
    expect((yield* another.call("GET /v1/account")).status).toBe(401)
  }),
  row("resources.key.listing", "the list has prefixes, and no key or hash of one", function* () {
    const owner = yield* agent()
    const { key } = yield* newKey(owner)
    const listed = yield* owner.call("GET /v1/api-keys")
    expectWithin(listed, 200, { keys: [{ prefix: key.slice(0, 11) }, { prefix: owner.key.slice(0, 11) }] })
    expect(listed.text).not.toMatch(/[0-9a-f]{40}/)
  }),
  atSignup("resources.key.signup", "api_key", "api_key.key, and nothing beside it", () => ({
    key: expect.stringMatching(/^mr_[0-9a-f]{64}$/),
  })),

  row("resources.mailbox.address", "the local part, and the whole address beside it", function* () {
    const { call, slug } = yield* agent()
    expectWithin(yield* call("POST /v1/mailboxes", { body: { address: "team" } }), 201, {
      mailbox: { address: "team", fullAddress: `team@${slug}.mailroom.localhost` },
    })
  }),
  row("resources.mailbox.displayName", "left out it is null, given it is kept and sent", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const plain = yield* owner.call("POST /v1/mailboxes", { body: { address: "plain" } })
    expectWithin(plain, 201, { mailbox: { displayName: null } })
    yield* owner.call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body: { displayName: "Ada Agent" } })
    yield* send(owner, `to-${owner.slug}@partner.dev`)
    const [mail] = yield* outbox(`to-${owner.slug}@partner.dev`)
    expect(mail?.headers["from"]).toContain("Ada Agent")
  }),
  row("resources.mailbox.domainId", "left out it is null; one that does not exist is 404", function* () {
    const { call } = yield* agent()
    const plain = yield* call("POST /v1/mailboxes", { body: { address: "plain" } })
    expectWithin(plain, 201, { mailbox: { domainId: null } })
    const body = { address: "own", domainId: ABSENT }
    expectError(yield* call("POST /v1/mailboxes", { body }), 404, "DOMAIN_NOT_FOUND")
  }),
  row(
    "resources.mailbox.status",
    "the two that its owner sets, and the document has all three",
    function* () {
      const { visit } = yield* World
      const { call, mailboxId } = yield* agent()
      for (const status of ["paused", "ACTIVE"])
        expectWithin(yield* call(`PATCH /v1/mailboxes/${mailboxId}`, { body: { status } }), 200, {
          mailbox: { status },
        })
      const { json } = yield* visit("GET /openapi.json")
      expect(valueAt(json, "components.schemas.MailboxStatus.enum")).toEqual([
        "ACTIVE",
        "paused",
        "suspended",
      ])
    },
  ),
  row("resources.mailbox.mailServerProvisioned", "it is true once the mailbox takes mail", function* () {
    const owner = yield* agent()
    const { id, address } = yield* newMailbox(owner, "second")
    expectWithin(yield* owner.call(`GET /v1/mailboxes/${id}`), 200, {
      mailbox: { mailServerProvisioned: true },
    })
    yield* receive(owner, [{ subject: "It does" }], address)
    expectWithin(yield* owner.call(`GET /v1/mailboxes/${id}/messages`), 200, {
      messages: [{ subject: "It does" }],
    })
  }),
  row(
    ["resources.mailbox.dailySendCount", "resources.mailbox.monthlySendCount"],
    "they count this mailbox's sends, and no other's",
    function* () {
      const owner = yield* agent("active")
      const { id } = yield* newMailbox(owner, "second")
      yield* send(owner, "bob@partner.dev")
      yield* send(owner, "bob@partner.dev")
      expectWithin(yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}`), 200, {
        mailbox: { dailySendCount: 2, monthlySendCount: 2 },
      })
      expectWithin(yield* owner.call(`GET /v1/mailboxes/${id}`), 200, {
        mailbox: { dailySendCount: 0, monthlySendCount: 0 },
      })
    },
  ),
  row("resources.mailbox.receivedThisMonth", "every row of the list counts its own mail", function* () {
    const owner = yield* agent()
    const { address } = yield* newMailbox(owner, "second")
    yield* receive(owner)
    yield* receive(owner, [{}, {}], address)
    expectWithin(yield* owner.call("GET /v1/mailboxes"), 200, {
      mailboxes: [{ receivedThisMonth: 1 }, { receivedThisMonth: 2 }],
    })
  }),

  row("resources.message.direction", "what arrived is INBOUND, what was sent OUTBOUND", function* () {
    const owner = yield* agent("active")
    yield* receive(owner)
    yield* send(owner, "bob@partner.dev")
    expectWithin(yield* listMessages(owner), 200, {
      messages: [{ direction: "OUTBOUND" }, { direction: "INBOUND" }],
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
    const subject = "s".repeat(998)
    expectWithin(yield* send(owner, "bob@partner.dev", { subject }), 201, { message: { subject } })
    expectInvalid(yield* send(owner, "bob@partner.dev", { subject: `${subject}s` }), "subject")
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
