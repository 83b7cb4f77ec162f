/** How the search index stores and finds words: FTS5 on SQLite, `tsvector` on Postgres (docs/decisions/0061). */
import type { Statement } from "@effect/sql"
import type { IndexQuery, Instant, MailboxId, MessageId, SearchField, TextCondition } from "@mailroom/domain"
import type { Effect } from "effect"

/** A row of `search_documents` before it has a number, and its words. */
export interface IndexedDocument {
  readonly messageId: MessageId
  readonly mailboxId: MailboxId
  readonly segmentId: number
  readonly createdAt: Instant
  readonly sizeBytes: number
  readonly facts: number
  readonly tokens: Readonly<Record<SearchField, ReadonlyArray<string>>>
}

/** Which rows a condition takes: those that match whatever an incomplete row lacks, or all that might match. */
export type Certainty = "certain" | "possible"

export interface WordIndex {
  /**
   * FROM and WHERE for rows of `search_documents AS d` in these segments that match `words`. Null: all. `mailbox` null: of any
   * mailbox.
   */
  readonly matching: (
    words: IndexQuery | null,
    mailbox: MailboxId | null,
    segments: ReadonlyArray<number>,
    certainty: Certainty,
  ) => Statement.Fragment
  /** Condition on a row `d` of these segments. */
  readonly has: (
    condition: TextCondition,
    segments: ReadonlyArray<number>,
    certainty: Certainty,
  ) => Statement.Fragment
  /** Condition on an incomplete row `d` of these segments: it matches, whatever it lacks. Null: no row is incomplete. */
  readonly isCertain: ((words: IndexQuery, segments: ReadonlyArray<number>) => Statement.Fragment) | null
  readonly insert: (documents: ReadonlyArray<IndexedDocument>) => Effect.Effect<void>
  /** `SearchStore.merge` */
  readonly merge: Effect.Effect<boolean>
}

/**
 * What stands before every token of a segment: its number in base 28, whose digits are 0 to 9 and a to r, and one of the
 * letters s to z for the kind of the token. So the words of one segment, and of one account, never cost a search of
 * another, and a number ends where the kind begins.
 */
export const tokenPrefix = (segment: number, kind: "s" | "t" | "u" | "v" | "w" | "x" | "y" | "z"): string =>
  `${segment.toString(28)}${kind}`

/** The columns of `search_documents` on both databases, without its number. */
export const DOCUMENT_COLUMNS = [
  "message_id",
  "mailbox_id",
  "segment_id",
  "created_at",
  "size_bytes",
  "facts",
  "incomplete",
] as const

export const documentValues = (
  { messageId, mailboxId, segmentId, createdAt, sizeBytes, facts }: IndexedDocument,
  isIncomplete: boolean,
): ReadonlyArray<unknown> => [
  messageId,
  mailboxId,
  segmentId,
  createdAt,
  sizeBytes,
  facts,
  isIncomplete ? 1 : 0,
]
