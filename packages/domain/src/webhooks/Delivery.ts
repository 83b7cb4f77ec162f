/** Deliveries of events to webhooks (spec, Webhook delivery; decisions §2, §7). */
import { Schema } from "effect"
import { EventEnvelope, EventKind } from "../events/Event.js"
import { AccountId, DeliveryId, WebhookId } from "../ids.js"
import { Instant, timestamp, Timestamp, timestampOrNull } from "../time.js"

export const DeliveryStatus = Schema.Literal("PENDING", "DELIVERED", "FAILED").annotations({
  identifier: "DeliveryStatus",
  description: "PENDING is tried until it is DELIVERED or FAILED",
})
export type DeliveryStatus = typeof DeliveryStatus.Type

export const DeliveryRecord = Schema.Struct({
  id: DeliveryId,
  webhookId: WebhookId,
  accountId: AccountId,
  eventId: Schema.String,
  /** 0 for an event that is not in the log */
  eventSeq: Schema.Int,
  event: EventKind,
  /** JSON text of an envelope that is this delivery's alone; null when the event is in the log */
  payload: Schema.NullOr(Schema.String),
  status: DeliveryStatus,
  attempts: Schema.Int,
  responseStatus: Schema.NullOr(Schema.Int),
  lastError: Schema.NullOr(Schema.String),
  dueAt: Instant,
  createdAt: Instant,
  deliveredAt: Schema.NullOr(Instant),
})
export type DeliveryRecord = typeof DeliveryRecord.Type

/** A delivery that was not attempted yet and is due at once. */
export const newDelivery = (
  facts: Pick<
    DeliveryRecord,
    "id" | "webhookId" | "accountId" | "eventId" | "eventSeq" | "event" | "payload" | "createdAt"
  >,
): DeliveryRecord => ({
  ...facts,
  status: "PENDING",
  attempts: 0,
  responseStatus: null,
  lastError: null,
  dueAt: facts.createdAt,
  deliveredAt: null,
})

/** The same delivery from its start, whatever became of it: its id tells the receiver that it is the same. */
export const redelivered = (delivery: DeliveryRecord, now: Instant): DeliveryRecord => ({
  ...newDelivery(delivery),
  dueAt: now,
})

export const Delivery = Schema.Struct({
  id: DeliveryId,
  event: EventKind,
  eventId: Schema.String.annotations({ description: "the id of the stream and the log" }),
  status: DeliveryStatus,
  attempts: Schema.Int,
  responseStatus: Schema.NullOr(Schema.Int).annotations({ description: "of the last attempt" }),
  lastError: Schema.NullOr(Schema.String).annotations({ description: "why there was no answer" }),
  nextRetryAt: Schema.NullOr(Timestamp).annotations({ description: "while PENDING" }),
  createdAt: Timestamp,
  deliveredAt: Schema.NullOr(Timestamp),
}).annotations({ identifier: "Delivery", description: "One event on its way to one webhook" })
export type Delivery = typeof Delivery.Type

/** A single read shows what is sent. */
export const DeliveryWithPayload = Schema.Struct({
  ...Delivery.fields,
  payload: Schema.NullOr(EventEnvelope).annotations({
    description: "the body as it is sent; null when the event has left the log",
  }),
}).annotations({ identifier: "DeliveryWithPayload", description: "A delivery, and what is posted" })

export const viewDelivery = (delivery: DeliveryRecord): Delivery => ({
  id: delivery.id,
  event: delivery.event,
  eventId: delivery.eventId,
  status: delivery.status,
  attempts: delivery.attempts,
  responseStatus: delivery.responseStatus,
  lastError: delivery.lastError,
  nextRetryAt: delivery.status === "PENDING" ? timestamp(delivery.dueAt) : null,
  createdAt: timestamp(delivery.createdAt),
  deliveredAt: timestampOrNull(delivery.deliveredAt),
})
