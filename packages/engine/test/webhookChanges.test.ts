/** Changes, pauses, starts and deletion of webhooks. */
import { describe, expect } from "@effect/vitest"
import { type DeliveryStatus, MINUTE, WEBHOOKS_MAX_PER_ACCOUNT } from "@mailroom/domain"
import {
  ApiKeys,
  AuditLog,
  Engine,
  Mailboxes,
  WebhookDeliveries,
  Webhooks,
  WebhookWorker,
} from "@mailroom/engine"
import { MemoryDns } from "@mailroom/network"
import { Effect, Fiber, TestClock } from "effect"
import { received, receivedMany } from "./support/arrivals.js"
import { takingTurns } from "./support/concurrency.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, unverified } from "./support/owners.js"
import { refused } from "./support/refused.js"
import {
  answered,
  answers,
  change,
  countTo,
  deliveriesOf,
  type Made,
  removeWebhook,
  requestsTo,
  rotate,
  stored,
  subscribe,
  slowReceiver,
  URL_ONE,
  URL_TWO,
} from "./support/webhooks.js"

const listed = (owner: Pick<Owner, "key">) =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    return yield* webhooks.list(yield* as(owner))
  })

const read = (owner: Pick<Owner, "key">, { webhook }: Made) =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    return yield* webhooks.get(yield* as(owner), webhook.id)
  })

const scopedKey = (owner: Owner) =>
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    return yield* keys.create(yield* as(owner), { name: "scoped", mailboxIds: [owner.mailboxId] })
  })

describe("a change without fields", () => {
  rule(
    "changes nothing, not even the time of the last change, and the audit trail has no entry",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      const audit = yield* AuditLog
      const entries = Effect.flatMap(as(owner), (principal) =>
        audit.list(principal, { before: null, limit: 100 }),
      )
      const before = [yield* read(owner, made), yield* entries]
      yield* TestClock.adjust(MINUTE)
      yield* change(owner, made, {})
      expect([yield* read(owner, made), yield* entries]).toEqual(before)
    }),
  )
})

describe("the headers of a webhook", () => {
  rule(
    "are not sent to another origin by a key that may not manage, which cannot read them",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const keys = yield* ApiKeys
      const reader = yield* keys.create(yield* as(owner), {
        name: "reader",
        mailboxIds: [owner.mailboxId],
        permissions: "readOnly",
      })
      const webhook = yield* subscribe(owner, {
        mailboxId: owner.mailboxId,
        headers: { Authorization: "Bearer owner" },
      })
      const elsewhere = "https://elsewhere.example.net/hook"
      expect(yield* refused(change(reader, webhook, { url: elsewhere }))).toMatchObject({
        _tag: "InvalidInput",
        issues: [{ path: "headers" }],
      })
      expect(yield* change(reader, webhook, { url: URL_TWO })).toMatchObject({ url: URL_TWO })
      expect(yield* change(reader, webhook, { url: elsewhere, headers: null })).toMatchObject({
        url: elsewhere,
      })
      const kept = yield* subscribe(owner, { headers: { Authorization: "Bearer owner" } })
      expect(yield* change(owner, kept, { url: elsewhere })).toMatchObject({ url: elsewhere })
    }),
  )
})

