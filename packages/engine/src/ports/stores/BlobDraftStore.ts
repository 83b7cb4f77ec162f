/**
 * Drafts: keys of blobs that no row refers to yet (docs/decisions/0042). A draft is stored before its blob is written,
 * and removed by the transaction that inserts a row with the key. So the blobs that a crash or an uncertain COMMIT
 * leaves behind are found, and a blob that a row refers to is never removed.
 */
import type { Instant } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export class BlobDraftStore extends Context.Tag("@mailroom/BlobDraftStore")<
  BlobDraftStore,
  {
    /** Durable when it succeeds. From `dueAt` on the blobs are removed unless a row refers to them. */
    readonly add: (keys: ReadonlyArray<string>, dueAt: Instant) => Effect.Effect<void>
    /** Removes drafts whose blobs rows refer to, or that were removed. */
    readonly remove: (keys: ReadonlyArray<string>) => Effect.Effect<void>
    /**
     * Claims up to `limit` due drafts, longest due first, and makes them due again at `nextDueAt`. Without the files of mail that is
     * still in the queue: its next attempt writes them again.
     */
    readonly claim: (limit: number, now: Instant, nextDueAt: Instant) => Effect.Effect<ReadonlyArray<string>>
    /** Which of these blobs no attachment and no raw mail refers to. */
    readonly unnamedAmong: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
  }
>() {}
