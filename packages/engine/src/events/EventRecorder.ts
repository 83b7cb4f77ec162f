/** Appends events, and enqueues their webhook deliveries, in the transaction of the change that causes them. */
import {
  type AccountId,
  DeliveryId,
  type EventEnvelope,
  type Instant,
  type MailboxId,
  newDelivery,
} from "@mailroom/domain"
import { Array, Context, Effect, Layer } from "effect"
import { Ids } from "../ids/Ids.js"
import { EventStore } from "../ports/stores/EventStore.js"
import { WebhookStore } from "../ports/stores/WebhookStore.js"
import { announce } from "../UnitOfWork.js"

/** An event before it is stored and numbered. `at`: when it happened. */
export interface NewEvent {
  readonly accountId: AccountId
  readonly mailboxId: MailboxId
  readonly envelope: EventEnvelope
  readonly at: Instant
}

export class EventRecorder extends Context.Tag("@mailroom/EventRecorder")<
  EventRecorder,
  {
    /**
     * Inside `UnitOfWork.commit`: appends the events in their order, and adds a delivery for each ACTIVE webhook that takes
     * one. The commit signals streams and webhooks. For several accounts, the transaction must have locked them.
     */
    readonly record: (newEvents: ReadonlyArray<NewEvent>) => Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<EventRecorder, never, EventStore | WebhookStore | Ids> = Layer.effect(
    EventRecorder,
    Effect.gen(function* () {
      const store = yield* EventStore
      const webhooks = yield* WebhookStore
      const ids = yield* Ids
      return {
        record: Effect.fnUntraced(function* (newEvents) {
          if (newEvents.length === 0) return
          const unnumbered = Array.zipWith(
            newEvents,
            yield* ids.random16(newEvents.length),
            ({ accountId, mailboxId, envelope, at }, random) => ({
              accountId,
              mailboxId,
              kind: envelope.event,
              envelope: JSON.stringify(envelope),
              happenedAt: at,
              random,
            }),
          )
          const events = yield* store.append(unnumbered)
          const accountIds = [...new Set(newEvents.map((event) => event.accountId))]
          const receiving = events.filter(({ hasWebhooks }) => hasWebhooks)
          const active = yield* webhooks.active([...new Set(receiving.map((event) => event.accountId))])
          const due = receiving.flatMap((event) =>
            active
              .filter(
                (webhook) =>
                  webhook.accountId === event.accountId &&
                  webhook.events.includes(event.kind) &&
                  (webhook.mailboxId === null || webhook.mailboxId === event.mailboxId),
              )
              .map((webhook) => ({ webhook, event })),
          )
          if (due.length > 0) {
            const deliveries = Array.zipWith(due, yield* ids.uuids(due.length), ({ webhook, event }, id) =>
              newDelivery({
                id: DeliveryId.make(id),
                webhookId: webhook.id,
                accountId: event.accountId,
                eventId: event.id,
                eventSeq: event.seq,
                event: event.kind,
                payload: null,
                createdAt: event.createdAt,
              }),
            )
            yield* webhooks.enqueue(deliveries)
            yield* announce("webhooks")
          }
          yield* announce(...accountIds.map((id) => `events:${id}` as const))
        }),
      }
    }),
  )
}
