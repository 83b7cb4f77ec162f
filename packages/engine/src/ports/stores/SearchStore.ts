/** The search index: which messages have which words and facts (docs/decisions/0061). */
import type {
  AccountId,
  Instant,
  MailboxId,
  MessageId,
  Overloaded,
  SearchableMessage,
  SearchedFacts,
  SearchField,
  SearchQuery,
} from "@mailroom/domain"
import { Context, type Effect } from "effect"
import type { MessageJson, MessagePosition } from "./MessageStore.js"

/** The messages that a search may show: those of an account, or of these mailboxes of it. */
export interface SearchScope {
  readonly accountId: AccountId
  /** null: every mailbox of the account */
  readonly mailboxIds: ReadonlyArray<MailboxId> | null
}

/** The stored text and facts of a message. */
export interface StoredText extends SearchableMessage {
  readonly id: MessageId
  readonly accountId: AccountId
  readonly mailboxId: MailboxId
}

/** An entry of the queue. A message that changes while it waits gets the next revision. */
export interface SearchQueueEntry {
  readonly id: MessageId
  readonly createdAt: Instant
  readonly revision: number
}

/** A message of the queue, to be indexed for the first time or again. */
export interface QueuedText extends StoredText {
  readonly revision: number
}

/** A message of the queue whose rows do not decode. */
export interface UnreadableText extends SearchQueueEntry {
  readonly error: unknown
}

/** What the index stores of a message. `revision`: that of the queue when it was read. */
export interface SearchDocument extends SearchQueueEntry {
  readonly accountId: AccountId
  readonly mailboxId: MailboxId
  readonly sizeBytes: number
  readonly facts: SearchedFacts
  readonly tokens: Readonly<Record<SearchField, ReadonlyArray<string>>>
}

export interface FoundMessage extends MessagePosition {
  /** false: the index lacks words of it, or their order, that decide: the query must be evaluated on its stored text */
  readonly isCertain: boolean
}

export interface FoundMessages {
  /** newest first */
  readonly found: ReadonlyArray<FoundMessage>
  /** where to continue; null when nothing older matches */
  readonly next: MessagePosition | null
}

export class SearchStore extends Context.Tag("@mailroom/SearchStore")<
  SearchStore,
  {
    /**
     * Visible messages of the index that match, newest first, older than `before`. At most `limit`; fewer do not mean that
     * there are no more, `next` does. Its cost grows with the messages that match its words until the page is full, not
     * with the mailbox. Fails with `Overloaded` after `deadline`. `thread` conditions must have current ids.
     * `reach`: `newest` looks at the newest 12,000 messages of the account only, and at those whose text needs no evaluation,
     * which bounds the cost of a rare match of frequent words.
     */
    readonly find: (
      scope: SearchScope,
      query: SearchQuery,
      before: MessagePosition | null,
      limit: number,
      deadline: Instant,
      reach?: "all" | "newest",
    ) => Effect.Effect<FoundMessages, Overloaded>
    /**
     * The newest `limit` messages of the account that are queued, newest first: the index does not have them yet, or it has an
     * earlier text of them. A message that is in neither this nor a later `find` was removed, or went back from the index into the
     * queue in between.
     */
    readonly queued: (accountId: AccountId, limit: number) => Effect.Effect<ReadonlyArray<MessageId>>
    /** The text of those of these messages that the scope has and that a search may show. */
    readonly shownTexts: (
      scope: SearchScope,
      ids: ReadonlyArray<MessageId>,
    ) => Effect.Effect<ReadonlyArray<StoredText>>
    /** The text of messages of the account; absent ones, and those that do not decode, are left out. */
    readonly texts: (
      accountId: AccountId,
      ids: ReadonlyArray<MessageId>,
    ) => Effect.Effect<ReadonlyArray<StoredText>>
    /** The same without texts of files and with `SCORED_BODY_MAX_LENGTH` of the text of a mail at least: what relevance reads. */
    readonly beginnings: (
      accountId: AccountId,
      ids: ReadonlyArray<MessageId>,
    ) => Effect.Effect<ReadonlyArray<StoredText>>
    /**
     * The list items of messages of the account, in the order of `ids`; absent ones are left out. Those of the first `count` ids,
     * at least one: a page has 32 MB of items at most.
     */
    readonly items: (
      accountId: AccountId,
      ids: ReadonlyArray<MessageId>,
    ) => Effect.Effect<{ readonly items: ReadonlyArray<MessageJson>; readonly count: number }>
    /** Whether the queue has a message. */
    readonly isBehind: Effect.Effect<boolean>
    /**
     * Takes or extends the right of this process to write the index until `leaseUntil`. False while another process has it.
     */
    readonly takeWriter: (now: Instant, leaseUntil: Instant) => Effect.Effect<boolean>
    /** Up to `limit` messages of the queue, the newest of all accounts first. Gated and unsent ones too. */
    readonly pending: (limit: number) => Effect.Effect<{
      readonly texts: ReadonlyArray<QueuedText>
      readonly unreadable: ReadonlyArray<UnreadableText>
    }>
    /**
     * Adds those of the messages that are in the queue at the same revision, or replaces them in the index, and takes them
     * from the queue. Does nothing when this process is not the writer. Removing a message removes it from the index in the
     * same transaction, without a call.
     */
    readonly add: (documents: ReadonlyArray<SearchDocument>) => Effect.Effect<void>
    /**
     * Merges a part of the index, in some milliseconds, so that a search has fewer places to look. False when nothing is left
     * to merge until more is added. For the writer.
     */
    readonly merge: Effect.Effect<boolean>
    /** Takes a message from the queue without indexing it, if it is there at the same revision. */
    readonly skip: (entry: SearchQueueEntry) => Effect.Effect<void>
  }
>() {}
