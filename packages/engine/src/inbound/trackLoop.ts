/** The loop of a track: claims a batch when there may be mail, and delivers it beside the other batches of the track. */
import { type Instant, partsByTenant, SECOND } from "@mailroom/domain"
import { Clock, Deferred, Effect, type Scope } from "effect"
import { isPatient } from "../ports/patience.js"
import { Signals } from "../ports/Signals.js"
import { makeIdleWait } from "../workers/idleWait.js"
import type { Supervisor } from "../workers/supervisor.js"
import type { ActiveBatch, ActiveBatches } from "./activeBatches.js"
import { BatchDelivery, type ClaimedBatch, PAUSE_AFTER_FAILURE } from "./BatchDelivery.js"
import { MailLoad } from "./MailLoad.js"
import { BACKLOG, PROMPT, SLOW, type Track } from "./tracks.js"

/** Milliseconds until the queue is claimed from without a signal, at most (`makeIdleWait`). */
const POLL = 5 * SECOND

export interface TrackLoopTerms {
  readonly supervisor: Supervisor
  /** the batches of all tracks of the process */
  readonly active: ActiveBatches
  /** claims the next batch of a track */
  readonly take: (track: Track) => Effect.Effect<{
    readonly batch: ClaimedBatch
    readonly isFullBatch: boolean
  }>
  /** whether tenants outside the backlog have mail */
  readonly hasOthers: (now: Instant) => boolean
}

export const tenantsOf = (mails: ClaimedBatch["mails"]): ReadonlyArray<string> => [
  ...new Set(mails.map(({ tenant }) => tenant)),
]

/** Batches run in the scope of this effect: they outlive a loop that failed and starts again. */
export const makeTrackLoop = Effect.fnUntraced(function* ({
  supervisor,
  active,
  take,
  hasOthers,
}: TrackLoopTerms) {
  const batches = yield* BatchDelivery
  const signals = yield* Signals
  const mailLoad = yield* MailLoad
  const batchScope = yield* Effect.scope

  const settle = (batch: ActiveBatch) =>
    Effect.suspend(() => {
      active.remove(batch)
      return Effect.zipRight(
        Deferred.succeed(batch.settled, undefined),
        // Wakes the track that excludes the tenants of this one (`SLOW` excludes its own) only if it did: a claim that
        // finds nothing costs as much as one that takes several mails.
        batch.wasExcluded
          ? signals.publish([batch.track === BACKLOG ? PROMPT.topic : SLOW.topic])
          : Effect.void,
      )
    })

  /** Delivers an active batch after the earlier ones of its tenants are written. `onFailure` receives the time of a failure. */
  const deliver = (
    activeBatch: ActiveBatch,
    earlier: ReadonlySet<ActiveBatch>,
    batch: ClaimedBatch,
    releaseSlots: Effect.Effect<void>,
    onFailure: (now: Instant) => Effect.Effect<void>,
  ) => {
    const ready = Effect.forEach(earlier, ({ settled }) => Deferred.await(settled), { discard: true })
    // Runs before the end of `deliver` when only mail with slow lookups is left, otherwise at its end.
    const onWritten = Effect.zipRight(settle(activeBatch), releaseSlots).pipe(
      Effect.when(() => active.has(activeBatch)),
      Effect.asVoid,
    )
    const mails = batch.mails.length
    const claimed = { mails, sizeBytes: batch.mails.reduce((sum, { workBytes }) => sum + workBytes, 0) }
    return supervisor
      .task(mailLoad.delivering(claimed, batches.deliver(batch, ready, onWritten)), {
        track: activeBatch.track.topic,
        mails,
      })
      .pipe(
        Effect.catchAllCause((cause) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Effect.zipRight(supervisor.failed(cause), onFailure(now)),
          ),
        ),
        Effect.ensuring(onWritten),
      )
  }

  return (track: Track): Effect.Effect<never, never, Scope.Scope> =>
    Effect.gen(function* () {
      const { wait } = yield* signals.subscribe(track.topic)
      const slots = yield* Effect.makeSemaphore(track.inFlight)
      const idleWait = makeIdleWait()
      let mayHaveMore = true
      let skipsYield = true
      let pausedUntil: Instant = 0
      let last: ActiveBatch | undefined

      /**
       * Returns at once if the last claim left mail. Otherwise it first waits until the last batch is settled, so that mail
       * gathers for one larger batch, and then for more mail.
       */
      const awaitMail = Effect.suspend(() => {
        if (mayHaveMore) return Effect.void
        const settled = last === undefined ? Effect.void : Deferred.await(last.settled)
        return Effect.zipRight(settled, idleWait(wait, POLL))
      })

      const sleepIfPaused = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.when(Effect.sleep(pausedUntil - now), () => pausedUntil > now),
      )

      /**
       * Before a claim. `PROMPT` waits for `batchDelay`. `BACKLOG` yields to accepting; once it has yielded for 1.5 s, it
       * claims without yielding until a batch is not full. It does not yield after a suspect mail either, which is
       * claimed in a small batch.
       */
      const yieldFirst = Effect.suspend(() => {
        if (track === PROMPT) return mailLoad.batchDelay
        if (track !== BACKLOG || skipsYield) return Effect.void
        return Effect.map(mailLoad.yieldToAccepting, (isStillBusy) => {
          skipsYield = isStillBusy
        })
      })

      /** Wakes this track after its pause. No signal tells of mail that a failed batch released. */
      const wakeAgain = signals.publish([track.topic])
      const pause = (now: Instant) =>
        Effect.suspend(() => {
          pausedUntil = now + PAUSE_AFTER_FAILURE
          return wakeAgain
        })

      const round = Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          // While other tenants have mail, one backlog batch at a time: more would delay theirs.
          const takesAllSlots = track === BACKLOG && hasOthers(yield* Clock.currentTimeMillis)
          const taken = takesAllSlots ? track.inFlight : 1
          yield* restore(slots.take(taken))
          const { batch, isFullBatch } = yield* Effect.onError(take(track), () => slots.release(taken))
          const isSuspect = batch.mails.some(({ attempts }) => attempts > 1)
          mayHaveMore = isFullBatch || isSuspect
          skipsYield = isSuspect || (skipsYield && isFullBatch)
          if (batch.mails.length === 0) {
            yield* slots.release(taken)
            return
          }
          // The parts share the slots of the batch. `awaitMail` waits for the last part, which takes longest.
          const parts = partsByTenant(batch.mails)
          let unsettled = parts.length
          const releaseSlots = Effect.suspend(() => {
            unsettled -= 1
            return unsettled === 0 ? slots.release(taken) : Effect.void
          })
          for (const { mails, isFlood } of parts) {
            const settled = yield* Deferred.make<void>()
            const { activeBatch, earlier } = active.add(track, tenantsOf(mails), settled)
            const delivery = deliver(activeBatch, earlier, { ...batch, mails }, releaseSlots, pause)
            yield* Effect.forkIn(restore(Effect.locally(delivery, isPatient, isFlood)), batchScope)
            last = activeBatch
          }
        }),
      )

      return yield* supervisor.loop(
        awaitMail.pipe(Effect.zipRight(sleepIfPaused), Effect.zipRight(yieldFirst), Effect.zipRight(round)),
        wakeAgain,
      )
    })
})
