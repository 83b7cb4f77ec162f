/** Reads of deliveries, redelivery, and test events. */
import { describe, expect } from "@effect/vitest"
import { DAY, EventEnvelope, type EventKind, HOUR, MINUTE } from "@mailroom/domain"
import { Engine, Mailboxes, WebhookDeliveries } from "@mailroom/engine"
import { Effect, Fiber, Schema, TestClock } from "effect"
import { received, receivedMany } from "./support/arrivals.js"
import { NOON, rule } from "./support/mailroom.js"
import { as, type Owner, unverified } from "./support/owners.js"
import { accountOf, eventsOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import {
  answered,
  answers,
  change,
  countTo,
  deliveriesOf,
  lastDelivery,
  type Made,
  redeliver,
  requestsTo,
  stored,
  subscribe,
  slowReceiver,
  URL_ONE,
  URL_TWO,
} from "./support/webhooks.js"

const readBody = Schema.decodeSync(Schema.parseJson(EventEnvelope))

const subjectsTo = (url: string) =>
  Effect.map(requestsTo(url), (requests) =>
    requests.map(({ body }) => {
      const { data } = readBody(body)
      return "subject" in data ? data.subject : ""
    }),
  )

const opened = (owner: Owner, { webhook }: Made) =>
  Effect.gen(function* () {
    const deliveries = yield* WebhookDeliveries
    const last = yield* lastDelivery(owner, { webhook, secret: "" })
    return yield* deliveries.get(yield* as(owner), webhook.id, last.id)
  })

const test = (owner: Owner, { webhook }: Made, kind: EventKind | null = null) =>
  Effect.gen(function* () {
    const deliveries = yield* WebhookDeliveries
    return yield* deliveries.test(yield* as(owner), webhook.id, kind)
  })

const after = (millis: number) => Effect.zipRight(TestClock.adjust(millis), Engine.settle)

describe("a delivery", () => {
  rule(
    "shows its outcome",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* answers(
        URL_ONE,
        answered(500),
        { kind: "unreachable", reason: "connection refused" },
        answered(204),
      )
      yield* Effect.withRandomFixed(received(owner.address), [0.5])
      const first = yield* lastDelivery(owner, made)
      expect(first).toMatchObject({
        event: "message.received",
        eventId: expect.stringMatching(new RegExp(`^${NOON}-1-[0-9a-f]{4}$`)),
        status: "PENDING",
        attempts: 1,
        responseStatus: 500,
        lastError: null,
        nextRetryAt: "2026-03-10T12:01:00.000Z",
        createdAt: "2026-03-10T12:00:00.000Z",
        deliveredAt: null,
      })
      yield* after(2 * MINUTE)
      expect(yield* lastDelivery(owner, made)).toMatchObject({
        status: "PENDING",
        attempts: 2,
        responseStatus: null,
        lastError: "connection refused",
      })
      yield* after(10 * MINUTE)
      expect(yield* lastDelivery(owner, made)).toEqual({
        ...first,
        status: "DELIVERED",
        attempts: 3,
        responseStatus: 204,
        nextRetryAt: null,
        deliveredAt: "2026-03-10T12:12:00.000Z",
      })
    }),
  )

  rule(
    "shows the body as it would be sent now, with new download links",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* received(owner.address, { files: [{ name: "a.bin", bytes: Buffer.from("12345") }] })
      const [request] = yield* requestsTo(URL_ONE)
      expect((yield* opened(owner, made)).payload).toBe(request?.body)
      yield* TestClock.adjust("1 hour")
      const { payload } = yield* opened(owner, made)
      expect(payload).toContain(`expires=${NOON + HOUR + DAY}`)
    }),
  )

  rule(
    "of another webhook, or of another account, is not found",
    Effect.gen(function* () {
      const owner = yield* unverified("acme")
      const other = yield* unverified("other")
      const made = yield* subscribe(owner)
      const second = yield* subscribe(owner, { url: URL_TWO, events: ["message.sent"] })
      const theirs = yield* subscribe(other)
      yield* received([owner.address, other.address])
      const delivery = yield* lastDelivery(owner, made)
      expect(yield* refused(redeliver(owner, second, delivery))).toMatchObject({ resource: "delivery" })
      expect(yield* refused(redeliver(other, theirs, delivery))).toMatchObject({ resource: "delivery" })
      expect(yield* refused(redeliver(other, made, delivery))).toMatchObject({ resource: "webhook" })
      expect(yield* countTo(URL_ONE)).toBe(2)
    }),
  )

  rule(
    "whose event has left the log fails without an attempt, and does not delay the next one",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* answers(URL_ONE, answered(500), answered(200))
      yield* received(owner.address, { subject: "Old" })
      yield* change(owner, made, { status: "PAUSED" })
      yield* after(31 * DAY)
      expect(yield* opened(owner, made)).toMatchObject({ delivery: { status: "PENDING" }, payload: null })
      yield* change(owner, made, { status: "ACTIVE" })
      yield* received(owner.address, { subject: "New" })
      expect(yield* subjectsTo(URL_ONE)).toEqual(["Old", "New"])
      expect(yield* stored(owner, made)).toMatchObject({ status: "ACTIVE", failureCount: 0 })
    }),
  )
})