describe("the webhooks of an account", () => {
  rule(
    "are listed oldest first, and each is read as it is listed",
    Effect.gen(function* () {
      const owner = yield* unverified("acme")
      const other = yield* unverified("other")
      const one = yield* subscribe(owner)
      yield* TestClock.adjust("1 millis")
      const two = yield* subscribe(owner, { mailboxId: owner.mailboxId })
      const theirs = yield* subscribe(other)
      expect(yield* listed(owner)).toEqual([one.webhook, two.webhook])
      expect(yield* read(owner, two)).toEqual(two.webhook)
      expect(yield* refused(read(owner, theirs))).toMatchObject({ _tag: "NotFound", resource: "webhook" })
    }),
  )

  rule(
    "are, for a scoped key, those of its mailboxes",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const key = yield* scopedKey(owner)
      const whole = yield* subscribe(owner)
      const bound = yield* subscribe(owner, { mailboxId: owner.mailboxId })
      const mailboxes = yield* Mailboxes
      const wanted = { localPart: "second", displayName: null, domainId: null }
      const second = yield* mailboxes.create(yield* as(owner), wanted)
      const outside = yield* subscribe(owner, { mailboxId: second.id })
      expect(yield* listed(key)).toEqual([bound.webhook])
      for (const made of [whole, outside])
        for (const refusal of [
          yield* refused(read(key, made)),
          yield* refused(change(key, made, { status: "PAUSED" })),
          yield* refused(rotate(key, made)),
          yield* refused(removeWebhook(key, made)),
          yield* refused(deliveriesOf(key, made)),
        ])
          expect(refusal).toMatchObject({ _tag: "NotFound", resource: "webhook" })
      expect(yield* listed(owner)).toEqual([whole.webhook, bound.webhook, outside.webhook])
    }),
  )

  ruleWith(takingTurns)(
    "are 100 at most, also under concurrent creation; a deletion makes room",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* Effect.forEach(
        Array.from({ length: WEBHOOKS_MAX_PER_ACCOUNT - 1 }, (_, n) => `https://receiver.mailroom.dev/${n}`),
        (url) => subscribe(owner, { url }),
      )
      const outcomes = yield* Effect.forEach([1, 2, 3], () => Effect.either(subscribe(owner)), {
        concurrency: "unbounded",
      })
      expect(outcomes.map(({ _tag: tag }) => tag).sort()).toEqual(["Left", "Left", "Right"])
      expect(yield* refused(subscribe(owner))).toMatchObject({ _tag: "WebhookLimitReached", limit: 100 })
      const [first] = made
      if (first !== undefined) yield* removeWebhook(owner, first)
      yield* subscribe(owner)
      expect(yield* listed(owner)).toHaveLength(WEBHOOKS_MAX_PER_ACCOUNT)
    }),
  )
})

describe("changing a webhook", () => {
  rule(
    "changes the given fields only",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner, { headers: { "X-Token": "hush" } })
      yield* TestClock.adjust("1 minute")
      const updatedAt = "2026-03-10T12:01:00.000Z"
      expect(yield* change(owner, made, { url: URL_TWO })).toEqual({
        ...made.webhook,
        url: URL_TWO,
        updatedAt,
      })
      const events = ["message.sent", "message.received", "message.sent"] as const
      expect(yield* change(owner, made, { events })).toMatchObject({
        url: URL_TWO,
        events: ["message.sent", "message.received"],
      })
      const replaced = yield* change(owner, made, { headers: { "X-Other": "loud" } })
      expect(Object.keys(replaced.headers ?? {})).toEqual(["X-Other"])
      expect(yield* change(owner, made, {})).toEqual(replaced)
      yield* received(owner.address)
      expect((yield* requestsTo(URL_TWO))[0]?.headers).toMatchObject({ "X-Other": "loud" })
      expect((yield* change(owner, made, { headers: null })).headers).toBeNull()
      yield* received(owner.address)
      expect(Object.keys((yield* requestsTo(URL_TWO))[1]?.headers ?? {})).not.toContain("X-Other")
    }),
  )

  for (const url of ["http://receiver.mailroom.dev/", "https://10.0.0.7/", "https://inside.mailroom.dev/"])
    rule(
      `looks at a new URL as at a first one: ${url}`,
      Effect.gen(function* () {
        const owner = yield* unverified()
        const made = yield* subscribe(owner)
        expect(yield* refused(change(owner, made, { url, status: "PAUSED" }))).toMatchObject({
          _tag: "InvalidInput",
          issues: [{ path: "url" }],
        })
        expect(yield* read(owner, made)).toEqual(made.webhook)
      }),
    )

  ruleWith(MemoryDns.layer({ "away.dev": "unavailable" }))(
    "accepts a name that does not resolve yet",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      expect((yield* change(owner, made, { url: "https://away.dev/" })).url).toBe("https://away.dev/")
    }),
  )

  rule(
    "refuses headers that creation refuses",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      expect(yield* refused(change(owner, made, { headers: { Host: "evil.org" } }))).toMatchObject({
        _tag: "InvalidInput",
        issues: [{ path: "headers" }],
      })
    }),
  )

  rule(
    "applies to the next attempt, also in the middle of many",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      const receiver = yield* slowReceiver
      const settling = yield* Effect.fork(receivedMany(owner.address, 3))
      yield* receiver.begun
      yield* change(owner, made, { url: URL_TWO })
      yield* receiver.answer
      yield* Fiber.join(settling)
      expect([yield* countTo(URL_ONE), yield* countTo(URL_TWO)]).toEqual([1, 2])
    }),
  )
})

