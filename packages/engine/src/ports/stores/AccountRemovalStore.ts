/** Removes deleted accounts in batches, and reserves their names (`spec: decisions.deleted-reserved`). */
import type { AccountId, Instant } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export interface Purged {
  /** blobs that no row refers to any more */
  readonly blobKeys: ReadonlyArray<string>
  /** whether no row of the account is left */
  readonly done: boolean
}

export class AccountRemovalStore extends Context.Tag("@mailroom/AccountRemovalStore")<
  AccountRemovalStore,
  {
    /**
     * From the commit on no store finds the account, its addresses accept no mail, none of its webhooks is due, and other
     * accounts can verify its domains. Its rows stay for `purge`.
     */
    readonly retire: (id: AccountId, at: Instant) => Effect.Effect<void>
    /** Removes up to `limit` rows of a retired account with their dependent rows. The account's own row is removed last. */
    readonly purge: (id: AccountId, limit: number) => Effect.Effect<Purged>
  }
>() {}

/** Names are opaque to the store; the caller chooses their form. */
export class ReservedNameStore extends Context.Tag("@mailroom/ReservedNameStore")<
  ReservedNameStore,
  {
    /** Reserves names until `until`. A name that is reserved already gets the new end. */
    readonly reserve: (names: ReadonlyArray<string>, until: Instant) => Effect.Effect<void>
    /** Whether the name is reserved at `now`. */
    readonly isReserved: (name: string, now: Instant) => Effect.Effect<boolean>
    /** Removes up to `limit` names whose reservation ended at `now` or before, and returns how many. */
    readonly removeExpired: (now: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
