/**
 * Runs the deliver stage on three tracks, loops that claim batches from the inbound queue. `PROMPT` claims mail of the fast
 * lane whose turn has come: mail within its tenant's share. `BACKLOG` claims any mail of the fast lane: it wakes for mail
 * beyond the share of its tenant. `SLOW` claims mail of the slow lane, which is large or slow to parse. Each claims in the order
 * of turns, and from tenant after tenant while much mail waits. A flood or a hostile mail delays its own tenant only
 * (docs/decisions/0046).
 */
import {
  attemptsMaxAfter,
  type BatchLimits,
  type Instant,
  isFull,
  MINUTE,
  partsByTenant,
  SECOND,
} from "@mailroom/domain"
import { Clock, Context, Deferred, Effect, Layer, type Scope } from "effect"
import { makeClaim } from "../workers/leasing.js"
import { isPatient } from "../ports/patience.js"
import { Signals } from "../ports/Signals.js"
import { type ClaimTerms, RawMailStore } from "../ports/stores/RawMailStore.js"
import { type ActiveBatch, makeActiveBatches } from "./activeBatches.js"
import { BatchDelivery, type ClaimedBatch, PAUSE_AFTER_FAILURE } from "./BatchDelivery.js"
import { MailLoad } from "./MailLoad.js"
import { MailReader } from "./MailReader.js"
import { drainRounds, makeSupervisor } from "../workers/supervisor.js"
import { BACKLOG, BESIDE_OTHERS, PROMPT, SLOW, type Track } from "./tracks.js"

const LEASE = 2 * MINUTE
/** Milliseconds until the queue is claimed from without a signal. */
const POLL = 5 * SECOND

const tenantsOf = (mails: ClaimedBatch["mails"]): ReadonlyArray<string> => [
  ...new Set(mails.map(({ tenant }) => tenant)),
]

