/**
 * The requests of one account that wait for a message in this process. A commit wakes all of them, and they share one look
 * into the event log: two statements, however many wait (docs/decisions/0062).
 */
import {
  type AccountId,
  type MailboxId,
  matchesWaitFilter,
  type ThreadId,
  type WaitFilter,
} from "@mailroom/domain"
import { Deferred, Effect, FiberId } from "effect"
import type { Arrival, ArrivalStore, MatchedMessage } from "../ports/stores/ArrivalStore.js"
import type { ThreadStore } from "../ports/stores/ThreadStore.js"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"

/** Events that one look reads at most. */
export const LOOK_MAX_EVENTS = 100

/** The messages that a request waits for. */
export interface Wanted {
  /** null: in any mailbox */
  readonly mailboxes: ReadonlySet<MailboxId> | null
  readonly filter: WaitFilter
}

/** Whether a message is wanted. `threads` maps threads that were merged into another to that other thread. */
const isWanted = (
  { mailboxes, filter }: Wanted,
  message: MatchedMessage,
  threads: ReadonlyMap<ThreadId, ThreadId>,
): boolean => {
  if (mailboxes !== null && !mailboxes.has(message.mailboxId)) return false
  if (filter.threadId === null) return matchesWaitFilter(filter, message)
  const current = (id: ThreadId): ThreadId => threads.get(id) ?? id
  return matchesWaitFilter(
    { ...filter, threadId: current(filter.threadId) },
    { ...message, threadId: current(message.threadId) },
  )
}

/** Events that were read once, for any number of requests. */
interface Look {
  /** number of the last event that it read */
  readonly through: number
  readonly hasMore: boolean
  /** The first message after a position that is wanted. */
  readonly firstWanted: (wanted: Wanted, position: number) => Arrival | undefined
}

/** Reads up to `limit` events after a position, for requests with these filters. */
export const makeLook =
  (store: ArrivalStore["Type"], threadStore: ThreadStore["Type"]) =>
  (
    accountId: AccountId,
    after: number,
    filters: ReadonlyArray<WaitFilter>,
    limit = LOOK_MAX_EVENTS,
  ): Effect.Effect<Look> =>
    Effect.gen(function* () {
      const { arrivals, through, hasMore } = yield* store.page(accountId, after, limit)
      const threadIds = filters.flatMap(({ threadId }) => threadId ?? [])
      // Those of the messages, too: a thread may have been merged since they were read.
      const threads =
        arrivals.length === 0 || threadIds.length === 0
          ? new Map<ThreadId, ThreadId>()
          : yield* threadStore.currentIds([...threadIds, ...arrivals.map(({ message }) => message.threadId)])
      return {
        through,
        hasMore,
        firstWanted: (wanted, position) =>
          arrivals.find(({ seq, message }) => seq > position && isWanted(wanted, message, threads)),
      }
    })

export type LookAt = ReturnType<typeof makeLook>

/** How far a request has read the log: the number of an event. */
export interface Progress {
  position: number
}

/** A request that waits. */
interface Waiter {
  readonly wanted: Wanted
  readonly progress: Progress
  readonly found: Deferred.Deferred<Arrival>
}

export class AccountArrivals {
  /** how many signals have come */
  signals = 0
  private readonly waiters = new Set<Waiter>()
  private readonly mayHaveMore = Effect.unsafeMakeLatch(false)

  constructor(
    private readonly accountId: AccountId,
    private readonly lookAt: LookAt,
    /** called when the number of waiting requests changes */
    private readonly onWaiters: () => void,
  ) {}

  /** The oldest position of a waiting request; infinite when none waits. */
  get position(): number {
    return [...this.waiters].reduce((oldest, { progress }) => Math.min(oldest, progress.position), Infinity)
  }

  /** There may be new events. */
  wake(): void {
    this.signals += 1
    this.mayHaveMore.unsafeOpen()
  }

  /**
   * Waits for a message after the position to which a request has read the log; updates it while no event is wanted.
   * `signals`: how many had come before that read, which may have missed the events of later ones.
   */
  await(wanted: Wanted, progress: Progress, signals: number): Effect.Effect<Arrival> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        const waiter: Waiter = { wanted, progress, found: Deferred.unsafeMake(FiberId.none) }
        this.waiters.add(waiter)
        this.onWaiters()
        if (this.signals !== signals) this.mayHaveMore.unsafeOpen()
        return waiter
      }),
      ({ found }) => Deferred.await(found),
      (waiter) =>
        Effect.sync(() => {
          this.waiters.delete(waiter)
          this.onWaiters()
        }),
    )
  }

  /** Looks into the log after each signal while requests wait. Runs until it is interrupted. */
  get run(): Effect.Effect<never> {
    return this.mayHaveMore.await.pipe(
      Effect.zipRight(Effect.suspend(() => this.look())),
      Effect.catchAllCause((cause) =>
        Effect.logError("Looking for messages that are waited for failed", cause),
      ),
      Effect.forever,
    )
  }

  private look(): Effect.Effect<void> {
    this.mayHaveMore.unsafeClose()
    const known = new Set(this.waiters)
    if (known.size === 0) return Effect.void
    const filters = [...known].map(({ wanted }) => wanted.filter)
    return Effect.map(retryWhileUnavailable(this.lookAt(this.accountId, this.position, filters)), (look) => {
      if (look.hasMore) this.mayHaveMore.unsafeOpen()
      for (const waiter of this.waiters)
        if (known.has(waiter)) this.show(look, waiter)
        // It came during the look, which knows neither its filter nor its position.
        else this.mayHaveMore.unsafeOpen()
    })
  }

  /** Gives a waiter its message, if the look has found one. */
  private show({ through, firstWanted }: Look, waiter: Waiter): void {
    const { wanted, progress, found } = waiter
    const arrival = firstWanted(wanted, progress.position)
    // The position of a waiter that gets a message stays before it, in case its time is over before it takes the message.
    if (arrival === undefined) progress.position = Math.max(progress.position, through)
    else {
      this.waiters.delete(waiter)
      Deferred.unsafeDone(found, Effect.succeed(arrival))
    }
  }
}