describe("a webhook that is PAUSED", () => {
  rule(
    "makes no attempts and gets no new deliveries; when ACTIVE again, it continues with those that waited",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* answers(URL_ONE, answered(500), answered(200))
      yield* received(owner.address, { subject: "Before" })
      yield* change(owner, made, { status: "PAUSED" })
      yield* received(owner.address, { subject: "Meanwhile" })
      yield* TestClock.adjust("1 hour")
      yield* Engine.settle
      expect(yield* countTo(URL_ONE)).toBe(1)
      expect(yield* deliveriesOf(owner, made)).toMatchObject([{ status: "PENDING", attempts: 1 }])

      yield* change(owner, made, { status: "ACTIVE" })
      yield* Engine.settle
      yield* received(owner.address, { subject: "After" })
      const bodies = (yield* requestsTo(URL_ONE)).map(({ body }) => body)
      expect(bodies.map((body) => /"subject":"(\w+)"/.exec(body)?.[1])).toEqual(["Before", "Before", "After"])
      expect(yield* deliveriesOf(owner, made)).toMatchObject([
        { status: "DELIVERED", attempts: 1 },
        { status: "DELIVERED", attempts: 2 },
      ])
    }),
  )

  rule(
    "lets a running attempt end, and begins no other",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      const receiver = yield* slowReceiver
      const settling = yield* Effect.fork(receivedMany(owner.address, 3))
      yield* receiver.begun
      yield* change(owner, made, { status: "PAUSED" })
      yield* receiver.answer
      yield* Fiber.join(settling)
      expect(yield* countTo(URL_ONE)).toBe(1)
      const statuses = (yield* deliveriesOf(owner, made)).map(({ status }) => status)
      expect(statuses.sort()).toEqual(["DELIVERED", "PENDING", "PENDING"])
      expect(yield* stored(owner, made)).toMatchObject({ status: "PAUSED", lastTriggeredAt: NOON })
    }),
  )
})

describe("a webhook that FAILED", () => {
  rule(
    "starts again with no failures counted; its failed deliveries stay FAILED",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* answers(URL_ONE, answered(410), answered(200))
      yield* receivedMany(owner.address, 3)
      expect(yield* stored(owner, made)).toMatchObject({ status: "FAILED" })
      expect(yield* change(owner, made, { status: "ACTIVE" })).toMatchObject({
        status: "ACTIVE",
        failureCount: 0,
      })
      yield* TestClock.adjust(60 * MINUTE)
      yield* Engine.settle
      expect(yield* countTo(URL_ONE)).toBe(1)
      const statuses = (yield* deliveriesOf(owner, made)).map(({ status }) => status)
      expect(statuses).toEqual(["FAILED", "FAILED", "FAILED"])
      yield* received(owner.address, { subject: "New" })
      expect(yield* countTo(URL_ONE)).toBe(2)
    }),
  )
})

