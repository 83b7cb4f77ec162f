/**
 * Runs the deliver stage on three tracks, loops that claim batches from the inbound queue. `PROMPT` claims mail of the fast
 * lane whose turn has come: mail within its tenant's share. `BACKLOG` claims any mail of the fast lane: it wakes for mail
 * beyond the share of its tenant. `SLOW` claims mail of the slow lane, which is large or slow to parse. Each claims in the order
 * of turns, and from tenant after tenant while much mail waits. A flood or a hostile mail delays its own tenant only
 * (docs/decisions/0046).
 */
import { attemptsMaxAfter, isFull, MINUTE } from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import type { Signals } from "../ports/Signals.js"
import { type ClaimTerms, RawMailStore } from "../ports/stores/RawMailStore.js"
import { makeClaim } from "../workers/leasing.js"
import { drainRounds, makeSupervisor } from "../workers/supervisor.js"
import { makeActiveBatches } from "./activeBatches.js"
import { BatchDelivery, type ClaimedBatch } from "./BatchDelivery.js"
import { makeTrackClaimTerms } from "./claimTerms.js"
import type { MailLoad } from "./MailLoad.js"
import { MailReader } from "./MailReader.js"
import { makeTrackLoop, tenantsOf } from "./trackLoop.js"
import { BACKLOG, PROMPT, SLOW, type Track } from "./tracks.js"

const LEASE = 2 * MINUTE

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
      const services = yield* Effect.context<BatchDelivery | MailLoad | Signals>()

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
        const active = makeActiveBatches()
        const claimTerms = makeTrackClaimTerms(active)
        const startedAt = yield* Clock.currentTimeNanos

        const take = Effect.fnUntraced(function* (track: Track) {
          const now = yield* Clock.currentTimeMillis
          const upFor = Number(((yield* Clock.currentTimeNanos) - startedAt) / 1_000_000n)
          const terms = { ...claimTerms.next(track, now), attemptsMax: attemptsMaxAfter(upFor) }
          const batch = yield* claim(terms, track === PROMPT)
          claimTerms.record(track, tenantsOf(batch.mails), batch.mails.length, now)
          return { batch, isFullBatch: batch.mails.length > 0 && isFull(batch.mails, terms.limits) }
        })

        const trackLoop = yield* makeTrackLoop({
          supervisor,
          active,
          take,
          hasOthers: claimTerms.hasOthers,
        })
        // Starts the threads of the parser before the first mail arrives.
        yield* Effect.forkScoped(reader.warmUp)
        return yield* Effect.all([PROMPT, BACKLOG, SLOW].map(trackLoop), {
          concurrency: "unbounded",
          discard: true,
        })
      }).pipe(Effect.scoped, Effect.zipRight(Effect.never), Effect.provide(services))

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
