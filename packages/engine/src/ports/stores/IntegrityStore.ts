/** Counts that are kept beside the rows they count, and whether they still agree (docs/decisions/0044). */
import type { AccountId } from "@mailroom/domain"
import { Context, type Effect, Schema } from "effect"

/** What is compared, in the order in which it is checked. */
export const IntegrityCheck = Schema.Literal(
  /** a thread's `messageCount` with its visible messages */
  "thread-messages",
  /** a thread's `lastMessageAt` with its newest visible message */
  "thread-activity",
  /** an attachment of a message with that message; here `stored` and `counted` are how many there are, 0 or 1 */
  "attachment-message",
  /** a mailbox's `overLimitCount` with its gated messages */
  "mailbox-gated",
  /** an account's `overLimitCount` with the sum of its mailboxes' */
  "account-gated",
  /** an account's `storageUsedBytes` with the sizes of its attachments */
  "account-storage",
  /** an account's last event number with the greatest in its log, which it must not be below */
  "account-events",
  /** when a webhook is due with when its first waiting delivery is, which it must not be after; null is never */
  "webhook-due",
)
export type IntegrityCheck = typeof IntegrityCheck.Type

/** A stored value, and what the rows say. */
export interface Compared {
  readonly accountId: AccountId
  /** of the thread, attachment, mailbox, account or webhook */
  readonly id: string
  readonly stored: number | null
  readonly counted: number | null
}

export interface Mended {
  /** as it was; null when nothing was wrong */
  readonly found: Compared | null
  /** blobs that nothing refers to any more */
  readonly blobKeys: ReadonlyArray<string>
}

export class IntegrityStore extends Context.Tag("@mailroom/IntegrityStore")<
  IntegrityStore,
  {
    /**
     * Compares the next `limit` values after the id `after` ("" for the first), in the order of ids. Locks nothing: a
     * difference may be a change that is under way. Fewer than `limit` when these are the last.
     */
    readonly compare: (
      check: IntegrityCheck,
      after: string,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Compared>>
    /**
     * Inside a transaction, on a locked account: compares one value again, and writes what the rows say if it differs.
     * An attachment whose message is gone is removed.
     */
    readonly mend: (check: IntegrityCheck, id: string) => Effect.Effect<Mended>
  }
>() {}
