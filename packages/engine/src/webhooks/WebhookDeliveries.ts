/** Use cases on the deliveries of a webhook: list, read, redeliver, and send a test event. */
import {
  type Delivery,
  DeliveryId,
  type DeliveryStatus,
  EventExpired,
  eventId,
  EventKind,
  MessageId,
  newDelivery,
  NotFound,
  type Principal,
  redelivered,
  testEvent,
  ThreadId,
  viewDelivery,
  type WebhookId,
  WebhookNotActive,
  type WebhookRecord,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { DownloadLinks } from "../attachments/DownloadLinks.js"
import { presentEvent } from "../events/presentEvent.js"
import { Ids } from "../ids/Ids.js"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { type DeliveryPosition, WebhookStore } from "../ports/stores/WebhookStore.js"
import { announce, UnitOfWork } from "../UnitOfWork.js"
import { Webhooks } from "./Webhooks.js"

export interface DeliveryPage {
  readonly deliveries: ReadonlyArray<Delivery>
  readonly hasMore: boolean
  readonly last: DeliveryPosition | null
}

const isEventKind = Schema.is(EventKind)

export class WebhookDeliveries extends Context.Tag("@mailroom/WebhookDeliveries")<
  WebhookDeliveries,
  {
    /** Newest first. */
    readonly list: (
      principal: Principal,
      webhookId: WebhookId,
      query: {
        readonly status: DeliveryStatus | null
        readonly before: DeliveryPosition | null
        readonly limit: number
      },
    ) => Effect.Effect<DeliveryPage, NotFound>
    /** `payload` is the JSON body as it would be sent now; null when the event has left the log. */
    readonly get: (
      principal: Principal,
      webhookId: WebhookId,
      id: DeliveryId,
    ) => Effect.Effect<{ readonly delivery: Delivery; readonly payload: string | null }, NotFound>
    /** Restarts a delivery at its first attempt, now and under the same id, whatever its status is. */
    readonly redeliver: (
      principal: Principal,
      webhookId: WebhookId,
      id: DeliveryId,
    ) => Effect.Effect<Delivery, NotFound | WebhookNotActive | EventExpired>
    /**
     * Sends a test event to this webhook only. No log and no stream holds it. Without `kind` it has the first kind of the
     * webhook.
     */
    readonly test: (
      principal: Principal,
      webhookId: WebhookId,
      kind: EventKind | null,
    ) => Effect.Effect<Delivery, NotFound | WebhookNotActive>
  }
>() {
  static readonly layer = Layer.effect(
    WebhookDeliveries,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const webhooks = yield* Webhooks
      const mailboxes = yield* Mailboxes
      const links = yield* DownloadLinks
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork

      const find = (webhookId: WebhookId, id: DeliveryId) =>
        Effect.catchTag(
          Effect.flatten(store.delivery(webhookId, id)),
          "NoSuchElementException",
          () => new NotFound({ resource: "delivery" }),
        )

      /** Inside a transaction: locks the webhook. Fails unless it is ACTIVE. */
      const lockActive = Effect.fnUntraced(function* (principal: Principal, id: WebhookId) {
        const { status } = yield* webhooks.lock(principal, id)
        if (status !== "ACTIVE") return yield* new WebhookNotActive({ status })
      })

      /** The mailbox of a test event. */
      const exampleMailbox = Effect.fnUntraced(function* (principal: Principal, webhook: WebhookRecord) {
        if (webhook.mailboxId !== null) return yield* mailboxes.require(principal, webhook.mailboxId)
        const [first] = yield* mailboxes.list(principal)
        return first ?? (yield* new NotFound({ resource: "mailbox" }))
      })

      const newTestDelivery = Effect.fnUntraced(function* (
        principal: Principal,
        webhook: WebhookRecord,
        kind: EventKind,
      ) {
        const mailbox = yield* exampleMailbox(principal, webhook)
        const at = yield* Clock.currentTimeMillis
        const facts = {
          mailbox,
          messageId: MessageId.make(yield* ids.uuid),
          threadId: ThreadId.make(yield* ids.uuid),
          at,
        }
        const [random = 0] = yield* ids.random16(1)
        return newDelivery({
          id: DeliveryId.make(yield* ids.uuid),
          webhookId: webhook.id,
          accountId: webhook.accountId,
          // No event of the log has the sequence number 0.
          eventId: eventId(at, 0, random),
          eventSeq: 0,
          event: kind,
          payload: testEvent(kind, facts),
          createdAt: at,
        })
      })

      return WebhookDeliveries.of({
        list: Effect.fn("WebhookDeliveries.list")(function* (principal, webhookId, query) {
          yield* webhooks.require(principal, webhookId)
          const { deliveries, hasMore } = yield* store.deliveries({ webhookId, ...query })
          return { deliveries: deliveries.map(viewDelivery), hasMore, last: deliveries.at(-1) ?? null }
        }),

        get: Effect.fn("WebhookDeliveries.get")(function* (principal, webhookId, id) {
          yield* webhooks.require(principal, webhookId)
          const delivery = yield* find(webhookId, id)
          const envelope = yield* store.envelopeOf(delivery)
          return {
            delivery: viewDelivery(delivery),
            payload:
              envelope === null ? null : yield* presentEvent(links, { kind: delivery.event, envelope }),
          }
        }),

        redeliver: Effect.fn("WebhookDeliveries.redeliver")(function* (principal, webhookId, id) {
          const now = yield* Clock.currentTimeMillis
          const again = yield* commit(
            Effect.gen(function* () {
              yield* lockActive(principal, webhookId)
              const delivery = yield* find(webhookId, id)
              if ((yield* store.envelopeOf(delivery)) === null) return yield* new EventExpired()
              const restarted = redelivered(delivery, now)
              yield* store.saveDelivery(restarted)
              yield* announce("webhooks")
              return restarted
            }),
          )
          return viewDelivery(again)
        }),

        test: Effect.fn("WebhookDeliveries.test")(function* (principal, webhookId, kind) {
          const webhook = yield* webhooks.require(principal, webhookId)
          const delivery = yield* newTestDelivery(
            principal,
            webhook,
            kind ?? webhook.events.find(isEventKind) ?? "message.received",
          )
          yield* commit(
            Effect.gen(function* () {
              yield* lockActive(principal, webhookId)
              yield* store.enqueue([delivery])
              yield* announce("webhooks")
            }),
          )
          return viewDelivery(delivery)
        }),
      })
    }),
  )
}
