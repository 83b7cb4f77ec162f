/** Deliveries of events to webhooks (spec: decisions.delivery.fields). */
import { Schema } from "effect"
import { described } from "../described.js"
import { AnyEventKind, EventEnvelope } from "../events/Event.js"
import { AccountId, DeliveryId, WebhookId } from "../ids.js"
import { Instant, timestamp, Timestamp, timestampOrNull } from "../time.js"

export const DeliveryStatus = Schema.Literal("PENDING", "DELIVERED", "FAILED").annotations({
  identifier: "DeliveryStatus",
  description: "PENDING is attempted until it is DELIVERED or FAILED",
})
export type DeliveryStatus = typeof DeliveryStatus.Type

export const DeliveryRecord = Schema.Struct({
  id: DeliveryId,
  webhookId: WebhookId,
  accountId: AccountId,
  eventId: Schema.String,
  /** 0 for an event that is not in the log */
  eventSeq: Schema.Int,
  event: AnyEventKind,
  /** JSON text of the envelope of a test event; null when the event is in the log */
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

/** A new delivery, due at once. */
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

/** Starts a delivery again, from any status. It keeps its id, so that the receiver can recognize it. */
export const redelivered = (delivery: DeliveryRecord, now: Instant): DeliveryRecord => ({
  ...newDelivery(delivery),
  dueAt: now,
})

export const Delivery = Schema.Struct({
  id: described(DeliveryId, "id of the delivery; the same in every attempt"),
  event: AnyEventKind,
  eventId: described(Schema.String, "id of the event in the stream and the log"),
  status: described(DeliveryStatus, "PENDING is attempted until it is DELIVERED or FAILED"),
  attempts: described(Schema.Int, "number of attempts"),
  responseStatus: described(
    Schema.NullOr(Schema.Int),
    "HTTP status of the last attempt; null without a response",
  ),
  lastError: described(Schema.NullOr(Schema.String), "why the last attempt got no response; null otherwise"),
  nextRetryAt: described(Schema.NullOr(Timestamp), "time of the next attempt; null unless PENDING"),
  createdAt: described(Timestamp, "when the event happened"),
  deliveredAt: described(Schema.NullOr(Timestamp), "when the receiver accepted it; null before that"),
}).annotations({ identifier: "Delivery", description: "One event on its way to one webhook" })
export type Delivery = typeof Delivery.Type

/** A single read also shows the payload. */
export const DeliveryWithPayload = Schema.Struct({
  ...Delivery.fields,
  payload: described(
    Schema.NullOr(EventEnvelope),
    "the request body; null when the event is no longer in the log",
  ),
}).annotations({ identifier: "DeliveryWithPayload", description: "A delivery with its payload" })

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
