/**
 * Runs drafts when they are due: scheduled sends, ends of reviews, and removals (docs/decisions/0066). The time is stored with
 * the draft, so that an outage only delays it. A lease makes sure that one process at a time runs a draft.
 */
import { type AccountId, MINUTE, SECOND } from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { DraftStore, type DueDraft } from "../ports/stores/DraftStore.js"
import { makeFairRound } from "../workers/fairRound.js"
import { makeClaim } from "../workers/leasing.js"
import { drainRounds, makeSupervisor } from "../workers/supervisor.js"
import { ScheduledSends } from "./ScheduledSends.js"

/** Drafts that a process runs at a time. A send holds its slot until the relay has answered. */
const DRAFTS_AT_ONCE = 16
/** Drafts of one account that a process runs at a time. */
const DRAFTS_OF_ACCOUNT_AT_ONCE = 2
/** Longer than most sends. A draft that is sent is gone, so a lease that ends too early sends nothing twice. */
const LEASE = 5 * MINUTE
const POLL = 5 * SECOND

export class DraftWorker extends Context.Tag("@mailroom/DraftWorker")<
  DraftWorker,
  {
    /** Runs the drafts that are due now, and returns when they have ended. */
    readonly drain: Effect.Effect<void>
    readonly run: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.scoped(
    DraftWorker,
    Effect.gen(function* () {
      const drafts = yield* DraftStore
      const scheduled = yield* ScheduledSends

      // No topics: this worker polls.
      const supervisor = makeSupervisor("drafts")
      const leased = yield* makeClaim({ lease: LEASE, abandon: drafts.abandonClaim, topics: [] })

      const claim = (limit: number, except: ReadonlyArray<AccountId>) =>
        leased((now, leaseUntil) => drafts.claim(limit, now, leaseUntil, except))

      /** After a failure the lease runs out, and the draft is claimed again. */
      const attempt = (due: DueDraft) =>
        supervisor
          .task(scheduled.run(due), { draft: due.id })
          .pipe(
            Effect.catchAllCause((cause) =>
              Effect.logWarning(`Draft ${due.id} was due and failed; it will be tried again`, cause),
            ),
          )

      const drain = drainRounds(
        Effect.gen(function* () {
          const claimed = yield* claim(DRAFTS_AT_ONCE, [])
          yield* Effect.forEach(claimed, attempt, { concurrency: DRAFTS_AT_ONCE, discard: true })
          return claimed.length
        }),
      )

      const run = makeFairRound({
        slots: DRAFTS_AT_ONCE,
        transactionsAtOnce: DRAFTS_OF_ACCOUNT_AT_ONCE,
        claim,
        run: attempt,
        wake: Effect.never,
        idleFor: Effect.succeed(POLL),
      }).pipe(Effect.flatMap(supervisor.loop), Effect.scoped)

      return { run, drain: Effect.asVoid(drain) }
    }),
  )
}
