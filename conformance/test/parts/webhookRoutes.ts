/** Routes of webhooks and their deliveries. */
import { Effect } from "effect"
import { expect } from "vitest"
import { agent, newMailbox, receive, scopedKey } from "../../src/agents.js"
import { type Answer, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row } from "../../src/Row.js"
import {
  countOf,
  deliveriesOnce,
  deliveryPath,
  hook,
  hooked,
  INBOUND,
  listDeliveries,
  subjectOf,
} from "../../src/webhooks.js"
import { World } from "../../src/World.js"
import { ABSENT, anyId, anyText, anyTime, expectAnswer, expectError, expectInvalid } from "../expectations.js"
import { signature, standardSignature } from "../signatures.js"

/** A delivery before its first attempt. */
const waitingDelivery = {
  id: anyId,
  event: "message.received",
  eventId: anyText,
  status: "PENDING",
  attempts: 0,
  responseStatus: null,
  lastError: null,
  nextRetryAt: anyTime,
  createdAt: anyTime,
  deliveredAt: null,
}

const deliveredDelivery = {
  ...waitingDelivery,
  status: "DELIVERED",
  attempts: 1,
  responseStatus: 200,
  nextRetryAt: null,
  deliveredAt: anyTime,
}

/** Checks that a webhook of another account answers like one that does not exist. */
const expectOthersAbsent = (ask: (path: string) => Effect.Effect<Answer>) =>
  Effect.gen(function* () {
    const foreign = yield* hooked
    for (const path of [`/v1/webhooks/${ABSENT}`, foreign.path])
      expectError(yield* ask(path), 404, "WEBHOOK_NOT_FOUND")
  })

