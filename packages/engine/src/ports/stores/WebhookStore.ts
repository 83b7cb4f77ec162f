/** Webhooks and their deliveries. The lease is on the webhook: one attempt at a time, across all processes. */
import type {
  AccountId,
  DeliveryId,
  DeliveryRecord,
  DeliveryStatus,
  Instant,
  WebhookId,
  WebhookRecord,
} from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export interface DueDelivery {
  readonly delivery: DeliveryRecord
  /** JSON text of what it tells; null when its event has left the log */
  readonly envelope: string | null
}

export interface DeliveryPosition {
  readonly createdAt: Instant
  readonly id: DeliveryId
}

export interface DeliveryQuery {
  readonly webhookId: WebhookId
  /** null: all */
  readonly status: DeliveryStatus | null
  /** deliveries before this one, in the order of the list */
  readonly before: DeliveryPosition | null
  readonly limit: number
}

export class WebhookStore extends Context.Tag("@mailroom/WebhookStore")<
  WebhookStore,
  {
    readonly insert: (webhook: WebhookRecord) => Effect.Effect<void>
    readonly byId: (accountId: AccountId, id: WebhookId) => Effect.Effect<Option.Option<WebhookRecord>>
    /** All of an account (100 at most), oldest first. */
    readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<WebhookRecord>>
    /** Inside a transaction: as it is now, and nobody else changes it before that ends. */
    readonly lock: (accountId: AccountId, id: WebhookId) => Effect.Effect<Option.Option<WebhookRecord>>
    readonly save: (webhook: WebhookRecord) => Effect.Effect<void>
    /** From now on it is not there for anybody but `purge`. */
    readonly remove: (id: WebhookId) => Effect.Effect<void>
    /** Up to `limit` deliveries of a removed webhook go; the last of them takes the webhook along. How many went. */
    readonly purge: (id: WebhookId, limit: number) => Effect.Effect<number>

    /** The ACTIVE webhooks of these accounts. */
    readonly active: (accountIds: ReadonlyArray<AccountId>) => Effect.Effect<ReadonlyArray<WebhookRecord>>
    /** Adds deliveries and marks their webhooks as having work. */
    readonly enqueue: (deliveries: ReadonlyArray<DeliveryRecord>) => Effect.Effect<void>
    /** Leases up to `limit` webhooks that have a delivery due, longest in line first, none of the accounts `except`. */
    readonly claim: (
      limit: number,
      now: Instant,
      leaseUntil: Instant,
      except: ReadonlyArray<AccountId>,
    ) => Effect.Effect<ReadonlyArray<WebhookRecord>>
    /** Frees what a claim of this process leased until exactly `leaseUntil`, when its answer was lost. */
    readonly abandonClaim: (leaseUntil: Instant) => Effect.Effect<void>
    /** Keeps the lease until later. The webhook as it is now, or none when it is not ACTIVE any more. */
    readonly extend: (id: WebhookId, leaseUntil: Instant) => Effect.Effect<Option.Option<WebhookRecord>>
    /** The next due delivery of a leased webhook, its attempt counted; none while its account is suspended. */
    readonly nextDue: (webhookId: WebhookId, now: Instant) => Effect.Effect<Option.Option<DueDelivery>>
    readonly saveDelivery: (delivery: DeliveryRecord) => Effect.Effect<void>
    /** Fails up to `limit` deliveries that wait at a FAILED webhook; at any other, none. How many failed. */
    readonly failPending: (webhookId: WebhookId, reason: string, limit: number) => Effect.Effect<number>
    /**
     * Ends the lease. The webhook is due again when its next delivery is, and not before `notBefore`: so it goes to the
     * end of the line, behind webhooks that have waited longer. A webhook whose account is suspended waits for `resume`,
     * so that claims do not meet it again and again.
     */
    readonly release: (webhookId: WebhookId, notBefore: Instant) => Effect.Effect<void>
    /** For an account that is suspended no longer: its webhooks are due when their waiting deliveries are. */
    readonly resume: (accountId: AccountId) => Effect.Effect<void>
    /** When the next webhook is due, whether leased or not. */
    readonly nextDueAt: Effect.Effect<Option.Option<Instant>>

    readonly delivery: (webhookId: WebhookId, id: DeliveryId) => Effect.Effect<Option.Option<DeliveryRecord>>
    /** Newest first. */
    readonly deliveries: (
      query: DeliveryQuery,
    ) => Effect.Effect<{ readonly deliveries: ReadonlyArray<DeliveryRecord>; readonly hasMore: boolean }>
    /** JSON text of what a delivery tells; null when its event has left the log. */
    readonly envelopeOf: (delivery: DeliveryRecord) => Effect.Effect<string | null>
    /** Removes up to `limit` finished deliveries made before an instant. How many went. */
    readonly pruneDeliveries: (before: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
