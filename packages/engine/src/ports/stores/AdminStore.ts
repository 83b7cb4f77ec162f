/** What the operator reads across accounts; all other stores look into one account at a time. */
import type {
  AccountId,
  AccountRecord,
  EventRecord,
  Instant,
  MailboxCounts,
  MailboxId,
} from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export interface AccountRow {
  readonly account: AccountRecord
  readonly mailboxes: MailboxCounts
}

export interface ComplaintPosition {
  readonly createdAt: Instant
  readonly accountId: AccountId
  readonly seq: number
}

export interface ComplaintRow {
  readonly event: EventRecord
  /** of the account */
  readonly slug: string
}

/** What is counted; a message counts since an instant. */
export type Countable =
  | { readonly kind: "accounts" | "suspended accounts" | "mailboxes" | "waiting deliveries" | "waiting jobs" }
  | { readonly kind: "messages"; readonly since: Instant }

export class AdminStore extends Context.Tag("@mailroom/AdminStore")<
  AdminStore,
  {
    /** Newest first, older than `before`, at most `limit`. */
    readonly newestAccounts: (
      before: AccountId | null,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<AccountId>>
    /** The accounts whose email, or slug, starts with this lower-case text: at most `max` by each, in no order. */
    readonly accountsStartingWith: (prefix: string, max: number) => Effect.Effect<ReadonlyArray<AccountId>>
    /** Newest first; absent ids are left out. */
    readonly accounts: (ids: ReadonlyArray<AccountId>) => Effect.Effect<ReadonlyArray<AccountRow>>
    readonly accountOfMailbox: (id: MailboxId) => Effect.Effect<Option.Option<AccountId>>
    /** The events `message.complaint` of all accounts, newest first, older than `before`, at most `limit`. */
    readonly complaints: (
      before: ComplaintPosition | null,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<ComplaintRow>>
    /** How many there are; counting stops at `max`. */
    readonly count: (what: Countable, max: number) => Effect.Effect<number>
  }
>() {}