export const webhookRoutes: Part = [
  row("decisions.webhooks.list", "oldest first; to a scoped key those of its mailbox", function* () {
    const owner = yield* agent()
    const other = yield* newMailbox(owner, "second")
    yield* hooked
    expectAnswer(yield* owner.call("GET /v1/webhooks"), 200, { webhooks: [] })
    const whole = yield* hook(owner, { headers: { Authorization: "hush" } })
    const bound = yield* hook(owner, { mailboxId: owner.mailboxId })
    const second = yield* hook(owner, { mailboxId: other.id })
    const listed = yield* owner.call("GET /v1/webhooks")
    expectAnswer(listed, 200, { webhooks: [whole, bound, second].map(({ webhook }) => webhook) })
    expect(listed.text).not.toMatch(/whsec_|hush/)
    const scoped = yield* scopedKey(owner)
    expectAnswer(yield* scoped.call("GET /v1/webhooks"), 200, { webhooks: [bound.webhook] })
  }),
  row("decisions.webhooks.get", "as it was made, without the secret", function* () {
    const { owner, webhook, path } = yield* hooked
    expectAnswer(yield* owner.call(`GET ${path}`), 200, { webhook })
    yield* expectOthersAbsent((other) => owner.call(`GET ${other}`))
    expectError(yield* (yield* scopedKey(owner)).call(`GET ${path}`), 404, "WEBHOOK_NOT_FOUND")
  }),
  row("decisions.webhooks.update", "what is left out stays; it is posted to as it is now", function* () {
    const { receiver } = yield* World
    const made = yield* hooked
    const { owner, path, webhook } = made
    const { url, received } = yield* receiver
    const change = (body: object) => owner.call(`PATCH ${path}`, { body })
    const updatedAt = anyTime
    const events = ["message.received", "message.sent"]
    const changes: ReadonlyArray<readonly [object, object]> = [
      [{ url }, { url }],
      [{ events }, { events }],
      [{ headers: { "X-Run": "seven" } }, { headers: { "X-Run": anyText } }],
      [{ status: "paused" }, { status: "PAUSED" }],
      [{ status: "Active" }, { status: "ACTIVE" }],
    ]
    let expected = Object.assign({}, webhook, { updatedAt })
    for (const [body, changed] of changes) {
      expected = { ...expected, ...changed }
      expectAnswer(yield* change(body), 200, { webhook: expected })
    }
    expectAnswer(yield* owner.call(`GET ${path}`), 200, { webhook: expected })
    yield* receive(owner)
    const [posted] = yield* received(1)
    expect(posted?.headers["x-run"]).toBe("seven")
    expect(yield* countOf(made)).toBe(0)
    yield* deliveriesOnce(made, "DELIVERED")
    expectAnswer(yield* change({ headers: null }), 200, {
      webhook: { ...expected, headers: null, lastTriggeredAt: anyTime },
    })
    for (const [name, value] of [
      ["url", "ftp://receiver.mailroom.dev"],
      ["events", []],
      ["events.0", ["message.read"]],
      ["headers", { Host: "elsewhere.dev" }],
      ["status", "FAILED"],
    ] as const)
      expectInvalid(yield* change({ [name.split(".")[0] ?? ""]: value }), name)
    yield* expectOthersAbsent((other) => owner.call(`PATCH ${other}`, { body: { url } }))
  }),
  row("decisions.webhooks.delete", "and it gets nothing any more", function* () {
    const { owner, path, ...gone } = yield* hooked
    const stays = yield* hook(owner)
    expectAnswer(yield* owner.call(`DELETE ${path}`), 200, { deleted: true })
    for (const target of [`GET ${path}`, `DELETE ${path}`, `GET ${path}/deliveries`])
      expectError(yield* owner.call(target), 404, "WEBHOOK_NOT_FOUND")
    expectAnswer(yield* owner.call("GET /v1/webhooks"), 200, { webhooks: [stays.webhook] })
    yield* receive(owner)
    yield* stays.received(1)
    expect(yield* countOf(gone)).toBe(0)
    yield* expectOthersAbsent((other) => owner.call(`DELETE ${other}`))
  }),
  row("decisions.webhooks.test", "of its first kind, or of another; it is in no log", function* () {
    const owner = yield* agent()
    const made = yield* hook(owner, { events: ["message.sent", "message.received"] })
    const { path, secret, received } = made
    for (const [number, body, event] of [
      [1, undefined, "message.sent"],
      [2, {}, "message.sent"],
      [3, { event: "message.bounced" }, "message.bounced"],
    ] as const) {
      const tried = yield* owner.call(`POST ${path}/test`, { body })
      expectAnswer(tried, 202, { delivery: { ...waitingDelivery, event } })
      const posted = (yield* received(number)).at(-1)
      expect(posted?.headers).toMatchObject({
        "x-service-event": event,
        "x-service-delivery-id": textAt(tried.json, "delivery.id"),
        "x-service-signature": signature(secret, posted),
      })
      expect(JSON.parse(posted?.body ?? "null")).toMatchObject({
        event,
        timestamp: anyTime,
        data: { test: true, mailbox_id: owner.mailboxId, mailbox_address: owner.address },
      })
    }
    yield* deliveriesOnce(made, "DELIVERED", 3)
    expectAnswer(yield* owner.call("GET /v1/events/log"), 200, { events: [], metadata: { hasMore: false } })
    expectInvalid(yield* owner.call(`POST ${path}/test`, { body: { event: "message.read" } }), "event")
    yield* expectOthersAbsent((other) => owner.call(`POST ${other}/test`))
  }),
  row("decisions.webhooks.rotate", "the one before signs beside it", function* () {
    const { owner, path, webhook, secret: before, received } = yield* hooked
    const rotated = yield* owner.call(`POST ${path}/rotate-secret`)
    const secret = textAt(rotated.json, "webhook.secret")
    expectAnswer(rotated, 200, {
      webhook: Object.assign({}, webhook, {
        updatedAt: anyTime,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      }),
    })
    expect(secret).not.toBe(before)
    yield* receive(owner)
    const [posted] = yield* received(1)
    expect(posted?.headers).toMatchObject({
      "x-service-signature": signature(secret, posted),
      "x-service-signature-previous": signature(before, posted),
      "webhook-signature": [secret, before].map((one) => standardSignature(one, posted)).join(" "),
    })
    yield* expectOthersAbsent((other) => owner.call(`POST ${other}/rotate-secret`))
  }),
  row("decisions.webhooks.deliveries", "newest first, page by page, and by status", function* () {
    const made = yield* hooked
    const { owner, received } = made
    for (const subject of ["one", "two", "three"]) yield* receive(owner, [{ subject }])
    const sent = (yield* received(3)).map(({ headers }) => headers["x-service-delivery-id"])
    const deliveries = yield* deliveriesOnce(made, "DELIVERED", 3)
    expect(deliveries).toEqual([deliveredDelivery, deliveredDelivery, deliveredDelivery])
    expect(deliveries.map((one) => valueAt(one, "id"))).toEqual(sent.toReversed())
    const metadata = { limit: 50, hasMore: false }
    expectAnswer(yield* listDeliveries(made), 200, { deliveries, metadata })
    const first = yield* listDeliveries(made, "?limit=2")
    expectAnswer(first, 200, {
      deliveries: deliveries.slice(0, 2),
      metadata: { limit: 2, hasMore: true, nextCursor: anyText },
    })
    const cursor = encodeURIComponent(textAt(first.json, "metadata.nextCursor"))
    expectAnswer(yield* listDeliveries(made, `?limit=2&cursor=${cursor}`), 200, {
      deliveries: deliveries.slice(2),
      metadata: { limit: 2, hasMore: false },
    })
    expectAnswer(yield* listDeliveries(made, "?status=DELIVERED"), 200, { deliveries, metadata })
    expectAnswer(yield* listDeliveries(made, "?status=FAILED"), 200, { deliveries: [], metadata })
    for (const [name, value] of [
      ["limit", "0"],
      ["limit", "101"],
      ["status", "LOST"],
      ["cursor", "nonsense"],
    ] as const)
      expectInvalid(yield* listDeliveries(made, `?${name}=${value}`), name)
    yield* expectOthersAbsent((other) => owner.call(`GET ${other}/deliveries`))
  }),
  row("decisions.webhooks.delivery", "of mail that came, and of a test", function* () {
    const made = yield* hooked
    const { owner, path, received } = made
    yield* receive(owner, [{ subject: "Figures" }])
    yield* received(1)
    const tried = yield* owner.call(`POST ${path}/test`, { body: { event: "message.delivered" } })
    const [ofMail, ofTest] = yield* received(2)
    yield* deliveriesOnce(made, "DELIVERED", 2)
    for (const [posted, event] of [
      [ofMail, "message.received"],
      [ofTest, "message.delivered"],
    ] as const) {
      const id = posted?.headers["x-service-delivery-id"]
      const payload: unknown = JSON.parse(posted?.body ?? "null")
      expectAnswer(yield* owner.call(`GET ${path}/deliveries/${id}`), 200, {
        delivery: { ...deliveredDelivery, id, event, payload },
      })
    }
    const another = yield* hook(owner)
    for (const absent of [
      `${path}/deliveries/${ABSENT}`,
      `${another.path}/deliveries/${textAt(tried.json, "delivery.id")}`,
    ])
      expectError(yield* owner.call(`GET ${absent}`), 404, "DELIVERY_NOT_FOUND")
    yield* expectOthersAbsent((other) => owner.call(`GET ${other}/deliveries/${ABSENT}`))
  }),
  row("decisions.webhooks.redeliver", "the same once more, under its id", function* () {
    const made = yield* hooked
    const { owner, path, received } = made
    yield* receive(owner, [{ subject: "Figures" }])
    yield* received(1)
    const delivery = yield* deliveryPath(made, "DELIVERED")
    const id = delivery.split("/").at(-1)
    expectAnswer(yield* owner.call(`POST ${delivery}/redeliver`), 202, {
      delivery: { ...waitingDelivery, id },
    })
    const posted = yield* received(2)
    expect(posted.map(({ headers }) => headers["x-service-delivery-id"])).toEqual([id, id])
    expect(posted.map(({ headers }) => headers["x-service-event"])).toEqual([...INBOUND, ...INBOUND])
    expect(posted.map(subjectOf)).toEqual(["Figures", "Figures"])
    expect(yield* deliveriesOnce(made, "DELIVERED")).toEqual([{ ...deliveredDelivery, id }])
    expectError(yield* owner.call(`POST ${path}/deliveries/${ABSENT}/redeliver`), 404, "DELIVERY_NOT_FOUND")
    yield* expectOthersAbsent((other) => owner.call(`POST ${other}/deliveries/${ABSENT}/redeliver`))
  }),
]
