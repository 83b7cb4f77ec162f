/**
 * Requests that wait to claim a message. A change wakes all that wait in this process for the same kind of message; one
 * after the other looks, until one finds nothing. So a message that arrives costs two looks, however many workers wait
 * (docs/decisions/0062). A look for a kind with a filter reads all free messages, so only messages that match wake it.
 */
import type { AccountId, Instant, MailboxId, WaitFilter } from "@mailroom/domain"
import { Clock, Deferred, Effect, Equal, Fiber, FiberId, Hash, Option, RcMap, type Scope } from "effect"
import { Signals } from "../ports/Signals.js"
import { EventStore } from "../ports/stores/EventStore.js"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"
import { makeFallbackLook } from "../signals/fallbackLook.js"
import { Arrivals } from "../waiting/Arrivals.js"

/**
 * Milliseconds until a lease that has ended is looked at again. The look before has passed over its message: another process holds the
 * row.
 */
const ENDED_AGAIN = 100

/** Workers that want the same messages. Equal with the same mailbox and filter. */
export class Kind implements Equal.Equal {
  private readonly key: string

  constructor(
    readonly accountId: AccountId,
    readonly mailboxId: MailboxId,
    /** null: any message */
    readonly filter: WaitFilter | null,
  ) {
    this.key = JSON.stringify([accountId, mailboxId, filter])
  }

  [Equal.symbol](that: Equal.Equal): boolean {
    return that instanceof Kind && that.key === this.key
  }

  [Hash.symbol](): number {
    return Hash.string(this.key)
  }
}

/** How long a kind without waiting requests still listens to signals: a worker asks again when its work is done. */
const KEPT_FOR = "10 seconds"

/** The requests of one kind. */
class Round {
  /** how many changes have come, and how many when the last look found nothing */
  private changes = 0
  private emptyAt = -1
  private changed = Deferred.unsafeMake<void>(FiberId.none)
  private alarm: Fiber.Fiber<void> | null = null
  private readonly turn = Effect.unsafeMakeSemaphore(1)

  constructor(
    private readonly nextEnd: Effect.Effect<Option.Option<Instant>>,
    /** Runs before a look; what it returns ends when a message has arrived since that matches. */
    private readonly arrivalFromNow: Effect.Effect<Effect.Effect<void>>,
    private readonly scope: Scope.Scope,
  ) {}

  /** There may be a free message. */
  wake(): void {
    this.changes += 1
    Deferred.unsafeDone(this.changed, Effect.void)
    this.changed = Deferred.unsafeMake(FiberId.none)
  }

  /** Repeats `look` when there may be a free message, until it finds one. */
  find<A, E>(look: Effect.Effect<Option.Option<A>, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const { changed } = this
      return Effect.flatMap(
        this.turn.withPermits(1)(Effect.suspend(() => this.tried(look))),
        Option.match({
          onNone: () => Effect.zipRight(Deferred.await(changed), this.find(look)),
          onSome: (found) => Effect.succeed(found),
        }),
      )
    })
  }

  private tried<A, E>(look: Effect.Effect<Option.Option<A>, E>): Effect.Effect<Option.Option<A>, E> {
    const { changes } = this
    if (this.emptyAt === changes) return Effect.succeedNone
    return Effect.flatMap(this.arrivalFromNow, (arrival) =>
      Effect.tap(look, (found) => (Option.isSome(found) ? Effect.void : this.rest(changes, arrival))),
    )
  }

  /** After a look that found nothing: nobody looks again until there is a change, or the first lease ends. */
  private rest(changes: number, arrival: Effect.Effect<void>): Effect.Effect<void> {
    // The alarm is for all that wait: it stands before a request that looked can be interrupted, and reads in the scope of the round.
    return Effect.uninterruptible(
      Effect.gen(this, function* () {
        this.emptyAt = changes
        if (this.alarm !== null) yield* Fiber.interruptFork(this.alarm)
        const wakeAtArrival = Effect.zipRight(
          arrival,
          Effect.sync(() => this.wake()),
        )
        const alarm = Effect.zip(this.wakeAtNextEnd, wakeAtArrival, { concurrent: true })
        this.alarm = yield* Effect.forkIn(Effect.interruptible(Effect.asVoid(alarm)), this.scope)
      }),
    )
  }

  private readonly wakeAtNextEnd = Effect.gen(this, function* () {
    const end = yield* retryWhileUnavailable(this.nextEnd)
    if (Option.isNone(end)) return
    const now = yield* Clock.currentTimeMillis
    yield* Effect.sleep(end.value > now ? end.value - now : ENDED_AGAIN)
    this.wake()
  })
}

/** `nextEnd`: when the first lease of a mailbox ends. */
export const makeClaimRounds = (nextEnd: (mailboxId: MailboxId) => Effect.Effect<Option.Option<Instant>>) =>
  Effect.gen(function* () {
    const arrivals = yield* Arrivals
    const events = yield* EventStore
    const { listen } = yield* Signals
    const rounds = new Set<Round>()
    const { setNeeded } = yield* makeFallbackLook(
      "free messages",
      Effect.sync(() => {
        for (const round of rounds) round.wake()
      }),
    )

    /** The `arrivalFromNow` of a kind with a filter. */
    const matchingArrival = ({ accountId, mailboxId }: Kind, filter: WaitFilter) =>
      Effect.map(arrivals.ofAccount(accountId), (ofAccount) => {
        const wanted = {
          mailboxes: new Set([mailboxId]),
          filter: { ...filter, direction: "INBOUND" as const },
        }
        return Effect.suspend(() => {
          const { signals } = ofAccount
          return Effect.map(events.lastSeq(accountId), (position) =>
            Effect.asVoid(ofAccount.await(wanted, { position }, signals)),
          )
        })
      })

    const roundOf = (kind: Kind) =>
      Effect.gen(function* () {
        const { accountId, mailboxId, filter } = kind
        const scope = yield* Effect.scope
        if (filter !== null) return new Round(nextEnd(mailboxId), yield* matchingArrival(kind, filter), scope)
        const round = new Round(nextEnd(mailboxId), Effect.succeed(Effect.never), scope)
        yield* listen(`events:${accountId}`, () => round.wake())
        return round
      })

    const shared = yield* RcMap.make({
      lookup: (kind: Kind) =>
        Effect.gen(function* () {
          const round = yield* roundOf(kind)
          yield* listen(`claims:${kind.accountId}`, () => round.wake())
          yield* Effect.acquireRelease(
            Effect.sync(() => {
              rounds.add(round)
              setNeeded(true)
            }),
            () =>
              Effect.sync(() => {
                rounds.delete(round)
                setNeeded(rounds.size > 0)
              }),
          )
          return round
        }),
      idleTimeToLive: KEPT_FOR,
    })
    return {
      /** Repeats `look` when there may be a free message of this kind, until it finds one. */
      find: <A, E>(kind: Kind, look: Effect.Effect<Option.Option<A>, E>): Effect.Effect<A, E> =>
        Effect.scoped(Effect.flatMap(RcMap.get(shared, kind), (round) => round.find(look))),
    }
  })
