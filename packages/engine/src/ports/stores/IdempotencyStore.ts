/** Requests with an `Idempotency-Key`, their markers and their responses (`spec: decisions.idempotency.key`). */
import type { AccountId, Instant, MailboxId, MessageId } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

/** One key of one credential on one route. */
export interface KeySlot {
  readonly accountId: AccountId
  /** SHA-256 of credential, route and key */
  readonly id: string
}

/** The lease of a slot by a running request. */
export interface KeyLease extends KeySlot {
  /** end of the lease; identifies it among the leases of the slot */
  readonly leaseUntil: Instant
}

export interface KeyRecord extends KeySlot {
  /** SHA-256 of the canonical body */
  readonly fingerprint: string
  /** `started`: no transaction committed yet; `committed`: one did; `answered`: the response is stored */
  readonly state: "started" | "committed" | "answered"
  /** of the message that a send recorded; null for other requests */
  readonly mailboxId: MailboxId | null
  readonly messageId: MessageId | null
  /** the response, sealed (`Vault.seal`); null until there is one, and for a large one */
  readonly answer: string | null
  /** whether there is a large response (`largeAnswer`) */
  readonly hasLargeAnswer: boolean
  readonly lockedUntil: Instant
  readonly expiresAt: Instant
}

/** What a committed transaction says about its request. */
export type IdempotencyMarker =
  /** the request changed something and must not run again */
  | { readonly kind: "done" }
  /** the request recorded this message and relays it next */
  | { readonly kind: "sending"; readonly mailboxId: MailboxId; readonly messageId: MessageId }
  /** the changes were rolled back: the request may run again */
  | { readonly kind: "undone" }
  /** the message that the request recorded was removed: without a stored response it may run again, also after its lease */
  | { readonly kind: "withdrawn"; readonly messageId: MessageId }

export class IdempotencyStore extends Context.Tag("@mailroom/IdempotencyStore")<
  IdempotencyStore,
  {
    /**
     * Leases a slot that is new or expired, or whose request with the same fingerprint ended without a change. True for
     * one of several concurrent calls.
     */
    readonly claim: (
      lease: KeyLease,
      terms: Pick<KeyRecord, "fingerprint" | "expiresAt"> & { readonly now: Instant },
    ) => Effect.Effect<boolean>
    readonly find: (slot: KeySlot) => Effect.Effect<Option.Option<KeyRecord>>
    /** Inside a transaction of the request: writes its marker. False when it needs the lease, and that was lost. */
    readonly mark: (lease: KeyLease, marker: IdempotencyMarker) => Effect.Effect<boolean>
    /**
     * Stores the response, unless there is one, and ends the lease. Does nothing when the lease was lost. A large one is read
     * by `largeAnswer` alone, and counts in `largeAnswerBytes`.
     */
    readonly answer: (lease: KeyLease, sealed: string, isLarge: boolean) => Effect.Effect<void>
    readonly largeAnswer: (slot: KeySlot) => Effect.Effect<Option.Option<string>>
    /** The bytes of the large responses of an account that are not expired. */
    readonly largeAnswerBytes: (accountId: AccountId, now: Instant) => Effect.Effect<number>
    /** Ends the lease without a response. The slot is free again unless its state is `committed`. */
    readonly release: (lease: KeyLease) => Effect.Effect<void>
    /** Removes up to `limit` expired slots, and returns how many. Skips those that are claimed at the same time. */
    readonly removeExpired: (now: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
