/**
 * Writes blobs so that no crash loses one or leaves one without a row (docs/decisions/0042). The key of a blob is a draft
 * from before the write until the transaction that stores its row. When the answer of that transaction is lost, the draft
 * stays, and the collector (`Jobs`) looks for the row later.
 */
import { BLOB_DRAFT_KEPT_FOR } from "@mailroom/domain"
import { Clock, Context, Effect, Layer, type Stream } from "effect"
import { Blobs } from "../ports/Blobs.js"
import { BlobDraftStore } from "../ports/stores/BlobDraftStore.js"

export class BlobDrafts extends Context.Tag("@mailroom/BlobDrafts")<
  BlobDrafts,
  {
    /**
     * Makes keys drafts. Call it before their blobs are written, outside of a transaction, so that the drafts are durable;
     * or inside the transaction that removes the last rows that refer to them.
     */
    readonly begin: (keys: ReadonlyArray<string>) => Effect.Effect<void>
    /** Makes the key a draft and writes its blob. */
    readonly put: (
      key: string,
      content: Stream.Stream<Uint8Array>,
    ) => Effect.Effect<{ readonly sizeBytes: number }>
    /** Inside the transaction that stores the rows of the blobs: ends their drafts. */
    readonly named: (keys: ReadonlyArray<string>) => Effect.Effect<void>
    /**
     * Removes drafts and their blobs at once. Only for blobs that certainly have no row. If it fails, the collector
     * removes them.
     */
    readonly discard: (keys: ReadonlyArray<string>) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    BlobDrafts,
    Effect.gen(function* () {
      const store = yield* BlobDraftStore
      const blobs = yield* Blobs

      const begin = (keys: ReadonlyArray<string>) =>
        keys.length === 0
          ? Effect.void
          : Effect.flatMap(Clock.currentTimeMillis, (now) => store.add(keys, now + BLOB_DRAFT_KEPT_FOR))

      return {
        begin,
        put: (key, content) => Effect.zipRight(begin([key]), blobs.put(key, content)),
        named: (keys) => (keys.length === 0 ? Effect.void : store.remove(keys)),
        discard: (keys) =>
          keys.length === 0
            ? Effect.void
            : Effect.zipRight(blobs.remove(keys), store.remove(keys)).pipe(
                Effect.catchAllCause((cause) =>
                  Effect.logWarning("The collector will remove the files of a failed request", cause),
                ),
              ),
      }
    }),
  )
}
