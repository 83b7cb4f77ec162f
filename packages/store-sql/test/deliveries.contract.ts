/** Contract of `WebhookStore`: pages, payloads and removal of deliveries. */
import { SqlClient, type SqlConnection } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import {
  type DeliveryRecord,
  DeliveryId,
  type EventRecord,
  MailboxId,
  type WebhookRecord,
} from "@mailroom/domain"
import { type DeliveryQuery, EventStore, WebhookStore } from "@mailroom/engine"
import { Effect, Option } from "effect"
import type { Database } from "./support/databases.js"
import { aDelivery, aWebhook, newId, NOON, storedAccount } from "./support/records.js"

const aStored = Effect.gen(function* () {
  const webhook = aWebhook((yield* storedAccount).id)
  yield* Effect.flatMap(WebhookStore, (store) => store.insert(webhook))
  const events = yield* EventStore
  const [event] = yield* events.append([
    {
      accountId: webhook.accountId,
      mailboxId: MailboxId.make(newId()),
      kind: "message.received",
      envelope: '{"event":"message.received"}',
      happenedAt: NOON,
      random: 1,
    },
  ])
  return { webhook, event: event ?? (yield* Effect.dieMessage("an event was appended")) }
})

const enqueued = (webhook: WebhookRecord, event: EventRecord, over: Partial<DeliveryRecord> = {}) =>
  Effect.gen(function* () {
    const delivery = aDelivery(webhook, event, over)
    yield* Effect.flatMap(WebhookStore, (store) => store.enqueue([delivery]))
    return delivery
  })

const idsOf = (deliveries: ReadonlyArray<DeliveryRecord>) => deliveries.map(({ id }) => id)

const pageOf = (webhook: WebhookRecord, over: Partial<DeliveryQuery> = {}) =>
  Effect.flatMap(WebhookStore, (store) =>
    store.deliveries({ webhookId: webhook.id, status: null, before: null, limit: 10, ...over }),
  )

