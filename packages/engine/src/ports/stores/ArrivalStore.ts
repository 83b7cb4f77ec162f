/** Messages in the order in which they became visible: that of the event log. For waits. */
import type { AccountId, FilteredMessage, Instant, MailboxId, MessageId } from "@mailroom/domain"
import { Context, type Effect } from "effect"

/** What the filter of a wait or a claim reads of a message. */
export interface MatchedMessage extends FilteredMessage {
  readonly id: MessageId
  readonly mailboxId: MailboxId
  readonly hasCode: boolean
  readonly hasLink: boolean
}

/** A visible message, and the number of the event that announced it. */
export interface Arrival {
  readonly seq: number
  readonly message: MatchedMessage
}

export interface ArrivalPage {
  /** oldest first */
  readonly arrivals: ReadonlyArray<Arrival>
  /** number of the last event that was read; where the page began when there was none */
  readonly through: number
  /** whether there may be events after `through` */
  readonly hasMore: boolean
}

export class ArrivalStore extends Context.Tag("@mailroom/ArrivalStore")<
  ArrivalStore,
  {
    /**
     * The messages of up to `limit` events after the event with number `after`. Leaves out messages that are gated or
     * removed, and events that announce none. A page ends after 8 MB of listings, never before its first message.
     */
    readonly page: (accountId: AccountId, after: number, limit: number) => Effect.Effect<ArrivalPage>
    /**
     * A number after which come all events that were created at `since` or later; events that are older may follow it too.
     * Costs a few index lookups.
     */
    readonly before: (accountId: AccountId, since: Instant) => Effect.Effect<number>
  }
>() {}
