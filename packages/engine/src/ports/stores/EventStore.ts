/** The durable event log. Events of an account are numbered without gaps. */
import type { AccountId, AnyEventKind, EventFilter, EventRecord, Instant, MailboxId } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

/** An event that the log has not numbered yet. */
export interface UnnumberedEvent {
  readonly accountId: AccountId
  readonly mailboxId: MailboxId
  readonly kind: AnyEventKind
  /** the envelope as JSON text */
  readonly envelope: string
  readonly happenedAt: Instant
  /** 16 random bits for the event id */
  readonly random: number
}

/** An event after it is stored. */
export interface AppendedEvent extends EventRecord {
  /** whether its account has an ACTIVE webhook, whatever events that takes */
  readonly hasWebhooks: boolean
}

export interface EventQuery {
  /** the page starts after the event with this number */
  readonly after: number
  readonly filter: EventFilter
  readonly limit: number
  /** bytes of envelopes that the page has at most; its first event may be larger. Default and maximum: 8 MB */
  readonly maxBytes?: number
}

/** An account and the number of its newest event. */
export interface LastSeq {
  readonly accountId: AccountId
  readonly seq: number
}

export interface EventPage {
  readonly events: ReadonlyArray<EventRecord>
  /** the last event that was read, whether or not it passed the filter; null when there was none */
  readonly through: Pick<EventRecord, "seq" | "id"> | null
  /** true: events after `through` may pass the filter; false: none does */
  readonly hasMore: boolean
}

export class EventStore extends Context.Tag("@mailroom/EventStore")<
  EventStore,
  {
    /**
     * Appends events in the given order and numbers them. Locks the counters of their accounts until the transaction ends,
     * so that events are numbered in the order of commits. For several accounts, the transaction must have locked them. An event
     * is created now, in the order of its numbers, however long ago it happened; its id has the time when it happened.
     */
    readonly append: (events: ReadonlyArray<UnnumberedEvent>) => Effect.Effect<ReadonlyArray<AppendedEvent>>
    /**
     * Events that pass the filter, oldest first. One call reads a bounded part of the log and returns a bounded number of
     * bytes, so a page can be short or empty without being the last.
     */
    readonly page: (accountId: AccountId, query: EventQuery) => Effect.Effect<EventPage>
    readonly bySeq: (accountId: AccountId, seq: number) => Effect.Effect<Option.Option<EventRecord>>
    /** The number of the newest event, also if it was pruned; 0 before the first. */
    readonly lastSeq: (accountId: AccountId) => Effect.Effect<number>
    /** As `lastSeq`, for many accounts, in no order. Absent accounts are left out. */
    readonly lastSeqs: (accountIds: ReadonlyArray<AccountId>) => Effect.Effect<ReadonlyArray<LastSeq>>
    /** The number before the oldest event of the replay window: the newest `max` events created at or after `since`. */
    readonly replayStart: (accountId: AccountId, since: Instant, max: number) => Effect.Effect<number>
    /** Removes up to `limit` events, of any account, created before an instant, and returns how many. */
    readonly prune: (before: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
