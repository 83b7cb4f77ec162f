/**
 * Runs drafts when they are due: scheduled sends, ends of reviews, and removals (docs/decisions/0066). The time is stored with
 * the draft, so that an outage only delays it. A lease makes sure that one process at a time runs a draft.
 */
import { SECOND } from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { isTemporary } from "../ports/StorageFailure.js"
import { DraftStore, type DueDraft } from "../ports/stores/DraftStore.js"
import { makeFairWorker, type FairWorker } from "../workers/fairWorker.js"
import { releaseLater } from "../workers/leasing.js"
import { makeSupervisor } from "../workers/supervisor.js"
import { DRAFT_LEASE } from "./DraftKeeper.js"
import { ScheduledSends } from "./ScheduledSends.js"

/** Drafts that a process runs at a time. A send holds its slot until the relay has answered. */
const DRAFTS_AT_ONCE = 16
const POLL = 5 * SECOND

export class DraftWorker extends Context.Tag("@mailroom/DraftWorker")<DraftWorker, FairWorker>() {
  static readonly layer = Layer.scoped(
    DraftWorker,
    Effect.gen(function* () {
      const drafts = yield* DraftStore
      const scheduled = yield* ScheduledSends

      const supervisor = makeSupervisor("drafts")

      const attempt = (due: DueDraft) =>
        supervisor.task(scheduled.run(due), { draft: due.id }).pipe(
          Effect.catchAllCause((cause) =>
            Effect.zipRight(
              supervisor.failed(cause),
              isTemporary(cause) ? releaseLater((at) => drafts.lease(due.id, at)) : Effect.void,
            ),
          ),
          Effect.catchAllCause((failure) =>
            Effect.logWarning("The draft stays leased for five minutes", failure),
          ),
          Effect.annotateLogs({ draft: due.id }),
        )

      return yield* makeFairWorker({
        supervisor,
        slots: DRAFTS_AT_ONCE,
        topic: null,
        idleFor: Effect.succeed(POLL),
        lease: DRAFT_LEASE,
        store: drafts,
        attempt,
      })
    }),
  )
}
