/** Messages. Lists return the JSON text stored with each message, so that a page is neither decoded nor encoded. */
import type {
  AccountId,
  Direction,
  HeaderMap,
  InboundGate,
  Instant,
  ListOrder,
  MailboxId,
  MessageClaim,
  MessageContent,
  MessageFilter,
  MessageId,
  MessageStatus,
  QuarantineRecord,
  RawMailId,
  ThreadId,
} from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export interface MessageRecord {
  readonly accountId: AccountId
  readonly content: MessageContent
  readonly headers: HeaderMap
  readonly threadId: ThreadId
  readonly status: MessageStatus
  /** the inbound limit that gates it (hides it until an unlock); null: none */
  readonly gate: InboundGate | null
  readonly labels: ReadonlyArray<string>
  readonly readAt: Instant | null
  readonly sentAt: Instant | null
  readonly createdAt: Instant
  /** equal for copies of one mail in a mailbox (`spec: decisions.duplicate`); null: not comparable */
  readonly dedupKey: string | null
  readonly rawId: RawMailId | null
  /** whether it is a sent message that answers a machine (docs/decisions/0032) */
  readonly automaticTurn: boolean
  /** its claim at the time of the read; null while it is free */
  readonly claim: MessageClaim | null
  /** since when it is quarantined, and why; null: it is not */
  readonly quarantine: QuarantineRecord | null
}

export interface MessageReference extends Pick<MessageRecord, "status" | "gate" | "quarantine" | "rawId"> {
  /** bytes of the bodies where a list shows only a part of them; 0 where it shows them whole */
  readonly bodyBytes: number
}

/** The JSON text of one `MessageListItem`. */
export type MessageJson = string

export interface MessagePosition {
  readonly createdAt: Instant
  readonly id: MessageId
}

export interface MessageQuery {
  readonly mailboxId: MailboxId
  readonly direction: Direction | null
  readonly threadId: ThreadId | null
  /** created at or after; null: all */
  readonly since: Instant | null
  /** only messages older than this position; unlike `offset`, its cost does not grow with the depth of the page */
  readonly before: MessagePosition | null
  readonly offset: number
  readonly limit: number
}

/** A list with any filter, of a mailbox, of several, or of an account. */
export interface FilteredQuery {
  readonly accountId: AccountId
  /** null: all mailboxes of the account */
  readonly mailboxIds: ReadonlyArray<MailboxId> | null
  /** its `threadId` is the id of a thread that is not merged into another */
  readonly filter: MessageFilter
  readonly order: ListOrder
  /** also quarantined messages; those match no `filter.claim` */
  readonly withQuarantined?: boolean
  /** with `withQuarantined`: no other messages */
  readonly onlyQuarantined?: boolean
  /** only messages behind this position in the order of the list */
  readonly after: MessagePosition | null
  readonly limit: number
}

export interface MessagePage {
  readonly items: ReadonlyArray<MessageJson>
  readonly hasMore: boolean
  /**
   * position for the next page: of the last item or, in a filtered list, of the last message that was examined; null
   * when the page is empty and the last
   */
  readonly last: MessagePosition | null
}

/** A message with what clients change. */
export interface Flagged extends Pick<MessageRecord, "accountId" | "labels" | "readAt" | "createdAt"> {
  readonly id: MessageId
  readonly mailboxId: MailboxId
}

export interface FlagChange {
  readonly before: Flagged
  readonly after: Pick<MessageRecord, "labels" | "readAt">
}

export interface DedupProbe {
  readonly mailboxId: MailboxId
  /** RFC 5322 Message-ID */
  readonly rfcId: string
  readonly dedupKey: string
}

/** The fields of a message that becomes visible, for its thread. */
export interface ShownMessage {
  readonly threadId: ThreadId
  readonly createdAt: Instant
  /** it stays hidden until it is released, and does not count in its thread */
  readonly isQuarantined: boolean
  readonly content: Pick<MessageContent, "subject" | "fromAddress" | "toAddresses" | "ccAddresses">
}

/** The result of removing messages. */
export interface Removed {
  /** rows that were removed: messages, and in a purge of a mailbox also threads, links and counters */
  readonly removed: number
  /** blobs that no row refers to any more */
  readonly blobKeys: ReadonlyArray<string>
  readonly attachmentBytes: number
}

