/** The durable event log, in the order of each account's counter. */
import type { AccountId, EventKind, EventRecord, Instant, MailboxId } from "@mailroom/domain"
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

export class EventStore extends Context.Tag("@mailroom/EventStore")<
  EventStore,
  {
    /**
     * Appends in the given order and numbers each account's events without gaps. Inside a transaction; the counter
     * stays locked until it ends, so that the order of numbers is the order of commits.
     */
    readonly append: (drafts: ReadonlyArray<EventDraft>) => Effect.Effect<ReadonlyArray<EventRecord>>
    /** After `seq`, oldest first, at most `limit`. */
    readonly after: (
      accountId: AccountId,
      seq: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<EventRecord>>
    readonly bySeq: (accountId: AccountId, seq: number) => Effect.Effect<Option.Option<EventRecord>>
    /** The number of the newest event, 0 when there is none. */
    readonly lastSeq: (accountId: AccountId) => Effect.Effect<number>
    /** The number before the oldest of the newest `max` events created at or after `since`. */
    readonly replayStart: (accountId: AccountId, since: Instant, max: number) => Effect.Effect<number>
  }
>() {}
