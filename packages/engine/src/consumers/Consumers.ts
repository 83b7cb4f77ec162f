/**
 * Consumers: programs in the same process that handle the events of an account (docs/decisions/0071). How far a consumer has
 * read the log is stored, so that it handles what came while no process of it ran. A lease gives each event to one process at
 * a time, and the event is removed when its handler has succeeded.
 */
import {
  CONSUMER_ATTEMPTS_MAX,
  ConsumerName,
  type EventFilter,
  type EventRecord,
  type Instant,
  InvalidInput,
  type MailEvent,
  MINUTE,
  nextConsumerAttempt,
  type NotFound,
  type ParkedEvent,
  type Principal,
  SECOND,
  type TakenEvent,
} from "@mailroom/domain"
import { Array, Cause, Clock, Context, Effect, Exit, Layer, Option, Random, Schedule, Schema } from "effect"
import { lockAccount } from "../accounts/lockAccount.js"
import type { Messages } from "../messages/Messages.js"
import { Signals } from "../ports/Signals.js"
import { isStorageAway } from "../ports/StorageFailure.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { type ConsumerKey, ConsumerStore, type EventLease } from "../ports/stores/ConsumerStore.js"
import { EventStore } from "../ports/stores/EventStore.js"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { makeClaim } from "../workers/leasing.js"
import { makeSupervisor } from "../workers/supervisor.js"
import { makeMailEvents } from "./mailEvents.js"

/** A lease is extended three times before it ends, as long as its handler runs. */
const LEASE = 2 * MINUTE
const RENEW_EVERY = LEASE / 4
/** Finds events whose signal was lost. */
const POLL = 15 * SECOND
/** Milliseconds after which an event is handled again whose handler ended because the storage is away. */
const AGAIN_AFTER_OUTAGE = 1 * SECOND
/** For an event that this process gives back because it ends. */
const AT_ONCE: Instant = 0
/** Rows of one page of parked events, and of one transaction that retries them. */
const PARKED_MAX = 100
/** Characters of a stored error. */
const ERROR_MAX_LENGTH = 1000
/** The error of an event that is parked because no attempt came to its end. */
const PROCESS_ENDED = "The process ended during each attempt"

export interface ConsumerOptions {
  /** tells the consumers of the account apart: 1 to 64 of `A-Z a-z 0-9 . _ -` */
  readonly name: string
  /** events of other mailboxes and kinds are passed over */
  readonly filter: EventFilter
  /** where a consumer that is new to the account starts: with the next event, or with the oldest in the log */
  readonly from: "now" | "start"
  /** events that this process handles at a time, at least 1; with 1 in their order, except those that are tried again */
  readonly concurrency: number
}

/** An event that a handler gets. */
export interface HandledEvent {
  readonly event: MailEvent
  /** 1 for the first attempt */
  readonly attempt: number
}

export type EventHandler<E, R> = (handled: HandledEvent) => Effect.Effect<unknown, E, R>

/**
 * A handler may end by an interruption of its own, as one that takes from a queue that was shut down. That is a failure of the
 * handler. When the consumer is interrupted, this is not reached.
 */
