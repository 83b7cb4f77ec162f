/** The suppression list of each account. */
import type { AccountId, Instant, SuppressionId, SuppressionRecord } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

/** Where a page of the list ends. */
export interface SuppressionPosition {
  readonly createdAt: Instant
  readonly id: SuppressionId
}

export class SuppressionStore extends Context.Tag("@mailroom/SuppressionStore")<
  SuppressionStore,
  {
    /** Does nothing for an address that is on the list already. */
    readonly insert: (suppression: SuppressionRecord) => Effect.Effect<void>
    /** Which of these lower-case addresses are on the list. */
    readonly among: (
      accountId: AccountId,
      emails: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<string>>
    /** `email` lower-case */
    readonly byEmail: (accountId: AccountId, email: string) => Effect.Effect<Option.Option<SuppressionRecord>>
    /** Newest first, older than `before` (null: from the newest). */
    readonly page: (
      accountId: AccountId,
      before: SuppressionPosition | null,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<SuppressionRecord>>
    /** Removes an entry and returns it; none when it was not on the account's list. */
    readonly remove: (
      accountId: AccountId,
      id: SuppressionId,
    ) => Effect.Effect<Option.Option<SuppressionRecord>>
  }
>() {}
