/** Raw mail, received and sent; and the inbound queue, which holds accepted mail that is not delivered yet. */
import type { BatchLimits, Instant, Lane, RawMailId } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"
import type { Envelope, RawContent } from "../MailSpool.js"

export interface RawMail {
  readonly id: RawMailId
  readonly content: RawContent
  readonly createdAt: Instant
}

export interface QueuedMail {
  /** id of the queue entry */
  readonly id: string
  readonly raw: RawMail
  readonly envelope: Envelope
  /**
   * claims without a result, the current one included: their mail failed, or their process was killed. A claim that is
   * released, abandoned or slowed down does not count.
   */
  readonly attempts: number
  /** domain of the first recipient; tenants take turns (docs/decisions/0046) */
  readonly tenant: string
  /** bytes: the size of the raw mail times its recipients, as an estimate of the work to deliver it */
  readonly workBytes: number
}

/** An entry of the inbound queue. */
export interface QueueEntry {
  readonly id: string
  readonly rawId: RawMailId
  readonly envelope: Envelope
  /** when it may be claimed; 0: at once */
  readonly dueAt: Instant
  readonly lane: Lane
  /** entries of a tenant are claimed in the order of turn, then id */
  readonly turn: Instant
  readonly tenant: string
  readonly workBytes: number
}

export interface ClaimTerms {
  readonly lane: Lane
  /** latest turn to claim */
  readonly through: Instant
  /** tenants whose entries are not claimed */
  readonly except: ReadonlyArray<string>
  /** entries with more failed claims are not claimed; undefined: any number */
  readonly attemptsMax?: number | undefined
  readonly limits: BatchLimits
  readonly now: Instant
  readonly leaseUntil: Instant
}

/** Methods with `leaseUntil` change only entries that are still leased until exactly then. */
export class RawMailStore extends Context.Tag("@mailroom/RawMailStore")<
  RawMailStore,
  {
    readonly insert: (mails: ReadonlyArray<RawMail>) => Effect.Effect<void>
    readonly byId: (id: RawMailId) => Effect.Effect<Option.Option<RawMail>>
    /** Removes the raw mails that no message and no queue entry refers to, and returns the blobs that held them. */
    readonly removeUnused: (ids: ReadonlyArray<RawMailId>) => Effect.Effect<ReadonlyArray<string>>
    readonly enqueue: (entries: ReadonlyArray<QueueEntry>) => Effect.Effect<void>
    /**
     * Leases the next batch (`batchOf`) and counts an attempt for each entry. An expired lease frees its entry. Skips
     * tenants whose mail another process has leased, because both would wait for the lock of one account. Claims in the order
     * of turns; while more than 256 entries wait, rotates over their tenants and gives each the same share (`mergeTenants`).
     * Costs the same however many entries wait.
     */
    readonly claim: (terms: ClaimTerms) => Effect.Effect<ReadonlyArray<QueuedMail>>
    /** Frees what this process leased until exactly `leaseUntil`, for a claim whose reply was lost. Counts no attempt. */
    readonly abandonClaim: (leaseUntil: Instant) => Effect.Effect<void>
    /** In the transaction that delivers: removes entries, and returns the ids of those whose lease still held. */
    readonly finish: (ids: ReadonlyArray<string>, leaseUntil: Instant) => Effect.Effect<ReadonlyArray<string>>
    /**
     * Leaves these recipients, `later`, in an entry with this envelope, which stays leased. False when the lease was lost, or when
     * the entry has another envelope: a transaction whose answer was lost has served these recipients already.
     */
    readonly keepRecipients: (
      id: string,
      envelope: Envelope,
      later: Envelope["to"],
      leaseUntil: Instant,
    ) => Effect.Effect<boolean>
    /** Frees entries for claims from `at` on. The claim does not count as an attempt. */
    readonly release: (ids: ReadonlyArray<string>, leaseUntil: Instant, at: Instant) => Effect.Effect<void>
    /** Frees an entry, for claims from `at` on, whose own delivery failed: the attempt counts. */
    readonly retry: (id: string, leaseUntil: Instant, at: Instant) => Effect.Effect<void>
    /** Moves entries to the slow lane with this turn and frees them. The claim does not count as an attempt. */
    readonly slowDown: (ids: ReadonlyArray<string>, leaseUntil: Instant, turn: Instant) => Effect.Effect<void>
    /** The number of entries in the queue. Counting stops at `max`. */
    readonly backlog: (max: number) => Effect.Effect<number>
    /** When the oldest mail in the queue was accepted. */
    readonly oldest: Effect.Effect<Option.Option<Instant>>
  }
>() {}
