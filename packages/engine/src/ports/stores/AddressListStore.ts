/** Allow and block lists. Call the methods that write inside a transaction, on a locked account. */
import type {
  AccountId,
  Instant,
  ListDirection,
  ListEntryId,
  ListEntryRecord,
  ListKind,
  MailboxId,
} from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

/** One list: the fields that its entries share. */
export type ListName = Pick<ListEntryRecord, "ownerId" | "direction" | "kind">

/** The position of an entry in its list. */
export interface ListPosition {
  readonly createdAt: Instant
  readonly id: ListEntryId
}

/** An entry that may be on a list of an account or a mailbox. */
export interface ListProbe {
  readonly ownerId: AccountId | MailboxId
  readonly entry: string
}

export interface FoundEntry extends ListProbe {
  readonly kind: ListKind
}

export class AddressListStore extends Context.Tag("@mailroom/AddressListStore")<
  AddressListStore,
  {
    /** The list must not have the entry yet. */
    readonly insert: (entry: ListEntryRecord) => Effect.Effect<void>
    readonly byEntry: (list: ListName, entry: string) => Effect.Effect<Option.Option<ListEntryRecord>>
    /** Newest first, older than `before` (null: from the newest). */
    readonly page: (
      list: ListName,
      before: ListPosition | null,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<ListEntryRecord>>
    /** The removed entry; none when it is not on this list. */
    readonly remove: (list: ListName, id: ListEntryId) => Effect.Effect<Option.Option<ListEntryRecord>>
    /** Removes the entries of all lists of a mailbox, and returns how many. */
    readonly removeOfMailbox: (mailboxId: MailboxId) => Effect.Effect<number>
    /** The probes that are on allow or block lists of a direction. */
    readonly among: (
      direction: ListDirection,
      probes: ReadonlyArray<ListProbe>,
    ) => Effect.Effect<ReadonlyArray<FoundEntry>>
  }
>() {}
