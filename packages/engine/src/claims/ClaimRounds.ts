/**
 * Requests that wait to claim a message. A change wakes all that wait in this process for the same kind of message; one
 * after the other looks, until one finds nothing. So a message that arrives costs two looks, however many workers wait
 * (docs/decisions/0062).
 */
import type { AccountId, Instant, MailboxId } from "@mailroom/domain"
import { Clock, Data, Deferred, Effect, Fiber, FiberId, Option, RcMap, type Scope } from "effect"
import type { Signals } from "../ports/Signals.js"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"
import { makeFallbackLook } from "../signals/fallbackLook.js"

/** Workers that want the same messages. */
interface Kind {
  readonly accountId: AccountId
  readonly mailboxId: MailboxId
  /** the same for equal filters */
  readonly filter: string
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
    return Effect.tap(look, (found) => (Option.isSome(found) ? Effect.void : this.rest(changes)))
  }

  /** After a look that found nothing: nobody looks again until there is a change, or the first lease ends. */
  private rest(changes: number): Effect.Effect<void> {
    // The alarm is for all that wait: it stands before a request that looked can be interrupted, and reads in the scope of the round.
    return Effect.uninterruptible(
      Effect.gen(this, function* () {
        this.emptyAt = changes
        if (this.alarm !== null) yield* Fiber.interruptFork(this.alarm)
        this.alarm = yield* Effect.forkIn(Effect.interruptible(this.wakeAtNextEnd), this.scope)
      }),
    )
  }

  private readonly wakeAtNextEnd = Effect.gen(this, function* () {
    const end = yield* retryWhileUnavailable(this.nextEnd)
    if (Option.isNone(end)) return
    const now = yield* Clock.currentTimeMillis
    yield* Effect.sleep(Math.max(0, end.value - now))
    this.wake()
  })
}

/** `nextEnd`: when the first lease of a mailbox ends. */
export const makeClaimRounds = (
  nextEnd: (mailboxId: MailboxId) => Effect.Effect<Option.Option<Instant>>,
  signals: Signals["Type"],
) =>
  Effect.gen(function* () {
    const rounds = new Set<Round>()
    const { setNeeded } = yield* makeFallbackLook(
      "free messages",
      Effect.sync(() => {
        for (const round of rounds) round.wake()
      }),
    )
    const shared = yield* RcMap.make({
      lookup: ({ accountId, mailboxId }: Kind) =>
        Effect.gen(function* () {
          const round = new Round(nextEnd(mailboxId), yield* Effect.scope)
          yield* signals.listen(`events:${accountId}`, () => round.wake())
          yield* signals.listen(`claims:${accountId}`, () => round.wake())
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
        Effect.scoped(Effect.flatMap(RcMap.get(shared, Data.struct(kind)), (round) => round.find(look))),
    }
  })
