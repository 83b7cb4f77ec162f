/** Ends and removes what killed processes left: sends without an end, and blobs without a row. */
import { MINUTE, SECOND } from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { Blobs } from "../ports/Blobs.js"
import { BlobDraftStore } from "../ports/stores/BlobDraftStore.js"
import { SendOutcomes } from "../sending/SendOutcomes.js"
import { makeSupervisor } from "../workers/supervisor.js"

/** Milliseconds between two looks. */
const POLL = 5 * SECOND
/** Blobs without a row that one step removes. */
const BLOBS_AT_ONCE = 100
/** Milliseconds until these blobs are tried again after a failure of the blob store or of this process. */
const BLOBS_AGAIN_AFTER = 10 * MINUTE

export class CrashRecovery extends Context.Tag("@mailroom/CrashRecovery")<
  CrashRecovery,
  {
    /** Ends the sends, and removes the blobs, that are due now. */
    readonly drain: Effect.Effect<void>
    readonly run: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.effect(
    CrashRecovery,
    Effect.gen(function* () {
      const sends = yield* SendOutcomes
      const drafts = yield* BlobDraftStore
      const blobs = yield* Blobs

      const supervisor = makeSupervisor("recovery")

      /** Removes up to 100 blobs whose drafts are due and that no row refers to. Returns how many drafts were due. */
      const collectBlobs = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const due = yield* drafts.claim(BLOBS_AT_ONCE, now, now + BLOBS_AGAIN_AFTER)
        if (due.length === 0) return 0
        yield* blobs.remove(yield* drafts.unnamedAmong(due))
        yield* drafts.remove(due)
        return due.length
      })

      const collectAll = Effect.repeat(collectBlobs, { until: (collected) => collected < BLOBS_AT_ONCE })

      /** A loop each: an outage of the blob store does not stop the recovery of sends. */
      const looping = (work: Effect.Effect<unknown>) =>
        supervisor.loop(Effect.zipRight(work, Effect.sleep(POLL)))

      return {
        drain: Effect.zipRight(sends.recoverStale, collectAll),
        run: Effect.zipRight(Effect.fork(looping(sends.recoverStale)), looping(collectAll)),
      }
    }),
  )
}
