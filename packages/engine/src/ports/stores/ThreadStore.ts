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
    /** Inserts or replaces threads. */
    readonly save: (threads: ReadonlyArray<ThreadRecord>) => Effect.Effect<void>
    /** Inserts links that do not exist yet. */
    readonly link: (links: ReadonlyArray<ThreadLink>) => Effect.Effect<void>
    /** Makes one thread of two: messages, links and the old id go over to `into`. */
    readonly absorb: (from: ThreadId, into: ThreadId) => Effect.Effect<void>
  }
>() {}
