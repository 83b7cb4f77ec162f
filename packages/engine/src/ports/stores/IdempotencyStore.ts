/** Requests by their `Idempotency-Key`, and what became of them (decisions §4). */
import type { AccountId, Instant, MailboxId, MessageId } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

/** One key of one credential on one route. */
export interface KeySlot {
  readonly accountId: AccountId
  /** digest of credential, route and key */
  readonly id: string
}

/** A slot while a request is at work under it. */
export interface KeyLease extends KeySlot {
  /** the end of the lease, which also tells it from any other of the slot */
  readonly leaseUntil: Instant
}

export interface KeyRecord extends KeySlot {
  /** digest of the body */
  readonly fingerprint: string
  /** `started`: nothing is done yet; `committed`: something is; `answered`: all is */
  readonly state: "started" | "committed" | "answered"
  /** of the message that a send recorded */
  readonly mailboxId: MailboxId | null
  readonly messageId: MessageId | null
  /** sealed */
  readonly answer: string | null
  readonly lockedUntil: Instant
  readonly expiresAt: Instant
}

/** How far a transaction brings the request that runs it. */
export type Progress =
  /** something is done that must not be done again */
  | { readonly kind: "done" }
  /** a message is recorded, and about to be given to the relay */
  | { readonly kind: "sending"; readonly mailboxId: MailboxId; readonly messageId: MessageId }
  /** what was done is taken back: it may be done again */
  | { readonly kind: "undone" }

export class IdempotencyStore extends Context.Tag("@mailroom/IdempotencyStore")<
  IdempotencyStore,
  {
    /**
     * Takes a slot: one that is new, or expired, or whose request ended without a trace and had the same body. True
     * for one of those who try. Now and then also forgets some expired slots.
     */
    readonly claim: (
      lease: KeyLease,
      terms: Pick<KeyRecord, "fingerprint" | "expiresAt"> & { readonly now: Instant },
    ) => Effect.Effect<boolean>
    readonly find: (slot: KeySlot) => Effect.Effect<Option.Option<KeyRecord>>
    /** Writes down how far the request is. False when the lease is somebody else's by now. */
    readonly mark: (lease: KeyLease, progress: Progress) => Effect.Effect<boolean>
    /** Ends the request with its answer, once. */
    readonly answer: (lease: KeyLease, sealed: string) => Effect.Effect<void>
    /** Ends the request without one: the slot is free again, unless something is done. */
    readonly release: (lease: KeyLease) => Effect.Effect<void>
  }
>() {}
