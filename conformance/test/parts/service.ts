/** The features of the service (docs/specification/service.md). */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  agent,
  checkout,
  newcomer,
  newKey,
  newMailbox,
  pay,
  receive,
  scopedKey,
  send,
  signUp,
  suppress,
  verify,
} from "../../src/agents.js"
import { namesIn, listAt, textAt, valueAt } from "../../src/Answer.js"
import { claim, verifiedDomain } from "../../src/domains.js"
import { type Part, row, virtual, wire } from "../../src/Row.js"
import { Wire, World } from "../../src/World.js"
import { anyText, expectAnswer, expectWithin } from "../expectations.js"

const camelCase = /^[a-z][a-zA-Z0-9]*$/
const snakeCase = /^[a-z][a-z0-9_]*$/

export const service: Part = [
  wire("conventions.second-address", "a request that names another host is answered the same", function* () {
    const { requestAs } = yield* Wire
    const { key, slug } = yield* agent()
    for (const host of ["api.mailroom.dev", "second.mailroom.dev:8443"]) {
      const answer = yield* requestAs(host, "GET /v1/account", key)
      expect([answer.status, valueAt(answer.json, "account.slug")]).toEqual([200, slug])
    }
  }),

  row("conventions.json", "success and refusal are application/json", function* () {
    const { call } = yield* World
    const { key } = yield* agent()
    for (const answer of [yield* call("GET /v1/account", { key }), yield* call("GET /v1/account")])
      expect(answer.headers.get("content-type")).toBe("application/json")
  }),

  row("conventions.camel", "no field of any resource is anything but camelCase", function* () {
    const owner = yield* agent("active")
    yield* receive(owner)
    const sent = yield* send(owner, "bob@partner.dev")
    const answers = yield* Effect.forEach(
      [
        "GET /v1/account",
        "GET /v1/api-keys",
        "GET /v1/mailboxes",
        `GET /v1/mailboxes/${owner.mailboxId}/messages`,
        `GET /v1/mailboxes/${owner.mailboxId}/threads`,
        `GET /v1/mailboxes/${owner.mailboxId}/threads/${textAt(sent.json, "message.threadId")}`,
      ],
      (target) => owner.call(target),
    )
    const names = answers.flatMap(({ json }) => namesIn(json))
    expect(names.filter((name) => !camelCase.test(name))).toEqual([])
    expect(names).toContain("storageLimitBytes")
  }),

  row("conventions.snake-events", "no field of an event's payload is anything but snake_case", function* () {
    const { listen } = yield* World
    const owner = yield* agent("active")
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner)
    yield* send(owner, "bob@partner.dev")
    const names = (yield* stream.received(2)).flatMap(({ data }) => namesIn(valueAt(data, "data")))
    expect(names.filter((name) => !snakeCase.test(name))).toEqual([])
    expect(names).toContain("mailbox_address")
  }),

  row("conventions.snake-signup", "no field of signup and upgrade is anything but snake_case", function* () {
    const { call } = yield* World
    const { body, headers } = yield* newcomer
    const signedUp = yield* call("POST /v1/signup", { body, headers })
    const key = textAt(signedUp.json, "api_key.key")
    const upgrade = yield* call("POST /v1/billing/upgrade", { key })
    const names = [...namesIn(signedUp.json), ...namesIn(upgrade.json)]
    expect(names.filter((name) => !snakeCase.test(name))).toEqual([])
    expect(names).toContain("checkout_url")
  }),

  row("conventions.header-prefix", "an answer and a delivery carry X-Service- headers", function* () {
    const { receiver } = yield* World
    const owner = yield* agent()
    const answer = yield* owner.call("GET /v1/account")
    expect(answer.headers.get("x-service-inbound-quota")).toBe("0/100")
    const { url, received } = yield* receiver
    yield* owner.call("POST /v1/webhooks", { body: { url, events: ["message.received"] } })
    yield* receive(owner)
    const [posted] = yield* received(1)
    expect(posted?.headers["x-service-signature"]).toMatch(/^[0-9a-f]{64}$/)
  }),

  row("service.1", "without credentials an agent gets a key that works", function* () {
    const { call } = yield* World
    const { body, headers } = yield* newcomer
    const signedUp = yield* call("POST /v1/signup", { body, headers })
    const account = yield* call("GET /v1/account", { key: textAt(signedUp.json, "api_key.key") })
    expectWithin(account, 200, { account: { slug: body.slug } })
  }),

  row("service.2", "a new mailbox lives at the account's subdomain, and takes mail there", function* () {
    const owner = yield* agent()
    const sales = yield* newMailbox(owner, "sales")
    expect(sales.address).toBe(`sales@${owner.slug}.mailroom.localhost`)
    yield* receive(owner, [{ subject: "Offer" }], sales.address)
    const listed = yield* owner.call(`GET /v1/mailboxes/${sales.id}/messages`)
    expectWithin(listed, 200, { messages: [{ subject: "Offer" }] })
  }),

  virtual("service.2-domain", "it lives there, takes mail there, and sends from there", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const domainId = yield* verifiedDomain(owner, "acme.dev")
    const made = yield* owner.call("POST /v1/mailboxes", { body: { address: "sales", domainId } })
    expectWithin(made, 201, { mailbox: { domainId, fullAddress: "sales@acme.dev" } })
    const mailboxId = textAt(made.json, "mailbox.id")
    yield* receive(owner, [{ subject: "Offer" }], "sales@acme.dev")
    const listed = yield* owner.call(`GET /v1/mailboxes/${mailboxId}/messages`)
    expectWithin(listed, 200, { messages: [{ subject: "Offer" }] })
    const sent = yield* send({ ...owner, mailboxId }, "bob@partner.dev")
    expectWithin(sent, 201, { message: { fromAddress: "sales@acme.dev" } })
    expect((yield* outbox("bob@partner.dev"))[0]?.headers["from"]).toContain("sales@acme.dev")
  }),

  row(
    "service.3",
    "a send is SENT when it is answered, and its reply is in one thread with it",
    function* () {
      const owner = yield* agent("active")
      const first = yield* send(owner, "bob@partner.dev")
      expectWithin(first, 201, { message: { status: "SENT" } })
      const second = yield* send(owner, "bob@partner.dev", { inReplyTo: textAt(first.json, "message.id") })
      expectWithin(second, 201, { message: { threadId: textAt(first.json, "message.threadId") } })
    },
  ),

  row("service.4", "what arrived is read as a message, in its thread, with its attachment", function* () {
    const owner = yield* agent()
    const file = { filename: "a.txt", contentType: "text/plain", content: "A" }
    yield* receive(owner, [{ subject: "Read me", attachments: [file] }])
    const listed = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages`)
    const message = listAt(listed.json, "messages")[0]
    const thread = yield* owner.call(
      `GET /v1/mailboxes/${owner.mailboxId}/threads/${textAt(message, "threadId")}`,
    )
    expectWithin(thread, 200, { thread: { messages: [{ subject: "Read me" }] } })
    const attachment = yield* owner.call(`GET /v1/attachments/${textAt(message, "attachments.0.id")}`)
    expectWithin(attachment, 200, {
      filename: "a.txt",
      contentType: "text/plain",
      sizeBytes: 1,
      url: anyText,
    })
  }),

  row("service.5-webhooks", "mail that arrives is posted to a webhook, signed", function* () {
    const { receiver } = yield* World
    const owner = yield* agent()
    const { url, received } = yield* receiver
    yield* owner.call("POST /v1/webhooks", { body: { url, events: ["message.received"] } })
    yield* receive(owner, [{ subject: "Posted" }])
    const [posted] = yield* received(1)
    expect(JSON.parse(posted?.body ?? "")).toMatchObject({
      event: "message.received",
      data: { subject: "Posted" },
    })
    expect(posted?.headers).toMatchObject({ "x-service-signature": anyText })
  }),

  row("service.5-stream", "mail that arrives is on the event stream", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner, [{ subject: "Streamed" }])
    expect(yield* stream.received(1)).toMatchObject([
      { event: "message.received", data: { data: { subject: "Streamed" } } },
    ])
  }),

  row("service.6", "one key reaches the account, one its mailbox only", function* () {
    const owner = yield* agent()
    const full = yield* newKey(owner)
    const scoped = yield* scopedKey(owner)
    expect((yield* full.call("GET /v1/account")).status).toBe(200)
    expect((yield* scoped.call("GET /v1/account")).status).toBe(403)
    expect((yield* scoped.call(`GET /v1/mailboxes/${owner.mailboxId}`)).status).toBe(200)
  }),

  row("service.7-domains", "one is added with the records to set, listed, read and removed", function* () {
    const owner = yield* agent("active")
    const added = yield* claim(owner, "acme.dev")
    expectWithin(added, 201, { domain: { domain: "acme.dev" }, dnsRecords: { mx: { type: "MX" } } })
    const path = `/v1/domains/${textAt(added.json, "domain.id")}`
    expectWithin(yield* owner.call("GET /v1/domains"), 200, { domains: [{ domain: "acme.dev" }] })
    expectWithin(yield* owner.call(`GET ${path}`), 200, { domain: { domain: "acme.dev" } })
    expectAnswer(yield* owner.call(`DELETE ${path}`), 200, { deleted: true })
    expectAnswer(yield* owner.call("GET /v1/domains"), 200, { domains: [] })
  }),

  row("service.7-suppressions", "one is added, listed and removed", function* () {
    const owner = yield* agent("active")
    const id = textAt((yield* suppress(owner, "bob@partner.dev")).json, "suppression.id")
    const listed = Effect.map(owner.call("GET /v1/suppressions"), ({ json }) => listAt(json, "suppressions"))
    expect(yield* listed).toMatchObject([{ id, email: "bob@partner.dev" }])
    expectAnswer(yield* owner.call(`DELETE /v1/suppressions/${id}`), 200, { deleted: true })
    expect(yield* listed).toEqual([])
  }),

  row("service.8", "the link that an agent asked for lifts the limits once it is completed", function* () {
    const { visit } = yield* World
    const owner = yield* agent()
    expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { mailboxLimit: 3 } })
    yield* visit(`POST ${yield* checkout(owner)}/complete`, { body: {} })
    expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { mailboxLimit: 10 } })
  }),

  row("service.unknown-path", "an unknown path answers a JSON 404 with its four fields", function* () {
    const { visit } = yield* World
    const answer = yield* visit("GET /v1/nothing-here")
    expectWithin(answer, 404, { error: anyText, code: anyText, message: anyText, resolution: {} })
    expect(answer.headers.get("content-type")).toBe("application/json")
  }),

  row("service.provisioning", "a mailbox is not provisioned when it is answered, and is later", function* () {
    const { eventually } = yield* World
    const { call } = yield* agent()
    const made = yield* call("POST /v1/mailboxes", { body: { address: "later" } })
    expectWithin(made, 201, { mailbox: { mailServerProvisioned: false } })
    yield* eventually(
      "it is provisioned",
      call(`GET /v1/mailboxes/${textAt(made.json, "mailbox.id")}`),
      ({ json }) => valueAt(json, "mailbox.mailServerProvisioned") === true,
    )
  }),

  row("service.provisioning-status", "status is ACTIVE while it is not provisioned", function* () {
    const { call } = yield* agent()
    const made = yield* call("POST /v1/mailboxes", { body: { address: "later" } })
    expectWithin(made, 201, { mailbox: { status: "ACTIVE", mailServerProvisioned: false } })
  }),

  row("service.default-mailbox", "a new account has one mailbox: ACTIVE, at its subdomain", function* () {
    const { call, slug } = yield* agent()
    const { json } = yield* call("GET /v1/mailboxes")
    expect(json).toMatchObject({ mailboxes: [{ status: "ACTIVE", domainId: null }] })
    expect(listAt(json, "mailboxes")).toHaveLength(1)
    expect(textAt(json, "mailboxes.0.fullAddress")).toMatch(new RegExp(`@${slug}\\.mailroom\\.localhost$`))
  }),

  row("service.default-key", "a new account has one key, and no list shows its value", function* () {
    const { call, key } = yield* agent()
    const answer = yield* call("GET /v1/api-keys")
    expectWithin(answer, 200, { keys: [{ scoped: false, prefix: key.slice(0, 11) }] })
    expect(listAt(answer.json, "keys")).toHaveLength(1)
    expect(answer.text).not.toContain(key)
  }),

  row("service.plans", "the account begins on Free, and can be on these others", function* () {
    const { visit } = yield* World
    expectWithin(yield* (yield* agent()).call("GET /v1/account"), 200, { account: { plan: "Free" } })
    for (const plan of ["Developer", "Growth", "Scale"] as const) {
      const owner = yield* agent()
      yield* pay(owner, plan)
      expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { plan } })
    }
    const { json } = yield* visit("GET /openapi.json")
    expect(valueAt(json, "components.schemas.Plan.enum")).toEqual(["Free", "Developer", "Growth", "Scale"])
  }),

  row("service.trial", "verification, and nothing else, begins the trial", function* () {
    const owner = yield* signUp()
    expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { trial: null } })
    yield* verify(owner)
    expectWithin(yield* owner.call("GET /v1/account"), 200, {
      account: { state: "trial", billingLinked: false, trial: { active: true } },
    })
  }),

  row("service.address", "local part, slug and platform domain make the address", function* () {
    const { call, slug } = yield* agent()
    const made = yield* call("POST /v1/mailboxes", { body: { address: "sales" } })
    expectWithin(made, 201, {
      mailbox: { address: "sales", fullAddress: `sales@${slug}.mailroom.localhost` },
    })
  }),

  row("service.slug", "no route takes another slug", function* () {
    const { visit, call } = yield* World
    const owner = yield* agent()
    for (const method of ["PUT", "POST"]) {
      const answer = yield* visit(`${method} /v1/account`, { key: owner.key, body: { slug: "another" } })
      expect(answer.status).toBe(405)
    }
    const change = (body: object) => owner.call("PATCH /v1/account", { body })
    expectWithin(yield* change({ slug: "another" }), 400, { code: "VALIDATION_FAILED" })
    expectWithin(yield* change({ sendingPaused: false }), 200, { account: { slug: owner.slug } })
    const { headers } = yield* newcomer
    expectAnswer(yield* call(`GET /v1/signup/check-slug?slug=${owner.slug}`, { headers }), 200, {
      available: false,
      reason: "taken",
    })
    expectWithin(yield* owner.call("GET /v1/account"), 200, { account: { slug: owner.slug } })
  }),
]
