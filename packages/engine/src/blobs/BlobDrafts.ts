/**
 * Writes blobs so that no crash loses one or leaves one without a row (docs/decisions/0042). The key of a blob is a draft
 * from before the write until the transaction that stores its row. When the answer of that transaction is lost, the draft
 * stays, and `CrashRecovery` looks for the row later.
 */
import { BLOB_DRAFT_KEPT_FOR, BLOB_KEY_USABLE_FOR } from "@mailroom/domain"
import { Clock, Context, Effect, Layer, type Stream } from "effect"
import { Ids } from "../ids/Ids.js"
import { Blobs } from "../ports/Blobs.js"
import { BlobDraftStore } from "../ports/stores/BlobDraftStore.js"

/** Keys that one commit reserves. */
const RESERVED_AT_ONCE = 64

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
    readonly end: (keys: ReadonlyArray<string>) => Effect.Effect<void>
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
        end: (keys) => (keys.length === 0 ? Effect.void : store.remove(keys)),
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

/**
 * Returns an effect that hands out keys with this prefix, each once, for blobs that are written while a client waits. Most
 * calls take a key that is a draft already. One call of 64, or one after an hour without calls, waits for the commit that
 * reserves the next 64 keys. The collector removes drafts of unused keys. Dies with `StorageFailure` during an outage.
 */
export const makeReservedKeys = (
  prefix: string,
): Effect.Effect<Effect.Effect<string>, never, BlobDrafts | Ids> =>
  Effect.gen(function* () {
    const blobDrafts = yield* BlobDrafts
    const ids = yield* Ids
    const oneAtATime = Effect.unsafeMakeSemaphore(1)
    let keys: ReadonlyArray<string> = []
    let usableUntil = 0

    const reserve = Effect.fnUntraced(function* (now: number) {
      const fresh = (yield* ids.uuids(RESERVED_AT_ONCE)).map((id) => `${prefix}${id}`)
      yield* blobDrafts.begin(fresh)
      keys = fresh
      usableUntil = now + BLOB_KEY_USABLE_FOR
    })

    return oneAtATime.withPermits(1)(
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (keys.length === 0 || now >= usableUntil) yield* reserve(now)
        const [key, ...others] = keys
        if (key === undefined) return yield* Effect.dieMessage("no key was reserved")
        keys = others
        return key
      }),
    )
  })
