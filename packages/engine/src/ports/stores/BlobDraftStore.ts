/**
 * Blobs that were written, or are about to be, before a row names them (docs/decisions/0042). A draft is stored before
 * its blob and removed by the transaction that names the blob. So whatever a crash or an uncertain COMMIT leaves behind
 * is found again, and a blob that a row names is never removed.
 */
import type { Instant } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export class BlobDraftStore extends Context.Tag("@mailroom/BlobDraftStore")<
  BlobDraftStore,
  {
    /** Durable when it succeeds. From `dueAt` on the blobs are removed, unless a row names them by then. */
    readonly add: (keys: ReadonlyArray<string>, dueAt: Instant) => Effect.Effect<void>
    /** Removes drafts: their blobs are named by rows, or gone. */
    readonly remove: (keys: ReadonlyArray<string>) => Effect.Effect<void>
    /** Takes up to `limit` drafts that are due, longest due first: they are due again at `nextDueAt`. */
    readonly claim: (limit: number, now: Instant, nextDueAt: Instant) => Effect.Effect<ReadonlyArray<string>>
    /** Those of the blobs that no attachment and no raw mail names. */
    readonly unnamedAmong: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
  }
>() {}
