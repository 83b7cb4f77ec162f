/** Counters of received and sent mail, by the hour and by the day (docs/decisions/0068). */
import type { AccountId, Instant, MailboxId, MetricCounts, MetricRange, MetricRow } from "@mailroom/domain"
import { Context, type Effect } from "effect"

/** What to add to the counters of a mailbox; absent counters do not change. */
export interface MailCount extends Partial<MetricCounts> {
  readonly accountId: AccountId
  readonly mailboxId: MailboxId
}

/** `AccountRemovalStore.purge` removes the counters of an account, and `MessageStore.purge` those of a mailbox. */
export class MailCountStore extends Context.Tag("@mailroom/MailCountStore")<
  MailCountStore,
  {
    /**
     * Inside a transaction that has locked the accounts: adds to the counters of the mailboxes and of their accounts, in the
     * hour and the day of `at`, with one statement. A mailbox may occur several times.
     */
    readonly add: (counts: ReadonlyArray<MailCount>, at: Instant) => Effect.Effect<void>
    /** The counters of a mailbox, or of all mailboxes of an account, in the periods that have some, oldest first. */
    readonly read: (
      owner: AccountId | MailboxId,
      range: MetricRange,
    ) => Effect.Effect<ReadonlyArray<MetricRow>>
    /** Removes up to `limit` counters of a period that begin before `before`, and returns how many. */
    readonly removeBefore: (
      period: MetricRange["period"],
      before: Instant,
      limit: number,
    ) => Effect.Effect<number>
  }
>() {}
