/** The fields of resources. */
import { expect } from "vitest"
import {
  agent,
  newcomer,
  newKey,
  newMailbox,
  pay,
  receive,
  scopedKey,
  send,
  upload,
} from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row } from "../../src/Row.js"
import type { RowId } from "../../src/rows/index.js"
import { World } from "../../src/World.js"
import { ABSENT, anyText, expectError, expectWithin } from "../expectations.js"

/** A field of the answer to a signup. */
const atSignup = (id: RowId, path: string, name: string, expected: (slug: string) => unknown) =>
  row(id, name, function* () {
    const { call } = yield* World
    const { slug, body, headers } = yield* newcomer
    const { json } = yield* call("POST /v1/signup", { body, headers })
    expect(valueAt(json, path)).toEqual(expected(slug))
  })

export const resources: Part = [
  row("resources.account.slug", "3 and 30 characters are taken, and kept as they are", function* () {
    const { call } = yield* World
    for (const slug of ["a-3", "thirty-characters-are-the-most"]) {
      const { body, headers } = yield* newcomer
      const answer = yield* call("POST /v1/signup", { body: { ...body, slug }, headers })
      expectWithin(answer, 201, { user: { slug } })
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
]
