/** Webhooks (spec: decisions.webhook.fields). */
import { Schema } from "effect"
import { described } from "../described.js"
import { AnyEventKind } from "../events/Event.js"
import { AccountId, MailboxId, WebhookId } from "../ids.js"
import { inScope, type Scope } from "../keys/ApiKey.js"
import { WEBHOOK_SECRET_OVERLAP } from "../limits.js"
import { Instant, timestamp, Timestamp, timestampOrNull } from "../time.js"

export const WebhookStatus = Schema.Literal("ACTIVE", "PAUSED", "FAILED").annotations({
  identifier: "WebhookStatus",
  description: "Only an ACTIVE webhook gets deliveries",
})
export type WebhookStatus = typeof WebhookStatus.Type

/** Custom request headers; reads mask their values. */
export const WebhookHeaders = Schema.Record({ key: Schema.String, value: Schema.String })
export type WebhookHeaders = typeof WebhookHeaders.Type

export const WebhookRecord = Schema.Struct({
  id: WebhookId,
  accountId: AccountId,
  url: Schema.String,
  mailboxId: Schema.NullOr(MailboxId),
  events: Schema.Array(AnyEventKind),
  /** encrypted JSON of the custom headers */
  sealedHeaders: Schema.NullOr(Schema.String),
  headerNames: Schema.Array(Schema.String),
  /** encrypted `whsec_…` */
  sealedSecret: Schema.String,
  /** the previous secret, which also signs until this time */
  sealedPreviousSecret: Schema.NullOr(Schema.String),
  previousSecretUntil: Schema.NullOr(Instant),
  status: WebhookStatus,
  /** deliveries in a row that used up all their attempts */
  failureCount: Schema.Int,
  lastTriggeredAt: Schema.NullOr(Instant),
  createdAt: Instant,
  updatedAt: Instant,
})
export type WebhookRecord = typeof WebhookRecord.Type

export const Webhook = Schema.Struct({
  id: described(WebhookId, "id of the webhook"),
  url: described(Schema.String, "URL to which events are posted"),
  mailboxId: described(Schema.NullOr(MailboxId), "mailbox whose events it gets; null for all mailboxes"),
  events: described(Schema.Array(AnyEventKind), "the kinds of events it gets; a later version may add kinds"),
  headers: described(Schema.NullOr(WebhookHeaders), "custom request headers, values masked; null for none"),
  status: described(WebhookStatus, "only an ACTIVE webhook gets deliveries"),
  failureCount: described(Schema.Int, "deliveries in a row that used all their attempts"),
  lastTriggeredAt: described(Schema.NullOr(Timestamp), "time of the last attempt; null before the first"),
  createdAt: described(Timestamp, "time of creation"),
  updatedAt: described(Timestamp, "time of the last change"),
}).annotations({ identifier: "Webhook", description: "A registered receiver of events" })
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

/** A webhook of the whole account does not exist for a scoped key. */
export const webhookInScope = (scope: Scope, { mailboxId }: Pick<WebhookRecord, "mailboxId">): boolean =>
  mailboxId === null ? scope === null : inScope(scope, mailboxId)

/** Applies the `status` of a PATCH. A webhook that starts again counts its failures from 0. */
export const startOrPause = (webhook: WebhookRecord, wanted: "ACTIVE" | "PAUSED"): WebhookRecord => ({
  ...webhook,
  status: wanted,
  failureCount: wanted === "ACTIVE" && webhook.status !== "ACTIVE" ? 0 : webhook.failureCount,
})

/** Sets a new secret. The previous one also signs for a day; an older one no longer signs (docs/decisions/0016). */
export const rotateSecret = (webhook: WebhookRecord, sealedSecret: string, now: Instant): WebhookRecord => ({
  ...webhook,
  sealedSecret,
  sealedPreviousSecret: webhook.sealedSecret,
  previousSecretUntil: now + WEBHOOK_SECRET_OVERLAP,
})

const hasPreviousSecret = ({ previousSecretUntil }: WebhookRecord, now: Instant): boolean =>
  previousSecretUntil !== null && now < previousSecretUntil

/** The encrypted secrets that sign now, the newest first. */
export const signingSecrets = (
  webhook: WebhookRecord,
  now: Instant,
): { readonly current: string; readonly previous: string | null } => ({
  current: webhook.sealedSecret,
  previous: hasPreviousSecret(webhook, now) ? webhook.sealedPreviousSecret : null,
})

/** The secrets to store: an expired secret is dropped. */
export const withoutExpiredSecret = (webhook: WebhookRecord, now: Instant): WebhookRecord =>
  hasPreviousSecret(webhook, now)
    ? webhook
    : { ...webhook, sealedPreviousSecret: null, previousSecretUntil: null }
