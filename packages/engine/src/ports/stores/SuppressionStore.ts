/** The suppression list of each account. */
import type { AccountId, SuppressionRecord } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export class SuppressionStore extends Context.Tag("@mailroom/SuppressionStore")<
  SuppressionStore,
  {
    /** An address already on the list stays as it is. */
    readonly insert: (suppression: SuppressionRecord) => Effect.Effect<void>
    /** Which of these lower-case addresses are on the list. */
    readonly among: (
      accountId: AccountId,
      emails: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<string>>
  }
>() {}