describe("redelivering", () => {
  for (const [was, results] of [
    ["DELIVERED", [answered(200)]],
    ["FAILED", [answered(410)]],
  ] as const)
    rule(
      `sends a ${was} delivery again at once, under its id, with all its attempts`,
      Effect.gen(function* () {
        const owner = yield* unverified()
        const made = yield* subscribe(owner)
        const [first] = results
        yield* answers(URL_ONE, first, answered(500))
        yield* received(owner.address)
        const before = yield* lastDelivery(owner, made)
        expect(before.status).toBe(was)
        yield* TestClock.adjust("1 hour")
        yield* change(owner, made, { status: "ACTIVE" })
        expect(yield* redeliver(owner, made, before)).toEqual({
          ...before,
          status: "PENDING",
          attempts: 0,
          responseStatus: null,
          lastError: null,
          nextRetryAt: "2026-03-10T13:00:00.000Z",
          deliveredAt: null,
        })
        yield* Engine.settle
        expect(yield* countTo(URL_ONE)).toBe(2)
        for (const delay of [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR]) yield* after(delay * 1.1)
        const requests = yield* requestsTo(URL_ONE)
        expect(requests).toHaveLength(7)
        expect(new Set(requests.map(({ headers }) => headers["X-Service-Delivery-Id"]))).toEqual(
          new Set([before.id]),
        )
        expect(yield* lastDelivery(owner, made)).toMatchObject({ status: "FAILED", attempts: 6 })
      }),
    )

  rule(
    "sends a waiting delivery at once, before its next attempt is due",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* answers(URL_ONE, answered(500), answered(200))
      yield* received(owner.address)
      yield* redeliver(owner, made, yield* lastDelivery(owner, made))
      yield* Engine.settle
      expect(yield* countTo(URL_ONE)).toBe(2)
      expect(yield* lastDelivery(owner, made)).toMatchObject({ status: "DELIVERED", attempts: 1 })
      yield* after(1 * DAY)
      expect(yield* countTo(URL_ONE)).toBe(2)
    }),
  )

  rule(
    "during an attempt makes another one, whatever the outcome of the first is",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      const receiver = yield* slowReceiver
      const settling = yield* Effect.fork(received(owner.address))
      yield* receiver.begun
      yield* redeliver(owner, made, yield* lastDelivery(owner, made))
      yield* receiver.answer
      yield* Fiber.join(settling)
      expect(yield* countTo(URL_ONE)).toBe(2)
      expect(yield* lastDelivery(owner, made)).toMatchObject({ status: "DELIVERED", attempts: 1 })
    }),
  )

  rule(
    "does not delay newer deliveries",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* received(owner.address, { subject: "Old" })
      yield* answers(URL_ONE, answered(500), answered(200))
      yield* redeliver(owner, made, yield* lastDelivery(owner, made))
      yield* receivedMany(owner.address, 2, "New")
      expect(yield* subjectsTo(URL_ONE)).toEqual(["Old", "Old", "New 1", "New 2"])
      yield* after(2 * MINUTE)
      expect(yield* subjectsTo(URL_ONE)).toEqual(["Old", "Old", "New 1", "New 2", "Old"])
    }),
  )

  rule(
    "needs a webhook that is ACTIVE",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* received(owner.address)
      const delivery = yield* lastDelivery(owner, made)
      yield* change(owner, made, { status: "PAUSED" })
      expect(yield* refused(redeliver(owner, made, delivery))).toMatchObject({
        _tag: "WebhookNotActive",
        status: "PAUSED",
      })
      expect(yield* lastDelivery(owner, made)).toEqual(delivery)
    }),
  )

  rule(
    "needs the event",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* answers(URL_ONE, answered(500))
      yield* received(owner.address)
      const delivery = yield* lastDelivery(owner, made)
      yield* change(owner, made, { status: "PAUSED" })
      yield* after(31 * DAY)
      yield* change(owner, made, { status: "ACTIVE" })
      expect(yield* refused(redeliver(owner, made, delivery))).toMatchObject({ _tag: "EventExpired" })
    }),
  )
})

