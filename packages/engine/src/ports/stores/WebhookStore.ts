/** Webhooks and their deliveries. A webhook is leased, so it has one running attempt at a time across all processes. */
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
  /** JSON text of the event; null when it is large, or was pruned from the log */
  readonly envelope: string | null
  /** bytes of the text of a large event, which `envelopeOf` returns; null: it is not large, or was pruned */
  readonly largeBytes: number | null
}

export interface DeliveryPosition {
  readonly createdAt: Instant
  readonly id: DeliveryId
}

export interface DeliveryQuery {
  readonly webhookId: WebhookId
  /** null: all */
  readonly status: DeliveryStatus | null
  /** deliveries after this position of the list, which means older ones; null: from the newest */
  readonly before: DeliveryPosition | null
  readonly limit: number
}

/** `lastError` of a delivery that no attempt will be made for, because its webhook is FAILED. */
export const WEBHOOK_FAILED = "the webhook failed"

export class WebhookStore extends Context.Tag("@mailroom/WebhookStore")<
  WebhookStore,
  {
    readonly insert: (webhook: WebhookRecord) => Effect.Effect<void>
    readonly byId: (accountId: AccountId, id: WebhookId) => Effect.Effect<Option.Option<WebhookRecord>>
    /** All webhooks of an account, at most 100, oldest first. */
    readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<WebhookRecord>>
    /** Inside a transaction: locks a webhook until it ends and returns its current row. */
    readonly lock: (accountId: AccountId, id: WebhookId) => Effect.Effect<Option.Option<WebhookRecord>>
    readonly save: (webhook: WebhookRecord) => Effect.Effect<void>
    /** Hides a webhook from everything but `purge`. */
    readonly remove: (id: WebhookId) => Effect.Effect<void>
    /**
     * Removes up to `limit` deliveries of a removed webhook, and the webhook with the last of them. Returns how many
     * deliveries.
     */
    readonly purge: (id: WebhookId, limit: number) => Effect.Effect<number>

    /** The ACTIVE webhooks of these accounts. */
    readonly active: (accountIds: ReadonlyArray<AccountId>) => Effect.Effect<ReadonlyArray<WebhookRecord>>
    /** Adds deliveries and makes their webhooks due. Those of a webhook that became FAILED meanwhile are FAILED at once. */
    readonly enqueue: (deliveries: ReadonlyArray<DeliveryRecord>) => Effect.Effect<void>
    /** Leases up to `limit` webhooks with a due delivery, longest due first, except those of the accounts `except`. */
    readonly claim: (
      limit: number,
      now: Instant,
      leaseUntil: Instant,
      except: ReadonlyArray<AccountId>,
    ) => Effect.Effect<ReadonlyArray<WebhookRecord>>
    /** Frees what this process leased until exactly `leaseUntil`, for a claim whose reply was lost. */
    readonly abandonClaim: (leaseUntil: Instant) => Effect.Effect<void>
    /** Extends the lease. Returns the current webhook; none when it is not ACTIVE any more, or this process has lost its lease. */
    readonly extend: (id: WebhookId, leaseUntil: Instant) => Effect.Effect<Option.Option<WebhookRecord>>
    /** The next due delivery of a leased webhook, with this attempt counted; none while the account is suspended. */
    readonly beginNextAttempt: (
      webhookId: WebhookId,
      now: Instant,
    ) => Effect.Effect<Option.Option<DueDelivery>>
    readonly saveDelivery: (delivery: DeliveryRecord) => Effect.Effect<void>
    /**
     * Fails up to `limit` waiting deliveries of a FAILED webhook, and returns how many. Does nothing for any other
     * webhook.
     */
    readonly failPending: (webhookId: WebhookId, limit: number) => Effect.Effect<number>
    /**
     * Ends the lease. The webhook is due again with its next delivery, but not before `notBefore`, which orders it behind
     * webhooks that have been due longer. The webhook of a suspended account is not due until `resume`.
     */
    readonly release: (webhookId: WebhookId, notBefore: Instant) => Effect.Effect<void>
    /** After a suspension: makes the webhooks of the account due with their waiting deliveries. */
    readonly resume: (accountId: AccountId) => Effect.Effect<void>
    /** When the next webhook is due, leased ones included; none when none waits. */
    readonly nextDueAt: Effect.Effect<Option.Option<Instant>>

    readonly delivery: (webhookId: WebhookId, id: DeliveryId) => Effect.Effect<Option.Option<DeliveryRecord>>
    /** Newest first. */
    readonly deliveries: (
      query: DeliveryQuery,
    ) => Effect.Effect<{ readonly deliveries: ReadonlyArray<DeliveryRecord>; readonly hasMore: boolean }>
    /** JSON text of the event of a delivery; null when it was pruned from the log. */
    readonly envelopeOf: (delivery: DeliveryRecord) => Effect.Effect<string | null>
    /** Removes up to `limit` finished deliveries created before an instant, and returns how many. */
    readonly pruneDeliveries: (before: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