const asFailure = <A, E, R>(handler: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchAllCause(handler, (cause) =>
    Cause.isInterruptedOnly(cause)
      ? Effect.dieMessage("the handler ended by an interruption of its own")
      : Effect.failCause(cause),
  )

/** A leased event of the log. */
interface ClaimedEvent {
  readonly lease: EventLease
  /** none: the log has removed it, and nothing is left to handle */
  readonly record: Option.Option<EventRecord>
}

export class Consumers extends Context.Tag("@mailroom/Consumers")<
  Consumers,
  {
    /**
     * Hands the events of the account to `handler` until it is interrupted, each at least once. A handler that fails gets its
     * event again after a pause, ten times over some eight hours; then the event is parked. A handler may take as long as it
     * needs. When this is interrupted or its process dies, the event is handed out again at once. `InvalidInput` for a bad name;
     * `NotFound` for an account that was deleted.
     */
    readonly consume: <E, R>(
      principal: Principal,
      options: ConsumerOptions,
      handler: EventHandler<E, R>,
    ) => Effect.Effect<never, InvalidInput | NotFound, R>
    /** Handles what is due now, one event after the other, and returns how many. For tests. */
    readonly drain: <E, R>(
      principal: Principal,
      options: Omit<ConsumerOptions, "concurrency">,
      handler: EventHandler<E, R>,
    ) => Effect.Effect<number, InvalidInput | NotFound, R>
    /** Up to 100 parked events, the oldest first. */
    readonly parked: (principal: Principal, name: string) => Effect.Effect<ReadonlyArray<ParkedEvent>>
    /** Tries all parked events again, with all attempts, and returns how many they are. */
    readonly retryParked: (principal: Principal, name: string) => Effect.Effect<number>
  }
>() {
  static readonly layer: Layer.Layer<
    Consumers,
    never,
    AccountStore | ConsumerStore | EventStore | Messages | Signals | UnitOfWork
  > = Layer.scoped(
    Consumers,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const store = yield* ConsumerStore
      const events = yield* EventStore
      const signals = yield* Signals
      const { commit } = yield* UnitOfWork
      const mailEvents = yield* makeMailEvents
      const claimUnder = yield* makeClaim({ lease: LEASE, abandon: store.abandonClaim, topics: [] })
      const supervisor = makeSupervisor("consumers")

      const keyOf = ({ account }: Principal, name: string): ConsumerKey => ({ accountId: account.id, name })

      const start = Effect.fnUntraced(function* (principal: Principal, name: string, from: "now" | "start") {
        if (!Schema.is(ConsumerName)(name))
          return yield* new InvalidInput({
            issues: [{ path: "name", message: "must be 1 to 64 of A-Z a-z 0-9 . _ -" }],
          })
        const key = keyOf(principal, name)
        yield* commit(
          Effect.gen(function* () {
            yield* lockAccount(accounts, key.accountId)
            const readSeq = from === "start" ? 0 : yield* events.lastSeq(key.accountId)
            yield* store.add(key, readSeq, yield* Clock.currentTimeMillis)
          }),
        )
        return key
      })

      /** Events of earlier attempts, whose rows are there already. */
      const again = (key: ConsumerKey, taken: ReadonlyArray<TakenEvent>) =>
        Effect.forEach(taken, ({ seq, attempts }) =>
          Effect.map(events.bySeq(key.accountId, seq), (record): ClaimedEvent => ({
            lease: { ...key, seq, attempt: attempts },
            record,
          })),
        )

      /** Leases up to `limit` events that were tried before and are due. */
      const claimDue = (key: ConsumerKey, limit: number, now: Instant, leaseUntil: Instant) =>
        limit === 0
          ? Effect.succeed([])
          : Effect.gen(function* () {
              const taken = yield* store.takeDue(key, limit, now, leaseUntil)
              const [left, spent] = Array.partition(taken, ({ attempts }) => attempts > CONSUMER_ATTEMPTS_MAX)
              for (const { seq, attempts } of spent) {
                yield* Effect.logWarning(
                  `The consumer ${key.name} has lost its process with event ${seq} again: it is parked`,
                )
                yield* store.fail({ ...key, seq, attempt: attempts }, PROCESS_ENDED, null, now)
              }
              return yield* again(key, left)
            })

      /** Leases up to `limit` new events of the log. `hasMore`: more may be there. */
      const claimNew = Effect.fnUntraced(function* (
        key: ConsumerKey,
        filter: EventFilter,
        readSeq: number,
        limit: number,
        leaseUntil: Instant,
      ) {
        if (limit === 0) return { claimed: [], hasMore: true }
        const page = yield* events.page(key.accountId, { after: readSeq, filter, limit })
        const seqs = page.events.map(({ seq }) => seq)
        if (page.through !== null) {
          yield* store.setRead(key, page.through.seq)
          yield* store.take(key, seqs, leaseUntil)
        }
        const claimed = page.events.map((record): ClaimedEvent => ({
          lease: { ...key, seq: record.seq, attempt: 1 },
          record: Option.some(record),
        }))
        return { claimed, hasMore: page.hasMore }
      })

      /**
       * Leases up to `limit` events. New events and those that are tried again take turns to be first, so that neither waits for
       * the end of the other.
       */
      const claim = (key: ConsumerKey, filter: EventFilter, limit: number, first: "new" | "due") =>
        claimUnder((now, leaseUntil) =>
          commit(
            Effect.gen(function* () {
              const readSeq = yield* store.lock(key)
              if (Option.isNone(readSeq)) return { claimed: [], hasMore: false }
              const early = first === "due" ? yield* claimDue(key, limit, now, leaseUntil) : []
              const fresh = yield* claimNew(key, filter, readSeq.value, limit - early.length, leaseUntil)
              const room = limit - early.length - fresh.claimed.length
              const late = first === "new" ? yield* claimDue(key, room, now, leaseUntil) : []
              return { claimed: [...early, ...fresh.claimed, ...late], hasMore: fresh.hasMore }
            }),
          ),
        )

      /** Extends the lease until it is interrupted. Ends when this process has lost the lease. */
      const keepLease = (lease: EventLease) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          retryWhileUnavailable(store.renew(lease, now + LEASE)),
        ).pipe(Effect.repeat({ schedule: Schedule.spaced(RENEW_EVERY), while: (isHeld) => isHeld }))

      const settle = (lease: EventLease, exit: Exit.Exit<"handled" | "lost", unknown>) =>
        Effect.gen(function* () {
          if (Exit.isSuccess(exit))
            // The process that has the event now settles it.
            return exit.value === "lost"
              ? undefined
              : yield* retryWhileUnavailable(store.complete(lease, lease.seq))
          const { cause } = exit
          const release = (dueAt: Instant) => Effect.ignore(Effect.sandbox(store.releaseLease(lease, dueAt)))
          if (Cause.isInterruptedOnly(cause))
            return yield* Effect.zipRight(release(AT_ONCE), signals.publish([`events:${lease.accountId}`]))
          const now = yield* Clock.currentTimeMillis
          if (isStorageAway(cause)) {
            yield* Effect.logWarning(
              `The consumer ${lease.name} could not handle event ${lease.seq} while the storage is away: it will be handled again`,
              cause,
            )
            return yield* release(now + AGAIN_AFTER_OUTAGE)
          }
          const dueAt = nextConsumerAttempt(lease.attempt, now, yield* Random.next)
          const error = Cause.pretty(cause).slice(0, ERROR_MAX_LENGTH)
          yield* Effect.logWarning(
            dueAt === null
              ? `The consumer ${lease.name} could not handle event ${lease.seq}: it is parked`
              : `The consumer ${lease.name} could not handle event ${lease.seq}: it will be tried again`,
            cause,
          )
          yield* retryWhileUnavailable(store.fail(lease, error, dueAt, now))
        })

      /** Runs the handler while the lease is kept. The end of the event is stored also when this is interrupted. */
      const attempt = <E, R>(
        principal: Principal,
        handler: EventHandler<E, R>,
        { lease, record }: ClaimedEvent,
      ) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const handled = Effect.gen(function* () {
              const event = Option.isNone(record) ? Option.none() : yield* mailEvents(principal, record.value)
              if (Option.isSome(event))
                yield* asFailure(handler({ event: event.value, attempt: lease.attempt }))
            })
            const lost = Effect.zipRight(
              Effect.delay(keepLease(lease), RENEW_EVERY),
              Effect.logWarning(
                `The consumer ${lease.name} has lost event ${lease.seq} to another process, and stops handling it`,
              ),
            )
            const exit = yield* Effect.exit(
              restore(
                Effect.raceFirst(Effect.as(handled, "handled" as const), Effect.as(lost, "lost" as const)),
              ),
            )
            yield* settle(lease, exit)
          }),
        )

      /** Milliseconds until an event is due again, at most `POLL`. */
      const pause = (key: ConsumerKey) =>
        Effect.gen(function* () {
          const due = yield* store.nextDue(key)
          const now = yield* Clock.currentTimeMillis
          return Math.min(POLL, Math.max(1, Option.getOrElse(due, () => now + POLL) - now))
        })

      const consume = Effect.fn("Consumers.consume")(function* <E, R>(
        principal: Principal,
        { name, filter, from, concurrency }: ConsumerOptions,
        handler: EventHandler<E, R>,
      ) {
        const key = yield* retryWhileUnavailable(start(principal, name, from))
        return yield* Effect.scoped(
          Effect.gen(function* () {
            const arrivals = yield* signals.subscribe(`events:${key.accountId}`)
            const slotFree = Effect.unsafeMakeLatch(true)
            let free = concurrency
            let first: "new" | "due" = "due"
            const run = (claimed: ClaimedEvent) =>
              Effect.ensuring(
                attempt(principal, handler, claimed),
                Effect.sync(() => {
                  free += 1
                  slotFree.unsafeOpen()
                }),
              )
            const round = Effect.gen(function* () {
              if (free === 0) slotFree.unsafeClose()
              yield* slotFree.await
              const { claimed, hasMore } = yield* claim(key, filter, free, first)
              first = first === "due" ? "new" : "due"
              free -= claimed.length
              yield* Effect.forEach(claimed, (one) => Effect.forkScoped(run(one)), { discard: true })
              if (claimed.length === 0 && !hasMore)
                yield* Effect.raceFirst(arrivals.wait, Effect.flatMap(pause(key), Effect.sleep))
            })
            return yield* supervisor.loop(round)
          }),
        )
      })

      const drain = Effect.fn("Consumers.drain")(function* <E, R>(
        principal: Principal,
        { name, filter, from }: Omit<ConsumerOptions, "concurrency">,
        handler: EventHandler<E, R>,
      ) {
        const key = yield* start(principal, name, from)
        let handled = 0
        for (;;) {
          const { claimed, hasMore } = yield* claim(key, filter, 1, "due")
          yield* Effect.forEach(claimed, (one) => attempt(principal, handler, one), { discard: true })
          handled += claimed.length
          if (claimed.length === 0 && !hasMore) return handled
        }
      })

      return Consumers.of({
        consume,
        drain,
        parked: (principal, name) => store.parked(keyOf(principal, name), PARKED_MAX),
        retryParked: Effect.fn("Consumers.retryParked")(function* (principal, name) {
          const key = keyOf(principal, name)
          let retried = 0
          for (;;) {
            const some = yield* store.retryParked(key, yield* Clock.currentTimeMillis, PARKED_MAX)
            retried += some
            if (some < PARKED_MAX) break
          }
          yield* signals.publish([`events:${key.accountId}`])
          return retried
        }),
      })
    }),
  )
}
