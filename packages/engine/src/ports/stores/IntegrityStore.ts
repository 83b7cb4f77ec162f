/** Checks stored counts against the rows that they count (docs/decisions/0044). */
import type { AccountId } from "@mailroom/domain"
import { Context, type Effect, Schema } from "effect"

/** The checks, in the order in which they run. */
export const IntegrityCheck = Schema.Literal(
  /** a thread's `messageCount` with its visible messages */
  "thread-messages",
  /** a thread's `lastMessageAt` with its newest visible message */
  "thread-activity",
  /** an attachment with the message it belongs to; here `stored` and `counted` are 0 or 1 */
  "attachment-message",
  /** a mailbox's `overLimitCount` with its gated messages */
  "mailbox-gated",
  /** an account's `overLimitCount` with the sum of its mailboxes' */
  "account-gated",
  /** an account's `storageUsedBytes` with the sizes of its attachments */
  "account-storage",
  /** an account's `listEntryCount` with the entries of its lists */
  "account-lists",
  /** an account's last event number with the greatest in its log; it must not be lower */
  "account-events",
  /** when a webhook is due with when its first waiting delivery is due; it must not be later; null: never */
  "webhook-due",
)
export type IntegrityCheck = typeof IntegrityCheck.Type

/** A stored value, and the value computed from the rows. */
export interface Compared {
  readonly accountId: AccountId
  /** of the thread, attachment, mailbox, account or webhook */
  readonly id: string
  readonly stored: number | null
  readonly counted: number | null
}

export interface Mended {
  /** the difference before the repair; null when there was none */
  readonly found: Compared | null
  /** blobs that no row refers to any more */
  readonly blobKeys: ReadonlyArray<string>
}

export class IntegrityStore extends Context.Tag("@mailroom/IntegrityStore")<
  IntegrityStore,
  {
    /**
     * Compares the next `limit` values after the id `after` ("" for the first), in the order of ids. Fewer than `limit` at
     * the end. Locks nothing, so a difference may come from a concurrent change.
     */
    readonly compare: (
      check: IntegrityCheck,
      after: string,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Compared>>
    /**
     * Inside a transaction, on a locked account: compares one value again and, if it differs, writes the computed value.
     * Removes an attachment whose message does not exist.
     */
    readonly mend: (check: IntegrityCheck, id: string) => Effect.Effect<Mended>
  }
>() {}