describe("a test of a webhook", () => {
  rule(
    "delivers a signed test event of its first kind to it only",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner, { events: ["message.bounced", "message.received"] })
      yield* subscribe(owner, { url: URL_TWO, events: ["message.bounced", "message.received"] })
      const before = yield* accountOf(owner)
      const delivery = yield* test(owner, made)
      expect(delivery).toMatchObject({ event: "message.bounced", status: "PENDING", attempts: 0 })
      yield* Engine.settle
      const [request] = yield* requestsTo(URL_ONE)
      expect(request?.headers).toMatchObject({
        "X-Service-Event": "message.bounced",
        "X-Service-Delivery-Id": delivery.id,
        "X-Service-Signature": expect.stringMatching(/^[0-9a-f]{64}$/),
      })
      expect(readBody(request?.body ?? "")).toMatchObject({
        event: "message.bounced",
        data: { test: true, mailbox_id: owner.mailboxId, mailbox_address: owner.address },
      })
      expect(yield* countTo(URL_TWO)).toBe(0)
      expect(yield* eventsOf(owner)).toEqual([])
      expect(yield* accountOf(owner)).toEqual(before)
      expect(yield* opened(owner, made)).toEqual({
        delivery: yield* lastDelivery(owner, made),
        payload: request?.body,
      })
    }),
  )

  rule(
    "has the requested kind, and the mailbox that the webhook is bound to",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const mailboxes = yield* Mailboxes
      const wanted = { localPart: "second", displayName: null, domainId: null }
      const second = yield* mailboxes.create(yield* as(owner), wanted)
      const made = yield* subscribe(owner, { mailboxId: second.id })
      yield* test(owner, made, "message.complaint")
      yield* Engine.settle
      const [request] = yield* requestsTo(URL_ONE)
      expect(readBody(request?.body ?? "")).toMatchObject({
        event: "message.complaint",
        data: { mailbox_id: second.id, mailbox_address: second.fullAddress },
      })
    }),
  )

  rule(
    "is retried and redelivered like any delivery, also when the log is empty",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* answers(URL_ONE, answered(500), answered(200))
      const delivery = yield* test(owner, made)
      yield* Engine.settle
      yield* after(2 * MINUTE)
      expect(yield* lastDelivery(owner, made)).toMatchObject({ status: "DELIVERED", attempts: 2 })
      yield* TestClock.adjust(29 * DAY)
      yield* redeliver(owner, made, delivery)
      yield* Engine.settle
      const bodies = (yield* requestsTo(URL_ONE)).map(({ body }) => body)
      expect(bodies).toHaveLength(3)
      expect(new Set(bodies).size).toBe(1)
    }),
  )

  rule(
    "needs a webhook that is ACTIVE",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* change(owner, made, { status: "PAUSED" })
      expect(yield* refused(test(owner, made))).toMatchObject({ _tag: "WebhookNotActive" })
      expect(yield* deliveriesOf(owner, made)).toEqual([])
    }),
  )

  rule(
    "needs a mailbox",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      const mailboxes = yield* Mailboxes
      yield* mailboxes.remove(yield* as(owner), owner.mailboxId)
      expect(yield* refused(test(owner, made))).toMatchObject({ _tag: "NotFound", resource: "mailbox" })
    }),
  )
})