export class DeliveryWorker extends Context.Tag("@mailroom/DeliveryWorker")<
  DeliveryWorker,
  {
    /** Delivers all mail in the queue, and returns the number of mails. */
    readonly drain: Effect.Effect<number>
    readonly run: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.scoped(
    DeliveryWorker,
    Effect.gen(function* () {
      const rawMails = yield* RawMailStore
      const batches = yield* BatchDelivery
      const reader = yield* MailReader
      const signals = yield* Signals
      const mailLoad = yield* MailLoad

      const supervisor = makeSupervisor("delivery")
      const leased = yield* makeClaim({
        lease: LEASE,
        abandon: rawMails.abandonClaim,
        topics: [PROMPT.topic, BACKLOG.topic, SLOW.topic],
      })

      /** `throughNow`: only mail whose turn has come. */
      const claim = (
        terms: Pick<ClaimTerms, "lane" | "limits" | "except" | "attemptsMax">,
        throughNow: boolean,
      ) =>
        leased((now, leaseUntil) => {
          const through = throughNow ? now : Number.MAX_SAFE_INTEGER
          return Effect.map(
            rawMails.claim({ ...terms, through, now, leaseUntil }),
            (mails): ClaimedBatch => ({ lane: terms.lane, mails, leaseUntil }),
          )
        })

      const run = Effect.gen(function* () {
        const batchScope = yield* Effect.scope
        const active = makeActiveBatches()
        /** The tenants of the last batch of `BACKLOG`. */
        let backlogTenants: ReadonlySet<string> = new Set()
        /** When `PROMPT` last claimed mail of a tenant outside `backlogTenants`. */
        let othersSeenAt: Instant = 0
        /** The mails of that claim. */
        let othersSeen = 0
        const startedAt = yield* Clock.currentTimeNanos

        /** Whether `PROMPT` claimed mail of other tenants than those of the last batch of `BACKLOG` within a second. */
        const hasOthers = (now: Instant): boolean => now - othersSeenAt < SECOND

        const besideOthers = (): BatchLimits => ({
          ...BESIDE_OTHERS,
          mails: Math.max(BESIDE_OTHERS.mails, othersSeen),
        })

        /**
         * The limits of a track's next batch, and the tenants whose mail it leaves in the queue. `PROMPT` leaves the mail of
         * tenants with an active batch of `BACKLOG`: it would wait until that batch is written, and delay the rest of its own
         * batch. `SLOW` takes one mail of a tenant at a time. `BACKLOG` leaves none.
         */
        const termsOf = (track: Track, now: Instant) => {
          if (track === BACKLOG)
            return { limits: hasOthers(now) ? besideOthers() : BACKLOG.limits, except: [] }
          return { limits: track.limits, except: active.excludeTenantsOf(track === PROMPT ? BACKLOG : SLOW) }
        }

        const take = Effect.fnUntraced(function* (track: Track) {
          const now = yield* Clock.currentTimeMillis
          const upFor = Number(((yield* Clock.currentTimeNanos) - startedAt) / 1_000_000n)
          const terms = { ...termsOf(track, now), attemptsMax: attemptsMaxAfter(upFor) }
          const batch = yield* claim({ lane: track.lane, ...terms }, track === PROMPT)
          const tenants = tenantsOf(batch.mails)
          if (track === BACKLOG && tenants.length > 0) backlogTenants = new Set(tenants)
          if (track === PROMPT && tenants.some((tenant) => !backlogTenants.has(tenant))) {
            othersSeenAt = now
            othersSeen = batch.mails.length
          }
          return { batch, isFullBatch: batch.mails.length > 0 && isFull(batch.mails, terms.limits) }
        })

        const settle = (batch: ActiveBatch) =>
          Effect.suspend(() => {
            active.remove(batch)
            return Effect.zipRight(
              Deferred.succeed(batch.settled, undefined),
              // Wakes the other track only if it excluded these tenants: a claim that finds nothing costs as much as one that
              // takes several mails.
              batch.isBlockingOthers
                ? signals.publish([batch.track === BACKLOG ? PROMPT.topic : SLOW.topic])
                : Effect.void,
            )
          })

        const runTrack = (track: Track): Effect.Effect<never, never, Scope.Scope> =>
          Effect.gen(function* () {
            const { wait } = yield* signals.subscribe(track.topic)
            const slots = yield* Effect.makeSemaphore(track.inFlight)
            let mayHaveMore = true
            let skipsYield = true
            let pausedUntil: Instant = 0
            let last: ActiveBatch | undefined

            /**
             * Returns at once if the last claim left mail. Otherwise it first waits until the last batch is settled, so that mail
             * gathers for one larger batch, and then for a signal, for 5 s at most.
             */
            const awaitMail = Effect.suspend(() => {
              if (mayHaveMore) return Effect.void
              const settled = last === undefined ? Effect.void : Deferred.await(last.settled)
              return Effect.zipRight(settled, Effect.timeoutOption(wait, POLL))
            })

            /**
             * Before a claim. `PROMPT` waits for `batchDelay`. `BACKLOG` yields to accepting; once it has yielded for 1.5 s, it
             * claims without yielding until a batch is not full. It does not yield after a suspect mail either, which is
             * claimed in a small batch.
             */
            const yieldFirst =
              track === PROMPT
                ? mailLoad.batchDelay
                : track === BACKLOG
                  ? Effect.suspend(() =>
                      skipsYield
                        ? Effect.void
                        : Effect.map(mailLoad.yieldToAccepting, (isStillBusy) => {
                            skipsYield = isStillBusy
                          }),
                    )
                  : Effect.void

            /** Wakes this track after its pause. No signal tells of mail that a failed batch released. */
            const wakeAgain = signals.publish([track.topic])

            const deliver = (
              activeBatch: ActiveBatch,
              earlier: ReadonlySet<ActiveBatch>,
              batch: ClaimedBatch,
              releaseSlots: Effect.Effect<void>,
            ) => {
              const ready = Effect.forEach(earlier, ({ settled }) => Deferred.await(settled), {
                discard: true,
              })
              // Runs before the end of `deliver` when only mail with slow lookups is left, otherwise at its end.
              const onWritten = Effect.zipRight(settle(activeBatch), releaseSlots).pipe(
                Effect.when(() => active.has(activeBatch)),
                Effect.asVoid,
              )
              const claimed = {
                mails: batch.mails.length,
                sizeBytes: batch.mails.reduce((sum, { workBytes }) => sum + workBytes, 0),
              }
              return supervisor
                .task(mailLoad.delivering(claimed, batches.deliver(batch, ready, onWritten)), {
                  track: track.topic,
                  mails: batch.mails.length,
                })
                .pipe(
                  Effect.catchAllCause((cause) =>
                    Effect.flatMap(Clock.currentTimeMillis, (now) => {
                      pausedUntil = now + PAUSE_AFTER_FAILURE
                      return Effect.zipRight(supervisor.failed(cause), wakeAgain)
                    }),
                  ),
                  Effect.ensuring(onWritten),
                )
            }

            const round = Effect.uninterruptibleMask((restore) =>
              Effect.gen(function* () {
                // While other tenants have mail, one backlog batch at a time: more would delay theirs.
                const isAlone = track === BACKLOG && hasOthers(yield* Clock.currentTimeMillis)
                const taken = isAlone ? track.inFlight : 1
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
                  const part = { ...batch, mails }
                  const settled = yield* Deferred.make<void>()
                  const { activeBatch, earlier } = active.add(track, tenantsOf(mails), settled)
                  const delivery = deliver(activeBatch, earlier, part, releaseSlots)
                  yield* Effect.forkIn(restore(Effect.locally(delivery, isPatient, isFlood)), batchScope)
                  last = activeBatch
                }
              }),
            )

            const sleepIfPaused = Effect.flatMap(Clock.currentTimeMillis, (now) =>
              Effect.when(Effect.sleep(pausedUntil - now), () => pausedUntil > now),
            )
            return yield* supervisor.loop(
              awaitMail.pipe(
                Effect.zipRight(sleepIfPaused),
                Effect.zipRight(yieldFirst),
                Effect.zipRight(round),
              ),
              wakeAgain,
            )
          })

        // Starts the threads of the parser before the first mail arrives.
        yield* Effect.forkScoped(reader.warmUp)
        return yield* Effect.all([runTrack(PROMPT), runTrack(BACKLOG), runTrack(SLOW)], {
          concurrency: "unbounded",
          discard: true,
        })
      }).pipe(Effect.scoped, Effect.zipRight(Effect.never))

      const deliverSome = Effect.fnUntraced(function* (track: Track) {
        const batch = yield* claim({ ...track, except: [] }, false)
        if (batch.mails.length > 0) yield* batches.deliver(batch, Effect.void, Effect.void)
        return batch.mails.length
      })
      const drain = drainRounds(
        Effect.flatMap(deliverSome(BACKLOG), (fast) => (fast > 0 ? Effect.succeed(fast) : deliverSome(SLOW))),
      )

      return { run, drain }
    }),
  )
}
