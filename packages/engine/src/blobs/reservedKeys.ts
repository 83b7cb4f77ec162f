/** Keys for blobs that are written while a client waits, each of them a draft before its blob is written. */
import { BLOB_KEY_USABLE_FOR } from "@mailroom/domain"
import { Clock, Effect } from "effect"
import type { Ids } from "../ids/Ids.js"
import type { BlobDrafts } from "./BlobDrafts.js"

/** How many keys become drafts with one commit. */
const RESERVED_AT_ONCE = 64

/**
 * Hands out keys that begin with `prefix`, each once. Most calls take a key that is a draft already; one of 64, or one after
 * a quiet hour, waits for the commit that makes the next 64 keys drafts. The collector removes the drafts of keys that were
 * never used, and their blobs, which are not there. Dies with `StorageFailure` when the store is lost.
 */
export const makeReservedKeys = (
  drafts: BlobDrafts["Type"],
  ids: Ids["Type"],
  prefix: string,
): Effect.Effect<string> => {
  const oneAtATime = Effect.unsafeMakeSemaphore(1)
  let keys: ReadonlyArray<string> = []
  let usableUntil = 0

  const reserve = Effect.fnUntraced(function* (now: number) {
    const fresh = (yield* ids.uuids(RESERVED_AT_ONCE)).map((id) => `${prefix}${id}`)
    yield* drafts.begin(fresh)
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
}
