/** Webhooks and their deliveries (spec, Webhook, Webhook delivery; decisions §2, §7). */
import { Schema } from "effect"
import { EventKind } from "../events/Event.js"
import { AccountId, DeliveryId, MailboxId, WebhookId } from "../ids.js"
import { Instant, timestamp, Timestamp, timestampOrNull } from "../time.js"

export const WebhookStatus = Schema.Literal("ACTIVE", "PAUSED", "FAILED").annotations({
  identifier: "WebhookStatus",
  description: "Only an ACTIVE webhook is delivered to",
})
export type WebhookStatus = typeof WebhookStatus.Type

/** Request headers of the owner's choosing; their values are never shown again. */
export const WebhookHeaders = Schema.Record({ key: Schema.String, value: Schema.String })
export type WebhookHeaders = typeof WebhookHeaders.Type

export const WebhookRecord = Schema.Struct({
  id: WebhookId,
  accountId: AccountId,
  url: Schema.String,
  mailboxId: Schema.NullOr(MailboxId),
  events: Schema.Array(EventKind),
  /** encrypted JSON of the custom headers */
  sealedHeaders: Schema.NullOr(Schema.String),
  headerNames: Schema.Array(Schema.String),
  /** encrypted `whsec_…` */
  sealedSecret: Schema.String,
  status: WebhookStatus,
  /** deliveries in a row that used up all their attempts */
  failureCount: Schema.Int,
  lastTriggeredAt: Schema.NullOr(Instant),
  createdAt: Instant,
  updatedAt: Instant,
})
export type WebhookRecord = typeof WebhookRecord.Type

export const Webhook = Schema.Struct({
  id: WebhookId,
  url: Schema.String,
  mailboxId: Schema.NullOr(MailboxId),
  events: Schema.Array(EventKind),
  headers: Schema.NullOr(WebhookHeaders).annotations({ description: "names as given, values masked" }),
  status: WebhookStatus,
  failureCount: Schema.Int,
  lastTriggeredAt: Schema.NullOr(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}).annotations({ identifier: "Webhook" })
export type Webhook = typeof Webhook.Type

const MASK = "••••••••"

export const viewWebhook = (webhook: WebhookRecord): Webhook => ({
  id: webhook.id,
  url: webhook.url,
  mailboxId: webhook.mailboxId,
  events: webhook.events,
  headers:
    webhook.sealedHeaders === null
      ? null
      : Object.fromEntries(webhook.headerNames.map((name) => [name, MASK])),
  status: webhook.status,
  failureCount: webhook.failureCount,
  lastTriggeredAt: timestampOrNull(webhook.lastTriggeredAt),
  createdAt: timestamp(webhook.createdAt),
  updatedAt: timestamp(webhook.updatedAt),
})

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
  eventSeq: Schema.Int,
  event: EventKind,
  status: DeliveryStatus,
  attempts: Schema.Int,
  responseStatus: Schema.NullOr(Schema.Int),
  lastError: Schema.NullOr(Schema.String),
  dueAt: Instant,
  createdAt: Instant,
  deliveredAt: Schema.NullOr(Instant),
})
export type DeliveryRecord = typeof DeliveryRecord.Type