export class MessageStore extends Context.Tag("@mailroom/MessageStore")<
  MessageStore,
  {
    readonly insert: (messages: ReadonlyArray<MessageRecord>) => Effect.Effect<void>
    /** Hidden messages too. */
    readonly byId: (mailboxId: MailboxId, id: MessageId) => Effect.Effect<Option.Option<MessageRecord>>
    /** A message without its content: status, gate, raw mail, size of its bodies. Reads no bodies. */
    readonly referenceById: (
      mailboxId: MailboxId,
      id: MessageId,
    ) => Effect.Effect<Option.Option<MessageReference>>
    /** The newest message with this RFC 5322 Message-ID in the mailbox, hidden ones included. */
    readonly byRfcId: (mailboxId: MailboxId, rfcId: string) => Effect.Effect<Option.Option<MessageRecord>>
    /**
     * Sent messages of any account: the ids come from signed return paths (`ReturnPaths`). Absent ids are left out.
     */
    readonly sent: (ids: ReadonlyArray<MessageId>) => Effect.Effect<ReadonlyArray<MessageRecord>>
    /**
     * Visible messages, newest first. A page has 32 MB of items at most, so it may have fewer than `limit` and still not be the
     * last; its first item may be larger. `withUnlocked`: also those that are unlocked but not shown yet (`showUnlocked`).
     */
    readonly page: (query: MessageQuery, withUnlocked?: boolean) => Effect.Effect<MessagePage>
    /**
     * Visible messages that match a filter. Examines at most 500 messages that match its most selective condition, and has as many
     * bytes as `page`, so a page may have fewer items than `limit`, or none, and still not be the last. Examines 200 of the newest (or oldest)
     * while messages of an earlier version wait for `index`, and with `withUnlocked`, which is as in `page`.
     */
    readonly filtered: (query: FilteredQuery, withUnlocked?: boolean) => Effect.Effect<MessagePage>
    /** An account with messages of an earlier version that `index` has not seen. */
    readonly unindexed: Effect.Effect<Option.Option<AccountId>>
    /**
     * Inside a transaction, on a locked account: prepares up to `limit` of these messages for filtered lists. True when
     * none is left.
     */
    readonly index: (accountId: AccountId, limit: number) => Effect.Effect<boolean>
    /** The newest `limit` visible messages of a thread, of 32 MB together at most, oldest first. */
    readonly inThread: (threadId: ThreadId, limit: number) => Effect.Effect<ReadonlyArray<MessageJson>>
    /** The message that a probe finds, hidden ones included. */
    readonly copyOf: (probe: DedupProbe) => Effect.Effect<Option.Option<MessageRecord>>
    /** The probes for which a message is stored. */
    readonly stored: (probes: ReadonlyArray<DedupProbe>) => Effect.Effect<ReadonlyArray<DedupProbe>>
    /** Inside a transaction, on a locked account: replaces labels and read marks. */
    readonly setFlags: (changes: ReadonlyArray<FlagChange>) => Effect.Effect<void>
    /**
     * The labels and read marks of up to `limit` visible messages of a thread, oldest first; only those behind `after`.
     */
    readonly flagsInThread: (
      threadId: ThreadId,
      after: MessagePosition | null,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Flagged>>
    readonly setStatus: (id: MessageId, status: MessageStatus, sentAt: Instant | null) => Effect.Effect<void>
    /** Abandoned sends: messages recorded before `before` that are still SENDING. */
    readonly stale: (before: Instant, limit: number) => Effect.Effect<ReadonlyArray<MessageRecord>>
    /**
     * Inside a transaction, on a locked account: unlocks all messages that this inbound limit, or any, gates now. Reads of
     * one message find it without a gate from then on. Threads, and lists without `withUnlocked`, show it after
     * `showUnlocked`.
     */
    readonly unlock: (accountId: AccountId, gate: InboundGate | "all") => Effect.Effect<void>
    /**
     * Inside a transaction, on a locked account: makes up to `limit` unlocked messages visible in lists, mailbox by
     * mailbox, oldest first. Returns them in that order; fewer than `limit` when none is left.
     */
    readonly showUnlocked: (accountId: AccountId, limit: number) => Effect.Effect<ReadonlyArray<ShownMessage>>
    /**
     * Inside a transaction, on a locked account: hides a received message that is not quarantined yet, and uncounts it in its
     * thread.
     */
    readonly quarantine: (id: MessageId, quarantine: QuarantineRecord) => Effect.Effect<void>
    /**
     * Inside a transaction, on a locked account: ends the quarantine of a message. True when lists show it now, so that the
     * caller adds it to its thread (`ThreadIndex.show`); `showUnlocked` shows one that was unlocked shortly before.
     */
    readonly release: (id: MessageId) => Effect.Effect<boolean>
    /**
     * Inside a transaction, on a locked account: removes a message, uncounts it in its thread, and removes the thread with
     * its last message. `emptied`: that thread, when it has so many links that some are left (`ThreadStore.removeEmpty`).
     */
    readonly remove: (id: MessageId) => Effect.Effect<Removed & { readonly emptied: ThreadId | null }>
    /**
     * Removes up to `limit` rows of a removed mailbox: its drafts, then its messages, then its threads, then its counters
     * (`MailCountStore`). Fewer than `limit` rows when none is left.
     */
    readonly purge: (mailboxId: MailboxId, limit: number) => Effect.Effect<Removed>
  }
>() {}
