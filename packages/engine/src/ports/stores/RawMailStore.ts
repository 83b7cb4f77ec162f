/** Raw mail as it came or went, and the queue of accepted mail that waits to be delivered (decisions §6). */
import type { BatchLimits, Instant, Lane, RawMailId } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"
import type { Envelope, RawContent } from "../MailSpool.js"

export interface RawMail {
  readonly id: RawMailId
  readonly content: RawContent
  readonly createdAt: Instant
}

export interface QueuedMail {
  /** of the queue entry */
  readonly id: string
  readonly raw: RawMail
  readonly envelope: Envelope
  /** counts the running claim */
  readonly attempts: number
  /** whose mail it is for fairness: the domain of the first recipient */
  readonly tenant: string
  /** of the raw mail, times its recipients: what delivering it reads and writes */
  readonly workBytes: number
}

/** An entry of the delivery queue. */
export interface QueueEntry {
  readonly id: string
  readonly rawId: RawMailId
  readonly envelope: Envelope
  readonly lane: Lane
  /** claims go by turn, then by id */
  readonly turn: Instant
  readonly tenant: string
  readonly workBytes: number
}

export interface ClaimTerms {
  readonly lane: Lane
  /** claims entries whose turn is at or before this */
  readonly through: Instant
  /** tenants whose entries this claim leaves alone */
  readonly except: ReadonlyArray<string>
  readonly limits: BatchLimits
  readonly now: Instant
  readonly leaseUntil: Instant
}

/** Every method that takes `leaseUntil` changes only entries that are still leased until then. */
export class RawMailStore extends Context.Tag("@mailroom/RawMailStore")<
  RawMailStore,
  {
    readonly insert: (mails: ReadonlyArray<RawMail>) => Effect.Effect<void>
    readonly byId: (id: RawMailId) => Effect.Effect<Option.Option<RawMail>>
    /** Removes raw mail that no message and no queue entry refers to, and returns the blob that held it. */
    readonly removeIfUnused: (id: RawMailId) => Effect.Effect<Option.Option<string>>
    readonly enqueue: (entries: ReadonlyArray<QueueEntry>) => Effect.Effect<void>
    /**
     * Leases the next batch (`batchOf`) and counts an attempt for each entry. A lease that runs out frees its entry.
     * With several processes, leaves alone the tenants whose mail another process has leased: the two would wait for
     * the same account's lock.
     */
    readonly claim: (terms: ClaimTerms) => Effect.Effect<ReadonlyArray<QueuedMail>>
    /** Frees what a claim of this process leased until exactly `leaseUntil`, when its answer was lost; no attempt counts. */
    readonly abandonClaim: (leaseUntil: Instant) => Effect.Effect<void>
    /** Removes entries and returns the ids of those that were ours to deliver. */
    readonly finish: (ids: ReadonlyArray<string>, leaseUntil: Instant) => Effect.Effect<ReadonlyArray<string>>
    /** Leaves the entry, still leased, with these recipients to serve. False when the lease is lost. */
    readonly keepRecipients: (id: string, envelope: Envelope, leaseUntil: Instant) => Effect.Effect<boolean>
    /** Frees entries for claims from `at` on; the claim does not count as an attempt. */
    readonly release: (ids: ReadonlyArray<string>, leaseUntil: Instant, at: Instant) => Effect.Effect<void>
    /** Frees an entry whose delivery failed by itself: the attempt counts. */
    readonly retry: (id: string, leaseUntil: Instant, at: Instant) => Effect.Effect<void>
    /** Moves entries to the slow lane with this turn and frees them; the claim does not count as an attempt. */
    readonly slowDown: (ids: ReadonlyArray<string>, leaseUntil: Instant, turn: Instant) => Effect.Effect<void>
    /** How many entries wait; counting stops at `max`. */
    readonly backlog: (max: number) => Effect.Effect<number>
    /** When the mail that has waited longest was accepted. */
    readonly oldest: Effect.Effect<Option.Option<Instant>>
  }
>() {}
