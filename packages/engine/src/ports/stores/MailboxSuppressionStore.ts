/** Addresses that one mailbox must not send to (docs/decisions/0069). `SuppressionStore` has those of a whole account. */
import type { AccountId, MailboxId, MailboxSuppressionRecord, SuppressionId } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"
import type { SuppressionPosition } from "./SuppressionStore.js"

/** The mailbox that somebody unsubscribes from. */
export interface UnsubscribeFacts {
  readonly accountId: AccountId
  readonly fullAddress: string
  /** whether the address is suppressed for the mailbox already */
  readonly isSuppressed: boolean
}

export class MailboxSuppressionStore extends Context.Tag("@mailroom/MailboxSuppressionStore")<
  MailboxSuppressionStore,
  {
    /** Does nothing for an address that is on the mailbox's list already. */
    readonly insert: (suppression: MailboxSuppressionRecord) => Effect.Effect<void>
    readonly byEmail: (
      mailboxId: MailboxId,
      email: string,
    ) => Effect.Effect<Option.Option<MailboxSuppressionRecord>>
    /**
     * By the mailbox and the address of a signed link. None when the mailbox does not exist, or its account was deleted.
     */
    readonly facts: (mailboxId: MailboxId, email: string) => Effect.Effect<Option.Option<UnsubscribeFacts>>
    /**
     * Those of all mailboxes of the account, newest first, older than `before` (null: from the newest). `email`: only this
     * lower-case address; null: all.
     */
    readonly page: (
      accountId: AccountId,
      email: string | null,
      before: SuppressionPosition | null,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<MailboxSuppressionRecord>>
    /** Returns the removed entry; none when it was not on the list of a mailbox of the account. */
    readonly remove: (
      accountId: AccountId,
      id: SuppressionId,
    ) => Effect.Effect<Option.Option<MailboxSuppressionRecord>>
    /** Removes up to `limit` entries of a mailbox that was deleted, and returns their number. */
    readonly purge: (mailboxId: MailboxId, limit: number) => Effect.Effect<number>
  }
>() {}
