/**
 * Keeps the deliver stage running, on three tracks that share the queue: `prompt` for mail within its tenant's share,
 * `backlog` for mail beyond it, `slow` for mail that is large or slow to parse. A flood or a hostile mail so holds up
 * its own tenant and nobody else (docs/decisions/0046).
 */
import { type BatchLimits, type Instant, isFull, type Lane, MINUTE, SECOND } from "@mailroom/domain"
import { Clock, Context, Deferred, Effect, Layer, type Scope } from "effect"
import { makeClaim } from "../workers/leasing.js"
import { type MailTopic, Signals } from "../ports/Signals.js"
import { type ClaimTerms, RawMailStore } from "../ports/stores/RawMailStore.js"
import { BatchDelivery, type ClaimedBatch, PAUSE_AFTER_FAILURE } from "./BatchDelivery.js"
import { AcceptRate } from "./AcceptRate.js"
import { MailReader } from "./MailReader.js"
import { drainRounds, makeSupervisor } from "../workers/supervisor.js"

const LEASE = 2 * MINUTE
/** How often the queue is looked at when no signal comes. */
const POLL = 5 * SECOND

interface Track {
  readonly topic: MailTopic
  readonly lane: Lane
  readonly limits: BatchLimits
  /** batches being read or written at a time */
  readonly inFlight: number
}

const MEGABYTE = 1024 * 1024

const PROMPT: Track = {
  topic: "mail",
  lane: "fast",
  limits: { mails: 64, bytes: 4 * MEGABYTE },
  inFlight: 2,
}
/** While one batch is written, three are read. */
const BACKLOG: Track = {
  topic: "mail-backlog",
  lane: "fast",
  limits: { mails: 128, bytes: 4 * MEGABYTE },
  inFlight: 4,
}
/** A batch of a backlog while other tenants have mail too: they wait for one batch at most. */
const BESIDE_OTHERS: BatchLimits = { mails: 32, bytes: 1 * MEGABYTE }
const SLOW: Track = { topic: "mail-slow", lane: "slow", limits: { mails: 1, bytes: 0 }, inFlight: 2 }

/** A batch in flight. */
interface Flight {
  readonly tenants: ReadonlyArray<string>
  readonly track: Track
  readonly written: Deferred.Deferred<void>
}

