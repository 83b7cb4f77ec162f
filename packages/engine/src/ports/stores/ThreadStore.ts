/** Threads, and the links from RFC 5322 Message-IDs to them. */
import type { AccountId, Instant, MailboxId, ThreadId, ThreadRecord } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export interface ThreadLink {
  readonly mailboxId: MailboxId
  readonly rfcId: string
  readonly threadId: ThreadId
}

export interface SubjectProbe {
  readonly mailboxId: MailboxId
  readonly baseSubject: string
  /** the thread has one of these */
  readonly participants: ReadonlyArray<string>
  /** last message at or after */
  readonly since: Instant
  /** first message at or before */
  readonly until: Instant
}

/** The progress of a merge. */
export interface MovedRows {
  /** messages, links and aliases that were rewritten to the new thread */
  readonly rows: number
  /** whether no row refers to the old thread any more */
  readonly done: boolean
}

/** The position of a thread in a list by activity. */
export interface ThreadPosition {
  readonly lastMessageAt: Instant
  readonly id: ThreadId
}

/** A list of threads of an account. */
export interface ThreadsQuery {
  readonly accountId: AccountId
  /** null: all mailboxes of the account */
  readonly mailboxIds: ReadonlyArray<MailboxId> | null
  /** only threads with less recent activity than this position */
  readonly after: ThreadPosition | null
  readonly limit: number
}

export class ThreadStore extends Context.Tag("@mailroom/ThreadStore")<
  ThreadStore,
  {
    /**
     * Threads of an account with visible messages, newest activity first. Leaves out threads of removed mailboxes, so a
     * page may have fewer than `limit` and not be the last. `next`: position of the next page; null on the last.
     */
    readonly recent: (query: ThreadsQuery) => Effect.Effect<{
      readonly threads: ReadonlyArray<ThreadRecord>
      readonly next: ThreadPosition | null
    }>
    /** `id` may be of a thread that was merged into it. */
    readonly byId: (mailboxId: MailboxId, id: ThreadId) => Effect.Effect<Option.Option<ThreadRecord>>
    /** The thread of an account, in any of its mailboxes. `id` may be of a thread that was merged into it. */
    readonly ofAccount: (accountId: AccountId, id: ThreadId) => Effect.Effect<Option.Option<ThreadRecord>>
    readonly byIds: (ids: ReadonlyArray<ThreadId>) => Effect.Effect<ReadonlyArray<ThreadRecord>>
    /** The stored links of these Message-IDs. */
    readonly links: (
      wanted: ReadonlyArray<Pick<ThreadLink, "mailboxId" | "rfcId">>,
    ) => Effect.Effect<ReadonlyArray<ThreadLink>>
    /**
     * For each probe the most recently active thread with its base subject and one of its participants, if there is one among
     * the 1,000 most recently active with the subject.
     */
    readonly bySubjects: (probes: ReadonlyArray<SubjectProbe>) => Effect.Effect<ReadonlyArray<ThreadRecord>>
    /**
     * Shows the first message of a thread without visible messages: writes its subject, participants and time, and a count
     * of 1. False when the thread has a visible message or does not exist.
     */
    readonly showFirst: (
      thread: Pick<ThreadRecord, "id" | "subject" | "baseSubject" | "participants" | "lastMessageAt">,
    ) => Effect.Effect<boolean>
    /** Inserts or replaces threads. */
    readonly save: (threads: ReadonlyArray<ThreadRecord>) => Effect.Effect<void>
    /** Inserts links. Ignores those that exist. */
    readonly link: (links: ReadonlyArray<ThreadLink>) => Effect.Effect<void>
    /**
     * Inside a transaction, on a locked account: merges the thread `from` into `into`. The merge is visible at the
     * commit, and the old id resolves to the new thread. Rewrites up to `limit` rows of each kind that refer to `from`;
     * `move` rewrites the others.
     */
    readonly absorb: (from: ThreadId, into: ThreadId, limit: number) => Effect.Effect<MovedRows>
    /**
     * Inside a transaction, on a locked account: rewrites up to `limit` more rows of each kind that refer to the merged
     * thread `from`. True when none is left.
     */
    readonly move: (from: ThreadId, limit: number) => Effect.Effect<boolean>
    /**
     * Inside a transaction, on a locked account: removes up to `limit` links of a thread without messages, and the
     * thread with the last of them. False when links are left.
     */
    readonly removeEmpty: (id: ThreadId, limit: number) => Effect.Effect<boolean>
    /** For each id of a merged thread, the id of the thread that it was merged into; for any other, the id itself. */
    readonly currentIds: (ids: ReadonlyArray<ThreadId>) => Effect.Effect<ReadonlyMap<ThreadId, ThreadId>>
  }
>() {}
