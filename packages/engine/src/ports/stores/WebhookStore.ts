/** Webhooks and their deliveries. The lease is on the webhook: one attempt at a time, across all processes. */
import type {
  AccountId,
  DeliveryRecord,
  EventRecord,
  Instant,
  WebhookId,
  WebhookRecord,
} from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export interface DueDelivery {
  readonly delivery: DeliveryRecord
  readonly event: EventRecord
}

export class WebhookStore extends Context.Tag("@mailroom/WebhookStore")<
  WebhookStore,
  {
    readonly insert: (webhook: WebhookRecord) => Effect.Effect<void>
    readonly byId: (accountId: AccountId, id: WebhookId) => Effect.Effect<Option.Option<WebhookRecord>>
    /** The ACTIVE webhooks of these accounts. */
    readonly active: (accountIds: ReadonlyArray<AccountId>) => Effect.Effect<ReadonlyArray<WebhookRecord>>
    /** Adds deliveries and marks their webhooks as having work. */
    readonly enqueue: (deliveries: ReadonlyArray<DeliveryRecord>) => Effect.Effect<void>
    /** Leases up to `limit` webhooks that have a delivery due, most overdue first. */
    readonly claim: (
      limit: number,
      now: Instant,
      leaseUntil: Instant,
    ) => Effect.Effect<ReadonlyArray<WebhookRecord>>
    /** The next due delivery of a leased webhook, its attempt counted; none while its account is suspended. */
    readonly nextDue: (webhookId: WebhookId, now: Instant) => Effect.Effect<Option.Option<DueDelivery>>
    readonly saveDelivery: (delivery: DeliveryRecord) => Effect.Effect<void>
    readonly save: (webhook: WebhookRecord) => Effect.Effect<void>
    /** Fails every delivery of a webhook that still waits. */
    readonly failPending: (webhookId: WebhookId, reason: string) => Effect.Effect<void>
    /** Keeps the lease until later, while a long series of deliveries runs. */
    readonly extend: (webhookId: WebhookId, leaseUntil: Instant) => Effect.Effect<void>
    /**
     * Ends the lease; the webhook is due again when its next delivery is. One whose account is suspended waits for
     * `resume`, so that claims do not meet it again and again.
     */
    readonly release: (webhookId: WebhookId) => Effect.Effect<void>
    /** For an account that is suspended no longer: its webhooks are due when their waiting deliveries are. */
    readonly resume: (accountId: AccountId) => Effect.Effect<void>
    /** When the next webhook is due, whether leased or not. */
    readonly nextDueAt: Effect.Effect<Option.Option<Instant>>
  }
>() {}
