/** Messages. Lists are served from the JSON that was stored with each message, so a page is never parsed. */
import type {
  AccountId,
  Direction,
  HeaderMap,
  InboundGate,
  Instant,
  MailboxId,
  MessageContent,
  MessageId,
  MessageStatus,
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
  /** why it is hidden, or null */
  readonly gate: InboundGate | null
  readonly labels: ReadonlyArray<string>
  readonly readAt: Instant | null
  readonly sentAt: Instant | null
  readonly createdAt: Instant
  /** the same mail again has the same key in the same mailbox; null when it cannot be told (decisions §5) */
  readonly dedupKey: string | null
  readonly rawId: RawMailId | null
  /** of a message that was sent: it answers a machine (docs/decisions/0032) */
  readonly automaticTurn: boolean
}

export interface MessageReference extends Pick<MessageRecord, "status" | "gate" | "rawId"> {
  /** bytes of the bodies that a listing cuts; 0 when it holds them whole */
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
  /** created at or after */
  readonly since: Instant | null
  /** only what is older than this position: the cost of a page does not grow with its depth */
  readonly before: MessagePosition | null
  readonly offset: number
  readonly limit: number
}

export interface MessagePage {
  readonly items: ReadonlyArray<MessageJson>
  readonly hasMore: boolean
  /** of the last item, to ask for the next page; null when the page is empty */
  readonly last: MessagePosition | null
}

export interface DedupProbe {
  readonly mailboxId: MailboxId
  /** RFC 5322 Message-ID */
  readonly rfcId: string
  readonly dedupKey: string
}

/** What a thread must know of a message that becomes visible. */
export interface ShownMessage {
  readonly threadId: ThreadId
  readonly createdAt: Instant
  readonly content: Pick<MessageContent, "subject" | "fromAddress" | "toAddresses" | "ccAddresses">
}

/** What removed messages held. */
export interface Removed {
  /** rows that were removed: messages, and when a mailbox is purged its threads and their links, too */
  readonly removed: number
  /** blobs that nothing refers to any more */
  readonly blobKeys: ReadonlyArray<string>
  readonly attachmentBytes: number
}

export class MessageStore extends Context.Tag("@mailroom/MessageStore")<
  MessageStore,
  {
    readonly insert: (messages: ReadonlyArray<MessageRecord>) => Effect.Effect<void>
    /** Hidden messages too. */
    readonly byId: (mailboxId: MailboxId, id: MessageId) => Effect.Effect<Option.Option<MessageRecord>>
    /** What decides whether a message may be read, where its source is, and how large its bodies are. Reads no bodies. */
    readonly referenceById: (
      mailboxId: MailboxId,
      id: MessageId,
    ) => Effect.Effect<Option.Option<MessageReference>>
    /** Hidden messages too; the newest with this RFC 5322 id in the mailbox. */
    readonly byRfcId: (mailboxId: MailboxId, rfcId: string) => Effect.Effect<Option.Option<MessageRecord>>
    /**
     * Messages that were sent, of whatever account: what names them is signed (decisions §6). Absent ids are left
     * out.
     */
    readonly sent: (ids: ReadonlyArray<MessageId>) => Effect.Effect<ReadonlyArray<MessageRecord>>
    /** Visible messages, newest first; on request with those that are unlocked and not shown yet (`showUnlocked`). */
    readonly page: (query: MessageQuery, withUnlocked?: boolean) => Effect.Effect<MessagePage>
    /** The newest `limit` visible messages of a thread, oldest first. */
    readonly inThread: (threadId: ThreadId, limit: number) => Effect.Effect<ReadonlyArray<MessageJson>>
    /** Which of these mails are stored already. */
    readonly stored: (probes: ReadonlyArray<DedupProbe>) => Effect.Effect<ReadonlyArray<DedupProbe>>
    readonly setFlags: (id: MessageId, flags: Pick<MessageRecord, "labels" | "readAt">) => Effect.Effect<void>
    readonly setStatus: (id: MessageId, status: MessageStatus, sentAt: Instant | null) => Effect.Effect<void>
    /** Messages recorded before `before` and still SENDING: nobody is sending them any more. */
    readonly stale: (before: Instant, limit: number) => Effect.Effect<ReadonlyArray<MessageRecord>>
    /**
     * Inside a transaction, on a locked account: unlocks all messages that this gate, or every gate, holds back now.
     * From then on a read of one message finds it without a gate. Threads, and lists that do not ask for such messages,
     * show it after `showUnlocked`.
     */
    readonly unlock: (accountId: AccountId, gate: InboundGate | "all") => Effect.Effect<void>
    /**
     * Inside a transaction, on a locked account: makes up to `limit` unlocked messages visible in lists, one mailbox
     * after the other, its oldest first. Returns them, oldest first; fewer than `limit` when none is left.
     */
    readonly showUnlocked: (accountId: AccountId, limit: number) => Effect.Effect<ReadonlyArray<ShownMessage>>
    /**
     * Inside a transaction, on a locked account: removes a message and returns what it held. Its thread counts without
     * it, and goes with its last message. `emptied` is that thread when it has so many links that some are left
     * (`ThreadStore.removeEmpty`).
     */
    readonly remove: (id: MessageId) => Effect.Effect<Removed & { readonly emptied: ThreadId | null }>
    /**
     * Removes up to `limit` rows of a mailbox that is gone: its messages, then its threads. Returns what they held;
     * fewer than `limit` rows when nothing is left.
     */
    readonly purge: (mailboxId: MailboxId, limit: number) => Effect.Effect<Removed>
  }
>() {}
