/** Raw mail as it came or went, and the queue of accepted mail that waits to be delivered (decisions §6). */
import type { Instant, RawMailId } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"
import type { Envelope, RawContent } from "../Reception.js"

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
  /** the claim that is running counts */
  readonly attempts: number
}

export class RawMailStore extends Context.Tag("@mailroom/RawMailStore")<
  RawMailStore,
  {
    readonly insert: (mails: ReadonlyArray<RawMail>) => Effect.Effect<void>
    readonly byId: (id: RawMailId) => Effect.Effect<Option.Option<RawMail>>
    /** Removes raw mail that no message and no queue entry refers to, and returns the blob that held it. */
    readonly removeIfUnused: (id: RawMailId) => Effect.Effect<Option.Option<string>>
    /** Puts raw mail into the delivery queue. */
    readonly enqueue: (
      entries: ReadonlyArray<{ readonly id: string; readonly rawId: RawMailId; readonly envelope: Envelope }>,
    ) => Effect.Effect<void>
    /**
     * Leases up to `limit` entries, oldest first. A lease that runs out frees the entry. One that was claimed twice
     * in vain is suspect: it is claimed alone, when nothing else is due, so that it takes no other mail with it.
     */
    readonly claim: (
      limit: number,
      now: Instant,
      leaseUntil: Instant,
    ) => Effect.Effect<ReadonlyArray<QueuedMail>>
    /** Removes entries that are still leased until `leaseUntil`, and returns their ids: these are ours to deliver. */
    readonly finish: (ids: ReadonlyArray<string>, leaseUntil: Instant) => Effect.Effect<ReadonlyArray<string>>
    /** Gives entries back, to be claimed from `at` on; the claim that came to nothing does not count as an attempt. */
    readonly release: (ids: ReadonlyArray<string>, at: Instant) => Effect.Effect<void>
    /** How many entries wait; counting stops at `max`. */
    readonly backlog: (max: number) => Effect.Effect<number>
  }
>() {}