describe("a FAILED webhook with more waiting deliveries than one transaction fails", () => {
  /** The waiting deliveries, in the order of the log. */
  const backlog = (owner: Owner, { webhook }: Made) =>
    Effect.gen(function* () {
      const { test } = yield* WebhookDeliveries
      const principal = yield* as(owner)
      for (let made = 0; made < 450; made++) yield* test(principal, webhook.id, null)
    })
  const counted = (owner: Owner, { webhook }: Made, status: DeliveryStatus) =>
    Effect.gen(function* () {
      const { list } = yield* WebhookDeliveries
      const query = { status, before: null, limit: 1000 }
      return (yield* list(yield* as(owner), webhook.id, query)).deliveries.length
    })
  const drain = Effect.flatMap(WebhookWorker, (worker) => worker.drain)

  rule(
    "fails them in steps, and attempts none",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* answers(URL_ONE, answered(410), answered(200))
      yield* backlog(owner, made)
      yield* drain
      expect(yield* counted(owner, made, "FAILED")).toBe(201)
      yield* Engine.settle
      expect(yield* counted(owner, made, "FAILED")).toBe(450)
      yield* change(owner, made, { status: "ACTIVE" })
      yield* Engine.settle
      expect(yield* countTo(URL_ONE)).toBe(1)
    }),
  )

  rule(
    "delivers those that have not failed yet when it is started again",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* answers(URL_ONE, answered(410), answered(200))
      yield* backlog(owner, made)
      yield* drain
      yield* change(owner, made, { status: "ACTIVE" })
      yield* Engine.settle
      expect(yield* counted(owner, made, "FAILED")).toBe(201)
      expect(yield* counted(owner, made, "DELIVERED")).toBe(249)
    }),
  )
})

describe("deleting a webhook", () => {
  rule(
    "removes it and its waiting deliveries at once; a job removes the others",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* subscribe(owner, { url: URL_TWO })
      yield* answers(URL_ONE, answered(500))
      yield* receivedMany(owner.address, 3)
      yield* removeWebhook(owner, made)
      expect(yield* refused(read(owner, made))).toMatchObject({ _tag: "NotFound", resource: "webhook" })
      expect(yield* refused(removeWebhook(owner, made))).toMatchObject({ _tag: "NotFound" })
      expect(yield* refused(deliveriesOf(owner, made))).toMatchObject({ _tag: "NotFound" })
      expect(yield* listed(owner)).toHaveLength(1)
      yield* TestClock.adjust("1 day")
      yield* received(owner.address, { subject: "Later" })
      expect([yield* countTo(URL_ONE), yield* countTo(URL_TWO)]).toEqual([3, 4])
    }),
  )

  rule(
    "drops the outcome of a running attempt",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      const receiver = yield* slowReceiver
      const settling = yield* Effect.fork(receivedMany(owner.address, 2))
      yield* receiver.begun
      yield* removeWebhook(owner, made)
      yield* receiver.answer
      yield* Fiber.join(settling)
      yield* Engine.settle
      expect(yield* countTo(URL_ONE)).toBe(1)
      expect(yield* listed(owner)).toEqual([])
      expect(yield* refused(stored(owner, made))).toMatchObject({ _tag: "NoSuchElementException" })
    }),
  )

  rule(
    "happens with its mailbox, and to no other webhook",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* subscribe(owner, { mailboxId: owner.mailboxId })
      const whole = yield* subscribe(owner, { url: URL_TWO })
      const mailboxes = yield* Mailboxes
      yield* mailboxes.remove(yield* as(owner), owner.mailboxId)
      expect(yield* listed(owner)).toEqual([whole.webhook])
    }),
  )

  ruleWith(takingTurns)(
    "leaves none on a mailbox that is deleted concurrently",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const mailboxes = yield* Mailboxes
      const principal = yield* as(owner)
      yield* Effect.all(
        [
          Effect.ignore(subscribe(owner, { mailboxId: owner.mailboxId })),
          mailboxes.remove(principal, owner.mailboxId),
        ],
        { concurrency: "unbounded" },
      )
      expect(yield* listed(owner)).toEqual([])
    }),
  )
})
