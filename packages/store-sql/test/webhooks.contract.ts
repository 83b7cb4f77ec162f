/** Contract of `WebhookStore`. */
import { describe, expect, layer } from "@effect/vitest"
import { type AccountId, MailboxId, type WebhookRecord } from "@mailroom/domain"
import { AccountStore, EventStore, WebhookStore } from "@mailroom/engine"
import { Effect, Option } from "effect"
import type { Database } from "./support/databases.js"
import { aDelivery, aWebhook, newId, NOON, storedAccount } from "./support/records.js"

const LATER = NOON + 60_000

const storedWebhook = (over: Partial<WebhookRecord> = {}) =>
  Effect.gen(function* () {
    const webhook = aWebhook((yield* storedAccount).id, over)
    yield* Effect.flatMap(WebhookStore, (store) => store.insert(webhook))
    return webhook
  })

const anEvent = (accountId: AccountId) =>
  Effect.gen(function* () {
    const store = yield* EventStore
    const [event] = yield* store.append([
      {
        accountId,
        mailboxId: MailboxId.make(newId()),
        kind: "message.received",
        envelope: '{"event":"message.received"}',
        happenedAt: NOON,
        random: 1,
      },
    ])
    return event ?? (yield* Effect.dieMessage("an event was appended"))
  })

/** A delivery that waits until `dueAt`. */
const waiting = (webhook: WebhookRecord, dueAt = NOON) =>
  Effect.gen(function* () {
    const event = yield* anEvent(webhook.accountId)
    const delivery = aDelivery(webhook, event, { dueAt })
    yield* Effect.flatMap(WebhookStore, (store) => store.enqueue([delivery]))
    return { event, delivery }
  })

/** Pauses the webhooks of other tests, so that a claim finds only this test's. */
const pauseAll = Effect.gen(function* () {
  const store = yield* WebhookStore
  const claimed = yield* store.claim(1000, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER, [])
  for (const webhook of claimed) yield* store.save({ ...webhook, status: "PAUSED" })
})

const idsOf = (webhooks: ReadonlyArray<WebhookRecord>) => webhooks.map(({ id }) => id)

