/** The audit trails of all accounts, and that of the operator. */
import type { AccountId, AuditEntryId, AuditRecord, Instant } from "@mailroom/domain"
import { Context, type Effect } from "effect"

/** Where a page of a trail ends. */
export interface AuditPosition {
  readonly createdAt: Instant
  readonly id: AuditEntryId
}

export class AuditStore extends Context.Tag("@mailroom/AuditStore")<
  AuditStore,
  {
    readonly insert: (entry: AuditRecord) => Effect.Effect<void>
    /** Newest first, older than `before` (null: from the newest). `accountId` null: the operator's own trail. */
    readonly page: (
      accountId: AccountId | null,
      before: AuditPosition | null,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<AuditRecord>>
    /** Removes up to `limit` entries from before `start`, of all trails, and returns how many. */
    readonly removeBefore: (start: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
