/** Consumers of events: how far each has read the log of its account, and the events that it has not completed. */
import type { AccountId, Instant, ParkedEvent, TakenEvent } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export interface ConsumerKey {
  readonly accountId: AccountId
  readonly name: string
}

/** A lease of this process on one event of a consumer. */
export interface EventLease extends ConsumerKey {
  readonly seq: number
  /** its number tells the lease from later ones: it stays the same when a renewal is repeated because its answer was lost */
  readonly attempt: number
}

export class ConsumerStore extends Context.Tag("@mailroom/ConsumerStore")<
  ConsumerStore,
  {
    /** Adds the consumer, which has read the log up to `readSeq`. Changes nothing if it is there. */
    readonly add: (key: ConsumerKey, readSeq: number, now: Instant) => Effect.Effect<void>
    /** Locks the consumer until the transaction ends, and returns how far it has read; none: there is no such consumer. */
    readonly lock: (key: ConsumerKey) => Effect.Effect<Option.Option<number>>
    /** Sets how far the consumer has read. The transaction must have locked it. */
    readonly setRead: (key: ConsumerKey, readSeq: number) => Effect.Effect<void>
    /** Leases new events, in their first attempt. The transaction must have locked the consumer. */
    readonly take: (key: ConsumerKey, seqs: ReadonlyArray<number>, leaseUntil: Instant) => Effect.Effect<void>
    /**
     * Leases up to `limit` events whose next attempt is due, the longest due first. Counts the attempt. The transaction must
     * have locked the consumer.
     */
    readonly takeDue: (
      key: ConsumerKey,
      limit: number,
      now: Instant,
      leaseUntil: Instant,
    ) => Effect.Effect<ReadonlyArray<TakenEvent>>
    /** The earliest time at which an event that nobody holds is due; none: no event waits. */
    readonly nextDue: (key: ConsumerKey) => Effect.Effect<Option.Option<Instant>>
    /** Extends a lease. False: this process has it no longer. */
    readonly renew: (lease: EventLease, leaseUntil: Instant) => Effect.Effect<boolean>
    /** Removes a completed event, whoever holds it. */
    readonly complete: (key: ConsumerKey, seq: number) => Effect.Effect<void>
    /** Ends the lease of an event that was not handled. It is due at `dueAt`, and the attempt does not count. */
    readonly releaseLease: (lease: EventLease, dueAt: Instant) => Effect.Effect<void>
    /** Ends the lease after a failed attempt. `dueAt` null: the event is parked. Nothing, if this process has lost the lease. */
    readonly fail: (
      lease: EventLease,
      error: string,
      dueAt: Instant | null,
      now: Instant,
    ) => Effect.Effect<void>
    /** Parked events, the oldest first. */
    readonly parked: (key: ConsumerKey, limit: number) => Effect.Effect<ReadonlyArray<ParkedEvent>>
    /** Makes up to `limit` parked events due now, with no attempts counted, and returns how many. */
    readonly retryParked: (key: ConsumerKey, now: Instant, limit: number) => Effect.Effect<number>
    /** Frees what this process leased until exactly `leaseUntil`, for a claim whose reply was lost. */
    readonly abandonClaim: (leaseUntil: Instant) => Effect.Effect<void>
  }
>() {}