export const deliveriesContract = (name: string, database: Database) =>
  describe(`${name}: deliveries`, () => {
    layer(database)((it) => {
      it.effect("returns a delivery of its webhook as it was enqueued", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          const { webhook, event } = yield* aStored
          const delivery = yield* enqueued(webhook, event, { payload: "{}", lastError: "refused" })
          expect(yield* store.delivery(webhook.id, delivery.id)).toEqual(Option.some(delivery))
          expect(yield* store.delivery((yield* aStored).webhook.id, delivery.id)).toEqual(Option.none())
          expect(yield* store.delivery(webhook.id, DeliveryId.make(newId()))).toEqual(Option.none())
        }),
      )

      it.effect("lists deliveries page by page, newest first, of one status or all", () =>
        Effect.gen(function* () {
          const { webhook, event } = yield* aStored
          const add = (createdAt: number, status: DeliveryRecord["status"]) =>
            enqueued(webhook, event, { createdAt, status })
          const one = yield* add(NOON, "DELIVERED")
          const two = yield* add(NOON, "PENDING")
          const three = yield* add(NOON, "FAILED")
          const four = yield* add(NOON + 1, "DELIVERED")
          yield* Effect.flatMap(aStored, (other) => enqueued(other.webhook, other.event))
          expect(yield* pageOf(webhook)).toEqual({ deliveries: [four, three, two, one], hasMore: false })
          const first = yield* pageOf(webhook, { limit: 3 })
          expect([idsOf(first.deliveries), first.hasMore]).toEqual([idsOf([four, three, two]), true])
          expect(yield* pageOf(webhook, { limit: 3, before: two })).toEqual({
            deliveries: [one],
            hasMore: false,
          })
          expect(yield* pageOf(webhook, { status: "DELIVERED", limit: 1 })).toEqual({
            deliveries: [four],
            hasMore: true,
          })
          expect(yield* pageOf(webhook, { status: "DELIVERED", before: four })).toEqual({
            deliveries: [one],
            hasMore: false,
          })
          expect(yield* pageOf(webhook, { limit: 4 })).toMatchObject({ hasMore: false })
        }),
      )

      it.effect("lists all statuses in one statement, so that no delivery moves between two", () =>
        Effect.gen(function* () {
          const { webhook, event } = yield* aStored
          yield* enqueued(webhook, event)
          const connection = yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql.reserve)
          let statements = 0
          const counting: SqlConnection.Connection = {
            ...connection,
            execute: (...run) => {
              statements += 1
              return connection.execute(...run)
            },
          }
          const page = yield* Effect.provideService(pageOf(webhook), SqlClient.TransactionConnection, [
            counting,
            0,
          ])
          expect([page.deliveries.length, statements]).toEqual([1, 1])
        }).pipe(Effect.scoped),
      )

      it.effect("returns the payload of a delivery: its own, else that of its event, else none", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          const events = yield* EventStore
          const { webhook, event } = yield* aStored
          const logged = yield* enqueued(webhook, event)
          const own = yield* enqueued(webhook, event, { payload: '{"own":true}', eventSeq: 0 })
          expect(yield* store.envelopeOf(logged)).toBe(event.envelope)
          expect(yield* store.envelopeOf(own)).toBe('{"own":true}')
          yield* events.prune(NOON + 1, 1000)
          expect(yield* store.envelopeOf(logged)).toBeNull()
          expect(yield* store.envelopeOf(own)).toBe('{"own":true}')
          const due = Option.getOrThrow(yield* store.beginNextAttempt(webhook.id, NOON))
          expect(due).toMatchObject({ delivery: { id: own.id }, envelope: '{"own":true}' })
          yield* store.saveDelivery({ ...due.delivery, status: "DELIVERED" })
          expect(Option.getOrThrow(yield* store.beginNextAttempt(webhook.id, NOON))).toMatchObject({
            delivery: { id: logged.id },
            envelope: null,
          })
        }),
      )

      it.effect(
        "removes finished deliveries older than an instant, a few at a time, and no waiting one",
        () =>
          Effect.gen(function* () {
            const store = yield* WebhookStore
            const { webhook, event } = yield* aStored
            const add = (createdAt: number, status: DeliveryRecord["status"]) =>
              enqueued(webhook, event, { createdAt, status })
            for (const createdAt of [1, 2]) yield* add(createdAt, "DELIVERED")
            yield* add(3, "FAILED")
            const waiting = yield* add(1, "PENDING")
            const young = yield* add(4, "DELIVERED")
            expect(yield* store.pruneDeliveries(4, 2)).toBe(2)
            expect(yield* store.pruneDeliveries(4, 2)).toBe(1)
            expect(yield* store.pruneDeliveries(4, 2)).toBe(0)
            expect(idsOf((yield* pageOf(webhook)).deliveries)).toEqual(idsOf([young, waiting]))
          }),
      )

      it.effect("hides a removed webhook at once, and removes its deliveries a few at a time", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          const { webhook, event } = yield* aStored
          const deliveries = yield* Effect.forEach([1, 2, 3], () => enqueued(webhook, event))
          const kept = yield* aStored
          const keptDelivery = yield* enqueued(kept.webhook, kept.event)
          yield* store.remove(webhook.id)
          for (const find of [store.byId, store.lock])
            expect(yield* find(webhook.accountId, webhook.id)).toEqual(Option.none())
          expect(yield* store.list(webhook.accountId)).toEqual([])
          expect(yield* store.active([webhook.accountId])).toEqual([])
          expect(yield* store.extend(webhook.id, NOON)).toEqual(Option.none())
          const claimed = yield* store.claim(1000, NOON + 1000, NOON + 1001, [])
          expect(claimed.map(({ id }) => id)).not.toContain(webhook.id)

          expect(yield* store.purge(webhook.id, 2)).toBe(2)
          expect(yield* store.purge(webhook.id, 2)).toBe(1)
          expect(yield* store.purge(webhook.id, 2)).toBe(0)
          for (const { id } of deliveries)
            expect(yield* store.delivery(webhook.id, id)).toEqual(Option.none())
          // The row of the webhook is removed too.
          yield* store.insert(webhook)
          expect(yield* store.delivery(kept.webhook.id, keptDelivery.id)).toEqual(Option.some(keptDelivery))
        }),
      )

      it.effect("purging a webhook that was not removed takes only its deliveries", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          const { webhook } = yield* aStored
          yield* store.purge(webhook.id, 2)
          expect(yield* store.byId(webhook.accountId, webhook.id)).toEqual(Option.some(webhook))
        }),
      )
    })
  })