export const webhooksContract = (name: string, database: Database) =>
  describe(`${name}: webhooks`, () => {
    layer(database)((it) => {
      it.effect("returns a webhook to its account as it was inserted", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          const webhook = yield* storedWebhook({
            mailboxId: MailboxId.make(newId()),
            events: ["message.received", "message.bounced"],
            sealedHeaders: "sealed",
            headerNames: ["X-One"],
            lastTriggeredAt: NOON,
            sealedPreviousSecret: "sealed before",
            previousSecretUntil: NOON + 1,
          })
          const other = (yield* storedAccount).id
          for (const find of [store.byId, store.lock]) {
            expect(yield* find(webhook.accountId, webhook.id)).toEqual(Option.some(webhook))
            expect(yield* find(other, webhook.id)).toEqual(Option.none())
          }
        }),
      )

      it.effect("returns webhooks and deliveries of a kind that only a later version knows", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          const webhook = yield* storedWebhook({ events: ["message.invented", "message.received"] })
          expect(yield* store.byId(webhook.accountId, webhook.id)).toEqual(Option.some(webhook))
          const delivery = aDelivery(webhook, yield* anEvent(webhook.accountId), {
            event: "message.invented",
          })
          yield* store.enqueue([delivery])
          expect(yield* store.delivery(webhook.id, delivery.id)).toEqual(Option.some(delivery))
        }),
      )

      it.effect("lists the webhooks of an account, oldest first", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          const second = yield* storedWebhook({ createdAt: NOON + 2 })
          const { accountId } = second
          const first = aWebhook(accountId, { createdAt: NOON + 1, status: "FAILED" })
          const third = aWebhook(accountId, { createdAt: NOON + 2, status: "PAUSED" })
          yield* store.insert(third)
          yield* store.insert(first)
          yield* storedWebhook()
          expect(idsOf(yield* store.list(accountId))).toEqual(idsOf([first, second, third]))
          expect(yield* store.list((yield* storedAccount).id)).toEqual([])
        }),
      )

      it.effect("finds the active webhooks of accounts", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          const [one, two] = [yield* storedWebhook(), yield* storedWebhook()]
          yield* store.insert(aWebhook(one.accountId, { status: "PAUSED" }))
          yield* storedWebhook()
          expect(new Set(yield* store.active([one.accountId, two.accountId]))).toEqual(new Set([one, two]))
          expect(yield* store.active([])).toEqual([])
        }),
      )

      it.effect("leases webhooks with a due delivery, most overdue first", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          yield* pauseAll
          const [late, early, future] = [
            yield* storedWebhook(),
            yield* storedWebhook(),
            yield* storedWebhook(),
          ]
          yield* storedWebhook()
          yield* waiting(late, NOON - 1)
          yield* waiting(early, NOON - 2)
          yield* waiting(future, NOON + 5)
          expect(yield* store.nextDueAt).toEqual(Option.some(NOON - 2))
          expect(idsOf(yield* store.claim(10, NOON, LATER, []))).toEqual([early.id, late.id])
          expect(yield* store.claim(10, NOON, LATER, [])).toEqual([])
          expect(idsOf(yield* store.claim(10, NOON + 5, LATER, []))).toEqual([future.id])
          expect(idsOf(yield* store.claim(1, LATER, LATER + 1, []))).toEqual([early.id])
        }),
      )

      it.effect("frees the leases of an abandoned claim, and no others", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          yield* pauseAll
          const [one, two] = [yield* storedWebhook(), yield* storedWebhook()]
          yield* waiting(one)
          yield* store.claim(10, NOON, LATER, [])
          yield* waiting(two)
          yield* store.claim(10, NOON, LATER + 1, [])
          yield* store.abandonClaim(LATER)
          expect(idsOf(yield* store.claim(10, NOON, LATER + 2, []))).toEqual([one.id])
          yield* store.abandonClaim(0)
          expect(yield* store.claim(10, NOON, LATER, [])).toEqual([])
        }),
      )

      it.effect("leases no webhook of excepted accounts", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          yield* pauseAll
          const flooding = yield* Effect.forEach([1, 2, 3], () => storedWebhook())
          const quiet = yield* storedWebhook()
          for (const webhook of flooding) yield* waiting(webhook, NOON - 10)
          yield* waiting(quiet)
          const except = flooding.map(({ accountId }) => accountId)
          expect(idsOf(yield* store.claim(10, NOON, LATER, except))).toEqual([quiet.id])
          expect(idsOf(yield* store.claim(10, NOON, LATER, except.slice(1)))).toEqual([flooding[0]?.id])
        }),
      )

      it.effect("puts a released webhook behind those that waited meanwhile", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          yield* pauseAll
          const busy = yield* storedWebhook()
          yield* waiting(busy, NOON - 100)
          yield* waiting(busy, NOON - 99)
          yield* store.claim(1, NOON, LATER, [])
          const fresh = yield* storedWebhook()
          yield* waiting(fresh, NOON + 1)
          yield* store.release(busy.id, NOON + 2)
          expect(yield* store.claim(10, NOON, LATER, [])).toEqual([])
          expect(idsOf(yield* store.claim(10, NOON + 2, LATER, []))).toEqual([fresh.id, busy.id])
          yield* store.release(busy.id, NOON + 3)
          // A new delivery does not move it forward.
          yield* waiting(busy, NOON + 4)
          expect(yield* store.nextDueAt).toEqual(Option.some(NOON + 1))
        }),
      )

      it.effect("counts each attempt, and gives deliveries in the order of their events", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          const webhook = yield* storedWebhook()
          const first = yield* waiting(webhook)
          const second = yield* waiting(webhook)
          const due = {
            delivery: { ...first.delivery, attempts: 1 },
            envelope: first.event.envelope,
            largeBytes: null,
          }
          expect(yield* store.beginNextAttempt(webhook.id, NOON - 1)).toEqual(Option.none())
          expect(yield* store.beginNextAttempt(webhook.id, NOON)).toEqual(Option.some(due))
          yield* store.saveDelivery({
            ...due.delivery,
            status: "DELIVERED",
            responseStatus: 204,
            deliveredAt: NOON,
          })
          const next = Option.getOrThrow(yield* store.beginNextAttempt(webhook.id, NOON))
          expect(next.delivery).toEqual({ ...second.delivery, attempts: 1 })
          yield* store.saveDelivery({ ...next.delivery, status: "FAILED", lastError: "refused" })
          expect(yield* store.beginNextAttempt(webhook.id, NOON)).toEqual(Option.none())
        }),
      )

      it.effect("is due with its next delivery after its release", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          yield* pauseAll
          const webhook = yield* storedWebhook()
          const { delivery } = yield* waiting(webhook)
          yield* store.claim(10, NOON, LATER, [])
          yield* store.saveDelivery({ ...delivery, attempts: 1, dueAt: NOON + 30 })
          yield* store.release(webhook.id, NOON)
          expect(yield* store.nextDueAt).toEqual(Option.some(NOON + 30))
          expect(yield* store.claim(10, NOON + 29, LATER, [])).toEqual([])
          expect(idsOf(yield* store.claim(10, NOON + 30, LATER, []))).toEqual([webhook.id])
          yield* store.saveDelivery({ ...delivery, attempts: 2, status: "DELIVERED" })
          yield* store.release(webhook.id, NOON)
          expect(yield* store.nextDueAt).toEqual(Option.none())
          expect(yield* store.claim(10, LATER, LATER + 1, [])).toEqual([])
        }),
      )

      it.effect("keeps an extended lease, and delivers what is added meanwhile", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          yield* pauseAll
          const webhook = yield* storedWebhook()
          const { delivery } = yield* waiting(webhook)
          yield* store.claim(10, NOON, NOON + 10, [])
          expect(yield* store.extend(webhook.id, NOON + 20)).toEqual(Option.some(webhook))
          expect(yield* store.claim(10, NOON + 15, LATER, [])).toEqual([])
          yield* waiting(webhook, NOON + 1)
          yield* store.saveDelivery({ ...delivery, status: "DELIVERED" })
          yield* store.release(webhook.id, NOON)
          expect(idsOf(yield* store.claim(10, NOON + 15, LATER, []))).toEqual([webhook.id])
        }),
      )

      it.effect("saves a webhook without touching its lease", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          yield* pauseAll
          const webhook = yield* storedWebhook()
          yield* waiting(webhook)
          yield* store.claim(10, NOON, LATER, [])
          const after = { ...webhook, url: "https://other.org/", failureCount: 3, lastTriggeredAt: NOON }
          yield* store.save(after)
          expect(yield* store.claim(10, NOON + 1, LATER, [])).toEqual([])
          expect(yield* store.nextDueAt).toEqual(Option.some(NOON))
          expect(yield* store.claim(10, LATER, LATER + 1, [])).toEqual([after])
        }),
      )

      it.effect("does not claim a paused webhook, and claims it when it is active again", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          yield* pauseAll
          const webhook = yield* storedWebhook({ status: "PAUSED" })
          yield* waiting(webhook)
          expect(yield* store.claim(10, NOON, LATER, [])).toEqual([])
          expect(yield* store.nextDueAt).toEqual(Option.none())
          yield* store.save({ ...webhook, status: "ACTIVE" })
          expect(idsOf(yield* store.claim(10, NOON, LATER, []))).toEqual([webhook.id])
        }),
      )

      it.effect(
        "fails the waiting deliveries of a FAILED webhook, a few at a time, and no finished ones",
        () =>
          Effect.gen(function* () {
            const store = yield* WebhookStore
            yield* pauseAll
            const webhook = yield* storedWebhook()
            const done = yield* waiting(webhook)
            yield* store.saveDelivery({ ...done.delivery, status: "DELIVERED" })
            const [first, second, third] = [
              yield* waiting(webhook, NOON),
              yield* waiting(webhook, NOON + 1),
              yield* waiting(webhook, NOON + 2),
            ]
            const fail = store.failPending(webhook.id, 2)
            expect(yield* fail).toBe(0)
            yield* store.save({ ...webhook, status: "FAILED" })
            const statusOf = ({ delivery }: typeof first) =>
              Effect.map(
                Effect.flatten(store.delivery(webhook.id, delivery.id)),
                ({ status, lastError }) => `${status} ${lastError}`,
              )
            expect(yield* fail).toBe(2)
            const failed = "FAILED the webhook failed"
            expect(yield* Effect.forEach([done, first, second, third], statusOf)).toEqual([
              "DELIVERED null",
              failed,
              failed,
              "PENDING null",
            ])
            expect(yield* fail).toBe(1)
            expect(yield* fail).toBe(0)
            expect(yield* store.beginNextAttempt(webhook.id, LATER)).toEqual(Option.none())
          }),
      )

      it.effect("fails deliveries of a webhook that became FAILED before they were added", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          const webhook = yield* storedWebhook()
          yield* store.save({ ...webhook, status: "FAILED" })
          const { delivery } = yield* waiting(webhook)
          const { status, lastError } = yield* Effect.flatten(store.delivery(webhook.id, delivery.id))
          expect([status, lastError]).toEqual(["FAILED", "the webhook failed"])
        }),
      )

      it.effect("claims no webhook of a suspended account until it resumes", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          const accounts = yield* AccountStore
          yield* pauseAll
          const account = yield* storedAccount
          const [webhook, idle] = [aWebhook(account.id), aWebhook(account.id)]
          yield* store.insert(webhook)
          yield* store.insert(idle)
          const first = yield* waiting(webhook, NOON + 1)
          const other = yield* storedWebhook()
          yield* waiting(other)
          yield* accounts.save({ ...account, suspendedAt: NOON })
          yield* store.claim(10, NOON + 1, LATER, [])
          expect(Option.isSome(yield* store.beginNextAttempt(other.id, NOON + 1))).toBe(true)
          expect(yield* store.beginNextAttempt(webhook.id, LATER)).toEqual(Option.none())
          yield* store.release(webhook.id, NOON)
          expect(yield* store.claim(10, NOON + 1, LATER, [])).toEqual([])

          yield* accounts.save(account)
          yield* store.resume(account.id)
          expect(idsOf(yield* store.claim(10, NOON + 1, LATER, []))).toEqual([webhook.id])
          const due = {
            delivery: { ...first.delivery, attempts: 1 },
            envelope: first.event.envelope,
            largeBytes: null,
          }
          expect(yield* store.beginNextAttempt(webhook.id, NOON + 1)).toEqual(Option.some(due))
        }),
      )

      it.effect("holds new deliveries of a suspended account, at the cost of one claim", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          const accounts = yield* AccountStore
          yield* pauseAll
          const account = yield* storedAccount
          const webhook = aWebhook(account.id)
          yield* store.insert(webhook)
          yield* accounts.save({ ...account, suspendedAt: NOON })
          yield* waiting(webhook)
          expect(idsOf(yield* store.claim(10, NOON, LATER, []))).toEqual([webhook.id])
          expect(yield* store.beginNextAttempt(webhook.id, NOON)).toEqual(Option.none())
          yield* store.release(webhook.id, NOON)
          expect(yield* store.nextDueAt).toEqual(Option.none())
        }),
      )

      it.effect("makes a webhook due when a failed delivery waits again", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          yield* pauseAll
          const webhook = yield* storedWebhook()
          const { delivery } = yield* waiting(webhook)
          yield* store.claim(10, NOON, LATER, [])
          yield* store.saveDelivery({ ...delivery, status: "FAILED" })
          yield* store.release(webhook.id, NOON)
          yield* store.saveDelivery({ ...delivery, status: "PENDING", dueAt: NOON + 7 })
          expect(yield* store.nextDueAt).toEqual(Option.some(NOON + 7))
        }),
      )

      it.effect("does not extend the lease of an inactive webhook", () =>
        Effect.gen(function* () {
          const store = yield* WebhookStore
          const webhook = yield* storedWebhook()
          yield* store.save({ ...webhook, status: "PAUSED" })
          expect(yield* store.extend(webhook.id, LATER)).toEqual(Option.none())
        }),
      )
    })
  })
