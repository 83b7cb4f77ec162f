/** What a deleted account leaves: rows to remove in steps, and names that nobody else may have yet (decisions §3). */
import type { AccountId, Instant } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export interface Purged {
  /** blobs that nothing refers to any more */
  readonly blobKeys: ReadonlyArray<string>
  /** whether nothing of the account is left */
  readonly done: boolean
}

export class AccountRemovalStore extends Context.Tag("@mailroom/AccountRemovalStore")<
  AccountRemovalStore,
  {
    /**
     * From the commit on no store finds the account, its addresses take no mail, none of its webhooks is due, and its
     * domains are anybody's. Its rows stay for `purge`.
     */
    readonly retire: (id: AccountId, at: Instant) => Effect.Effect<void>
    /** One step: removes up to `limit` things of a retired account with what they held; its own row goes last. */
    readonly purge: (id: AccountId, limit: number) => Effect.Effect<Purged>
  }
>() {}

/** Names are opaque here: whoever reserves one says how it is written. */
export class ReservedNameStore extends Context.Tag("@mailroom/ReservedNameStore")<
  ReservedNameStore,
  {
    /** Reserves names until `until`; one that was reserved before gets the new end. */
    readonly reserve: (names: ReadonlyArray<string>, until: Instant) => Effect.Effect<void>
    /** Whether the name is reserved at `now`. */
    readonly isReserved: (name: string, now: Instant) => Effect.Effect<boolean>
    /** Removes up to `limit` whose time is over at `now`, and returns how many. */
    readonly removeExpired: (now: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
