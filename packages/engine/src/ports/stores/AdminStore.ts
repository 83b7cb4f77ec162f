/** The operator's queries across accounts. Other stores read one account at a time. */
import type {
  AccountId,
  AccountRecord,
  EventRecord,
  Instant,
  MailboxCounts,
  MailboxId,
  SendingStopReason,
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
  /** slug of the account */
  readonly slug: string
}

/** A mailbox whose sending is stopped, and where it is in the list of them. */
export interface StoppedMailboxRow {
  readonly accountId: AccountId
  /** slug of the account */
  readonly slug: string
  readonly mailboxId: MailboxId
  readonly address: string
  readonly stoppedAt: Instant
  readonly reason: SendingStopReason
}

export type StoppedMailboxPosition = Pick<StoppedMailboxRow, "stoppedAt" | "mailboxId">

/** What `count` counts; messages from an instant on. */
export type Countable =
  | {
      readonly kind:
        | "accounts"
        | "suspended accounts"
        | "mailboxes"
        | "stopped mailboxes"
        | "waiting deliveries"
        | "waiting jobs"
    }
  | { readonly kind: "messages"; readonly since: Instant }

export class AdminStore extends Context.Tag("@mailroom/AdminStore")<
  AdminStore,
  {
    /** Newest first, older than `before`, at most `limit`. */
    readonly newestAccounts: (
      before: AccountId | null,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<AccountId>>
    /**
     * Accounts whose email or slug starts with this lower-case text, in no order: at most `max` by email and `max` by
     * slug.
     */
    readonly accountsStartingWith: (prefix: string, max: number) => Effect.Effect<ReadonlyArray<AccountId>>
    /** Newest first. Absent ids are left out. */
    readonly accounts: (ids: ReadonlyArray<AccountId>) => Effect.Effect<ReadonlyArray<AccountRow>>
    readonly accountOfMailbox: (id: MailboxId) => Effect.Effect<Option.Option<AccountId>>
    /** The `message.complaint` events of all accounts, newest first, older than `before`, at most `limit`. */
    readonly complaints: (
      before: ComplaintPosition | null,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<ComplaintRow>>
    /** The mailboxes of all accounts whose sending is stopped, the newest stop first, after `before`, at most `limit`. */
    readonly stoppedMailboxes: (
      before: StoppedMailboxPosition | null,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<StoppedMailboxRow>>
    /** The number of rows. Counting stops at `max`. */
    readonly count: (what: Countable, max: number) => Effect.Effect<number>
  }
>() {}
