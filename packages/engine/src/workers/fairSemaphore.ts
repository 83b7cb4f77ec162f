/** A semaphore that groups of callers, such as accounts or networks, share: the groups that wait get permits in turn. */
import { Overloaded } from "@mailroom/domain"
import { Deferred, Effect, FiberId, type Scope } from "effect"

export interface FairSemaphoreTerms {
  readonly permits: number
  /** permits that one group may hold; the others are left for other groups */
  readonly perGroup: number
  /** callers that may wait, in all and of one group */
  readonly waitingMax: number
  readonly waitingPerGroup: number
  /** seconds after which a refused caller should try again */
  readonly retryAfter: number
}

interface Waiter {
  readonly turn: Deferred.Deferred<void, Overloaded>
  hasPermit: boolean
}

/** Runs work of a group when it gets a permit. Fails with `Overloaded` when too many callers wait. */
export type WithPermit = <A, E, R>(
  group: string,
  work: Effect.Effect<A, E, R>,
) => Effect.Effect<A, E | Overloaded, R>

/** Takes and releases the permits of groups. */
const makePermits = (terms: FairSemaphoreTerms) => {
  let free = terms.permits
  /** Permits by group. A group without permits has no entry. */
  const held = new Map<string, number>()
  /** Waiters by group, in the order of the groups' turns. A group without waiters has no entry. */
  const queues = new Map<string, Array<Waiter>>()

  const overloaded = () => new Overloaded({ retryAfter: terms.retryAfter })
  const waiting = () => [...queues.values()].reduce((sum, queue) => sum + queue.length, 0)
  const waitingOf = (group: string) => queues.get(group)?.length ?? 0
  const mayHold = (group: string) => (held.get(group) ?? 0) < terms.perGroup

  /**
   * Makes room for a waiter of `group`: fails the newest waiter of the group with most, if that one still has more than
   * `group`.
   */
  const displaceFor = (group: string): boolean => {
    const [longest = []] = [...queues.values()].sort((a, b) => b.length - a.length)
    const displaced = longest.length > waitingOf(group) + 1 ? longest.pop() : undefined
    if (displaced !== undefined) Deferred.unsafeDone(displaced.turn, Effect.fail(overloaded()))
    return displaced !== undefined
  }

  const hold = (group: string): void => {
    free -= 1
    held.set(group, (held.get(group) ?? 0) + 1)
  }

  const withdraw = (group: string, waiter: Waiter): void => {
    const queue = queues.get(group) ?? []
    const at = queue.indexOf(waiter)
    if (at === -1) return
    queue.splice(at, 1)
    if (queue.length === 0) queues.delete(group)
  }

  /** Gives the permit to the first waiter of the next group that may hold one, and moves that group to the end. */
  const give = (): void => {
    const next = [...queues.keys()].find(mayHold)
    if (next === undefined) return
    const [first, ...others] = queues.get(next) ?? []
    queues.delete(next)
    if (others.length > 0) queues.set(next, others)
    if (first === undefined) return
    hold(next)
    first.hasPermit = true
    Deferred.unsafeDone(first.turn, Effect.void)
  }

  const release = (group: string): void => {
    free += 1
    const left = (held.get(group) ?? 1) - 1
    if (left > 0) held.set(group, left)
    else held.delete(group)
    give()
  }

  const take = (group: string): Effect.Effect<void, Overloaded> =>
    Effect.suspend(() => {
      if (free > 0 && mayHold(group)) {
        hold(group)
        return Effect.void
      }
      if (waitingOf(group) >= terms.waitingPerGroup) return overloaded()
      if (waiting() >= terms.waitingMax && !displaceFor(group)) return overloaded()
      const waiter: Waiter = { turn: Deferred.unsafeMake(FiberId.none), hasPermit: false }
      queues.set(group, [...(queues.get(group) ?? []), waiter])
      return Effect.onInterrupt(Effect.interruptible(Deferred.await(waiter.turn)), () =>
        Effect.sync(() => {
          // The permit may have come together with the interruption.
          if (waiter.hasPermit) release(group)
          else withdraw(group, waiter)
        }),
      )
    })

  return { take, release: (group: string) => Effect.sync(() => release(group)) }
}

export const makeFairSemaphore = (terms: FairSemaphoreTerms): WithPermit => {
  const { take, release } = makePermits(terms)
  return (group, work) =>
    Effect.acquireUseRelease(
      take(group),
      () => work,
      () => release(group),
    )
}

/** As `makeFairSemaphore`, with permits that are held until the end of a scope. */
export const makeFairPermits = (
  terms: FairSemaphoreTerms,
): ((group: string) => Effect.Effect<void, Overloaded, Scope.Scope>) => {
  const { take, release } = makePermits(terms)
  return (group) => Effect.acquireRelease(take(group), () => release(group))
}