export class DeliveryWorker extends Context.Tag("@mailroom/DeliveryWorker")<
  DeliveryWorker,
  {
    /** Delivers what is in the queue now, and returns how many mails that were. */
    readonly drain: Effect.Effect<number>
    /** Delivers for ever. */
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
      const acceptRate = yield* AcceptRate

      const supervisor = makeSupervisor("delivery")
      const leased = yield* makeClaim({
        lease: LEASE,
        abandon: rawMails.abandonClaim,
        topics: [PROMPT.topic, BACKLOG.topic, SLOW.topic],
      })

      const claim = (terms: Pick<ClaimTerms, "lane" | "limits" | "except">, throughNow: boolean) =>
        leased((now, leaseUntil) => {
          const through = throughNow ? now : Number.MAX_SAFE_INTEGER
          return Effect.map(
            rawMails.claim({ ...terms, through, now, leaseUntil }),
            (mails): ClaimedBatch => ({ lane: terms.lane, mails, leaseUntil }),
          )
        })

      const run = Effect.gen(function* () {
        const batchScope = yield* Effect.scope
        const inFlight = new Set<Flight>()
        /** the last batch of each tenant that is not written yet */
        const lastOf = new Map<string, Flight>()
        let othersSeenAt: Instant = 0

        const tenantsOn = (track: Track): ReadonlyArray<string> => [
          ...new Set(
            [...inFlight].filter((flight) => flight.track === track).flatMap(({ tenants }) => tenants),
          ),
        ]

        /** What a track leaves to batches in flight, and what it takes at most. */
        const termsOf = (track: Track, now: Instant) => {
          if (track === BACKLOG)
            return { limits: now - othersSeenAt < SECOND ? BESIDE_OTHERS : BACKLOG.limits, except: [] }
          // Mail of a tenant whose backlog is being written would wait for that, and others with it.
          return { limits: track.limits, except: tenantsOn(track === PROMPT ? BACKLOG : SLOW) }
        }

        const take = Effect.fnUntraced(function* (track: Track) {
          const now = yield* Clock.currentTimeMillis
          const terms = termsOf(track, now)
          const batch = yield* claim({ lane: track.lane, ...terms }, track === PROMPT)
          if (track === PROMPT && terms.except.length > 0 && batch.mails.length > 0) othersSeenAt = now
          return { batch, leftSome: batch.mails.length > 0 && isFull(batch.mails, terms.limits) }
        })

        /** Notes a batch that was claimed; and the batches it has to wait for. */
        const board = (track: Track, { mails }: ClaimedBatch, written: Deferred.Deferred<void>) => {
          const tenants = [...new Set(mails.map(({ tenant }) => tenant))]
          const flight: Flight = { tenants, track, written }
          const before = new Set(tenants.flatMap((tenant) => lastOf.get(tenant) ?? []))
          for (const tenant of tenants) lastOf.set(tenant, flight)
          inFlight.add(flight)
          return { flight, before }
        }

        const land = (flight: Flight) =>
          Effect.suspend(() => {
            inFlight.delete(flight)
            for (const tenant of flight.tenants) if (lastOf.get(tenant) === flight) lastOf.delete(tenant)
            return Effect.zipRight(
              Deferred.succeed(flight.written, undefined),
              // Mail of its tenants was left alone meanwhile.
              flight.track === PROMPT
                ? Effect.void
                : signals.publish([flight.track === BACKLOG ? "mail" : "mail-slow"]),
            )
          })

        const runTrack = (track: Track): Effect.Effect<never, never, Scope.Scope> =>
          Effect.gen(function* () {
            const { wait } = yield* signals.subscribe(track.topic)
            const places = yield* Effect.makeSemaphore(track.inFlight)
            let goOn = true
            let hurried = true
            let pausedUntil: Instant = 0
            let last: Flight | undefined

            /**
             * Waits until there may be more mail than the last batch took. Meanwhile that batch is written: two small
             * batches cost more than one of both.
             */
            const moreMail = Effect.suspend(() => {
              if (goOn) return Effect.void
              const written = last === undefined ? Effect.void : Deferred.await(last.written)
              return Effect.zipRight(written, Effect.timeoutOption(wait, POLL))
            })

            /** Waits before a claim for what goes first. */
            const giveWay =
              track === PROMPT
                ? acceptRate.breath
                : track === BACKLOG
                  ? Effect.suspend(() =>
                      hurried ? Effect.void : Effect.map(acceptRate.lull, (late) => void (hurried = late)),
                    )
                  : Effect.void

            /** Wakes this track after its pause: no signal tells of mail that a failed batch released. */
            const wakeAgain = signals.publish([track.topic])

            const deliver = (flight: Flight, before: ReadonlySet<Flight>, batch: ClaimedBatch) => {
              const ready = Effect.forEach(before, ({ written }) => Deferred.await(written), {
                discard: true,
              })
              // Then only slow senders are waited for: the place is free for the next batch.
              const leave = Effect.zipRight(land(flight), places.release(1)).pipe(
                Effect.when(() => inFlight.has(flight)),
                Effect.asVoid,
              )
              return supervisor
                .task(batches.deliver(batch, ready, leave), { track: track.topic, mails: batch.mails.length })
                .pipe(
                  Effect.catchAllCause((cause) =>
                    Effect.flatMap(Clock.currentTimeMillis, (now) => {
                      pausedUntil = now + PAUSE_AFTER_FAILURE
                      return Effect.zipRight(supervisor.failed(cause), wakeAgain)
                    }),
                  ),
                  Effect.ensuring(leave),
                )
            }

            const round = Effect.uninterruptibleMask((restore) =>
              Effect.gen(function* () {
                yield* restore(places.take(1))
                const { batch, leftSome } = yield* Effect.onError(take(track), () => places.release(1))
                const isSuspect = batch.mails.some(({ attempts }) => attempts > 1)
                goOn = leftSome || isSuspect
                hurried = isSuspect || (hurried && leftSome)
                if (batch.mails.length === 0) {
                  yield* places.release(1)
                  return
                }
                const { flight, before } = board(track, batch, yield* Deferred.make<void>())
                yield* Effect.forkIn(restore(deliver(flight, before, batch)), batchScope)
                last = flight
              }),
            )

            const sleepIfPaused = Effect.flatMap(Clock.currentTimeMillis, (now) =>
              Effect.when(Effect.sleep(pausedUntil - now), () => pausedUntil > now),
            )
            return yield* supervisor.loop(
              moreMail.pipe(Effect.zipRight(sleepIfPaused), Effect.zipRight(giveWay), Effect.zipRight(round)),
              wakeAgain,
            )
          })

        // The threads of the parser start now, not when the first mail waits for them.
        yield* Effect.forkScoped(reader.warmUp)
        return yield* Effect.all([runTrack(PROMPT), runTrack(BACKLOG), runTrack(SLOW)], {
          concurrency: "unbounded",
          discard: true,
        })
      }).pipe(Effect.scoped, Effect.zipRight(Effect.never))

      const drainLane = (track: Track): Effect.Effect<number> =>
        drainRounds(
          Effect.gen(function* () {
            const batch = yield* claim({ ...track, except: [] }, false)
            if (batch.mails.length > 0) yield* batches.deliver(batch, Effect.void, Effect.void)
            return batch.mails.length
          }),
        )
      const drain = Effect.zipWith(drainLane(BACKLOG), drainLane(SLOW), (fast, slow) => fast + slow)

      return { run, drain }
    }),
  )
}
