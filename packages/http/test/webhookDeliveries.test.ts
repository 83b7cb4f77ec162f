/** Deliveries beyond `decisions.webhooks.*`: statuses, payloads with fresh links, redelivery, tests of each kind. */
import { describe } from "@effect/vitest"
import { Delivery, DeliveryWithPayload, EventKind, HOUR } from "@mailroom/domain"
import { Engine } from "@mailroom/engine"
import { MemoryReceivers } from "@mailroom/network"
import { Effect, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { owner, type Owner, scopedKey, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { mails, receive } from "./support/mail.js"
import { inOneService, rule } from "./support/service.js"
import { aWebhook, deliveriesOf, lastDelivery, posted, RECEIVER } from "./support/webhooks.js"

const One = Schema.Struct({ delivery: Delivery })

const answering = (...statuses: readonly [number, ...ReadonlyArray<number>]) =>
  Effect.gen(function* () {
    const receivers = yield* MemoryReceivers
    const [first, ...rest] = statuses.map((status) => ({
      kind: "answered" as const,
      status,
      retryAfter: null,
    }))
    if (first !== undefined) yield* receivers.answer(RECEIVER, first, ...rest)
  })

/** A webhook, and a delivery whose receiver answered so. */
const delivered = Effect.fn(function* (...statuses: readonly [number, ...ReadonlyArray<number>]) {
  const account = yield* signUp()
  const webhook = yield* aWebhook(account)
  yield* answering(...statuses)
  yield* receive(account.address)
  const { id } = yield* lastDelivery(account, webhook)
  return { account, webhook, target: `/v1/webhooks/${webhook.id}/deliveries/${id}` }
})

inOneService((shared) => {
  describe("GET /v1/webhooks/{id}/deliveries", () => {
    rule("of one status", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const webhook = yield* aWebhook(account)
        yield* answering(200, 500, 200)
        yield* receive(account.address, mails(3))
        for (const [status, count] of [
          ["DELIVERED", 2],
          ["PENDING", 1],
          ["FAILED", 0],
        ] as const) {
          const { deliveries } = yield* deliveriesOf(account, webhook, `?status=${status}`)
          expect(deliveries.map((delivery) => delivery.status)).toEqual(
            Array.from({ length: count }, () => status),
          )
        }
      }),
    )

    for (const [query, path] of [
      ["limit=ten", "limit"],
      ["cursor=WzEsImEiXQ", "cursor"],
    ] as const)
      shared(`answers 400 to ?${query}`, () =>
        Effect.gen(function* () {
          const account = yield* signUp()
          const { id } = yield* aWebhook(account)
          const answer = yield* ask(`GET /v1/webhooks/${id}/deliveries?${query}`, { key: account.key })
          expect(answer.status).toBe(400)
          expect(answer.json).toMatchObject({
            code: "VALIDATION_FAILED",
            issues: expect.arrayContaining([expect.objectContaining({ path })]),
          })
        }),
      )

    shared("of a webhook bound to a scoped key's mailbox are that key's to see", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const webhook = yield* aWebhook(account, { mailboxId: account.mailboxId })
        yield* receive(account.address)
        expect((yield* deliveriesOf(yield* scopedKey(account), webhook)).deliveries).toHaveLength(1)
      }),
    )
  })

  describe("GET /v1/webhooks/{id}/deliveries/{deliveryId}", () => {
    rule("adds the payload as an object, as it was posted", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const webhook = yield* aWebhook(account)
        const attachment = { filename: "a.txt", type: "text/plain", content: "A" }
        yield* receive(account.address, [{ subject: "Figures", attachment }])
        const delivery = yield* lastDelivery(account, webhook)
        const target = `GET /v1/webhooks/${webhook.id}/deliveries/${delivery.id}`
        const answer = yield* ask(target, { key: account.key })
        const [request] = yield* posted
        const body: unknown = JSON.parse(request?.body ?? "null")
        expect([answer.status, answer.json]).toEqual([200, { delivery: { ...delivery, payload: body } }])
        yield* TestClock.adjust(HOUR)
        expect((yield* ask(target, { key: account.key })).text).toContain(`expires=${25 * HOUR}`)
      }),
    )
  })

  describe("POST …/deliveries/{deliveryId}/redeliver", () => {
    rule("goes at once for one that waits", () =>
      Effect.gen(function* () {
        const { account, webhook, target } = yield* delivered(500, 200)
        expect((yield* ask(`POST ${target}/redeliver`, { key: account.key })).status).toBe(202)
        yield* Engine.settle
        expect(yield* lastDelivery(account, webhook)).toMatchObject({ status: "DELIVERED", attempts: 1 })
      }),
    )

    rule("answers 400 on a webhook that FAILED, and says what to do first", () =>
      Effect.gen(function* () {
        const { account, webhook, target } = yield* delivered(410, 200)
        const refusal = yield* ask(`POST ${target}/redeliver`, { key: account.key })
        expect([refusal.status, refusal.json]).toEqual([
          400,
          { error: expect.stringMatching(/FAILED.*PATCH/), code: "WEBHOOK_NOT_ACTIVE" },
        ])
        yield* ask(`PATCH /v1/webhooks/${webhook.id}`, { key: account.key, body: { status: "ACTIVE" } })
        expect((yield* ask(`POST ${target}/redeliver`, { key: account.key })).status).toBe(202)
        yield* Engine.settle
        expect(yield* lastDelivery(account, webhook)).toMatchObject({ status: "DELIVERED" })
      }),
    )
  })

  describe("a delivery whose event has left the log", () => {
    rule("shows no payload, and is not delivered again: 400", () =>
      Effect.gen(function* () {
        const { account, webhook, target } = yield* delivered(500)
        const change = (status: string) =>
          ask(`PATCH /v1/webhooks/${webhook.id}`, { key: account.key, body: { status } })
        yield* change("PAUSED")
        yield* TestClock.adjust("31 days")
        yield* Engine.settle
        const answer = yield* ask(`GET ${target}`, { key: account.key })
        expect(answer.json).toMatchObject({ delivery: { status: "PENDING", payload: null } })
        yield* change("ACTIVE")
        const refusal = yield* ask(`POST ${target}/redeliver`, { key: account.key })
        expect([refusal.status, refusal.json]).toEqual([
          400,
          { error: expect.any(String), code: "EVENT_EXPIRED" },
        ])
      }),
    )
  })

  describe("POST /v1/webhooks/{id}/test", () => {
    const test = ({ key }: Pick<Owner, "key">, { id }: { readonly id: string }, body?: unknown) =>
      ask(`POST /v1/webhooks/${id}/test`, { key, body })

    rule("answers 202 with the delivery of a made-up event, without a body or with an empty one", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const webhook = yield* aWebhook(account, { events: ["message.sent", "message.received"] })
        for (const body of [undefined, {}]) {
          const answer = yield* test(account, webhook, body)
          expect([answer.status, answer.json]).toEqual([
            202,
            {
              delivery: {
                id: expect.any(String),
                event: "message.sent",
                eventId: expect.stringMatching(/^0-0-[0-9a-f]{4}$/),
                status: "PENDING",
                attempts: 0,
                responseStatus: null,
                lastError: null,
                nextRetryAt: "1970-01-01T00:00:00.000Z",
                createdAt: "1970-01-01T00:00:00.000Z",
                deliveredAt: null,
              },
            },
          ])
        }
        yield* Engine.settle
        expect(yield* posted).toHaveLength(2)
      }),
    )

    for (const kind of EventKind.literals)
      rule(`of ${kind}, when asked for: complete, and marked`, () =>
        Effect.gen(function* () {
          const account = yield* signUp()
          const webhook = yield* aWebhook(account)
          const { id } = read(One)(yield* test(account, webhook, { event: kind })).delivery
          yield* Engine.settle
          const [request] = yield* posted
          expect(request?.headers).toMatchObject({ "x-service-event": kind, "x-service-delivery-id": id })
          const answer = yield* ask(`GET /v1/webhooks/${webhook.id}/deliveries/${id}`, { key: account.key })
          const { payload } = read(Schema.Struct({ delivery: DeliveryWithPayload }))(answer).delivery
          expect(payload).toEqual(JSON.parse(request?.body ?? "null"))
          expect(payload).toMatchObject({
            event: kind,
            data: { test: true, mailbox_id: account.mailboxId, mailbox_address: account.address },
          })
        }),
      )

    shared("is in no log and counts for nothing", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const before = (yield* ask("GET /v1/account", { key: account.key })).json
        yield* test(account, yield* aWebhook(account))
        yield* Engine.settle
        expect((yield* ask("GET /v1/events/log", { key: account.key })).json).toMatchObject({ events: [] })
        expect((yield* ask("GET /v1/account", { key: account.key })).json).toEqual(before)
      }),
    )

    shared("answers 400 while the webhook is PAUSED", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const webhook = yield* aWebhook(account)
        yield* ask(`PATCH /v1/webhooks/${webhook.id}`, { key: account.key, body: { status: "PAUSED" } })
        const answer = yield* test(account, webhook)
        expect([answer.status, answer.json]).toMatchObject([400, { code: "WEBHOOK_NOT_ACTIVE" }])
        expect((yield* deliveriesOf(account, webhook)).deliveries).toEqual([])
      }),
    )

    shared("works with a scoped key on a webhook of its mailbox", () =>
      Effect.gen(function* () {
        const account = yield* owner("trial")
        const webhook = yield* aWebhook(account, { mailboxId: account.mailboxId })
        expect((yield* test(yield* scopedKey(account), webhook)).status).toBe(202)
      }),
    )
  })
})
