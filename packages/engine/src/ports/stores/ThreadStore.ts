/** Threads, and which RFC 5322 ids belong to which. */
import type { Instant, MailboxId, ThreadId, ThreadRecord } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export interface ThreadLink {
  readonly mailboxId: MailboxId
  readonly rfcId: string
  readonly threadId: ThreadId
}

export interface SubjectProbe {
  readonly mailboxId: MailboxId
  readonly baseSubject: string
  /** active at or after */
  readonly since: Instant
}

/** What joining two threads rewrote. */
export interface MovedRows {
  /** messages, links and aliases that name the new thread now */
  readonly rows: number
  /** whether none is left that names the old one */
  readonly done: boolean
}

export class ThreadStore extends Context.Tag("@mailroom/ThreadStore")<
  ThreadStore,
  {
    /** With visible messages only, newest activity first, at most `limit`. */
    readonly list: (mailboxId: MailboxId, limit: number) => Effect.Effect<ReadonlyArray<ThreadRecord>>
    /** Also by the id of a thread that was absorbed by it. */
    readonly byId: (mailboxId: MailboxId, id: ThreadId) => Effect.Effect<Option.Option<ThreadRecord>>
    readonly byIds: (ids: ReadonlyArray<ThreadId>) => Effect.Effect<ReadonlyArray<ThreadRecord>>
    /** The links of these ids that exist. */
    readonly links: (
      wanted: ReadonlyArray<Pick<ThreadLink, "mailboxId" | "rfcId">>,
    ) => Effect.Effect<ReadonlyArray<ThreadLink>>
    /** The threads with the base subject of each probe, for each at most the 20 most recently active. */
    readonly bySubjects: (probes: ReadonlyArray<SubjectProbe>) => Effect.Effect<ReadonlyArray<ThreadRecord>>
    /**
     * Shows the first message of a thread that shows none: writes its subject, participants and time, and a count of 1.
     * False when the thread shows a message already, or is gone.
     */
    readonly showFirst: (
      thread: Pick<ThreadRecord, "id" | "subject" | "baseSubject" | "participants" | "lastMessageAt">,
    ) => Effect.Effect<boolean>
    /** Inserts or replaces threads. */
    readonly save: (threads: ReadonlyArray<ThreadRecord>) => Effect.Effect<void>
    /** Inserts links that do not exist yet. */
    readonly link: (links: ReadonlyArray<ThreadLink>) => Effect.Effect<void>
    /**
     * Inside a transaction, on a locked account: makes one thread of two. Everybody sees one thread from now on, and
     * the old id keeps resolving to it. Rows that name the thread are rewritten apart: up to `limit` of each kind now,
     * the others by `move`.
     */
    readonly absorb: (from: ThreadId, into: ThreadId, limit: number) => Effect.Effect<MovedRows>
    /**
     * Inside a transaction, on a locked account: rewrites up to `limit` more rows of each kind that name the absorbed
     * thread `from`. True when none is left.
     */
    readonly move: (from: ThreadId, limit: number) => Effect.Effect<boolean>
    /**
     * Inside a transaction, on a locked account: removes a thread that has no message, with up to `limit` of its links.
     * False when links are left, and so the thread is, which shows nothing: the next call goes on. True otherwise.
     */
    readonly removeEmpty: (id: ThreadId, limit: number) => Effect.Effect<boolean>
    /** The ids that these threads have now: the other's of a thread that was absorbed, its own of any other. */
    readonly currentIds: (ids: ReadonlyArray<ThreadId>) => Effect.Effect<ReadonlyMap<ThreadId, ThreadId>>
  }
>() {}
