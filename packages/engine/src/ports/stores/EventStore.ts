/** The durable event log, in the order of each account's counter. */
import type { AccountId, EventFilter, EventKind, EventRecord, Instant, MailboxId } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export interface EventDraft {
  readonly accountId: AccountId
  readonly mailboxId: MailboxId
  readonly kind: EventKind
  /** the envelope as JSON text */
  readonly envelope: string
  readonly createdAt: Instant
  /** 16 bits for the id */
  readonly random: number
}

export interface EventQuery {
  /** the number after which to begin */
  readonly after: number
  readonly filter: EventFilter
  readonly limit: number
  /** bytes of envelopes at which the page ends early, one event is returned whatever its size; default and maximum 8 MB */
  readonly maxBytes?: number
}

/** The number of an account's newest event. */
export interface LastSeq {
  readonly accountId: AccountId
  readonly seq: number
}

export interface EventPage {
  readonly events: ReadonlyArray<EventRecord>
  /** the last event that was looked at, whether it passed the filter or not; null when there was none */
  readonly through: Pick<EventRecord, "seq" | "id"> | null
  /** false: nothing after `through` passes the filter; true: something may */
  readonly hasMore: boolean
}

export class EventStore extends Context.Tag("@mailroom/EventStore")<
  EventStore,
  {
    /**
     * Appends in the given order and numbers each account's events without gaps. Inside a transaction that locked the
     * accounts, if they are several; the counters stay locked until it ends, so that the order of numbers is the order
     * of commits.
     */
    readonly append: (drafts: ReadonlyArray<EventDraft>) => Effect.Effect<ReadonlyArray<EventRecord>>
    /**
     * What passes the filter, oldest first. One call looks at a bounded part of the log and returns a bounded number of
     * bytes, so a page may be short, or empty, and yet not the last.
     */
    readonly page: (accountId: AccountId, query: EventQuery) => Effect.Effect<EventPage>
    readonly bySeq: (accountId: AccountId, seq: number) => Effect.Effect<Option.Option<EventRecord>>
    /** The number of the newest event there ever was, 0 before the first. */
    readonly lastSeq: (accountId: AccountId) => Effect.Effect<number>
    /** The same of many accounts, in no order; accounts that are not there are left out. */
    readonly lastSeqs: (accountIds: ReadonlyArray<AccountId>) => Effect.Effect<ReadonlyArray<LastSeq>>
    /** The number before the oldest of the newest `max` events created at or after `since`. */
    readonly replayStart: (accountId: AccountId, since: Instant, max: number) => Effect.Effect<number>
    /** Removes up to `limit` events of any account created before an instant. How many went. */
    readonly prune: (before: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
