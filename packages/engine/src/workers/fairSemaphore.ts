/** A semaphore that groups of callers, such as accounts or networks, share: the groups that wait get permits in turn. */
import { Overloaded } from "@mailroom/domain"
import { Deferred, Effect, FiberId, type Scope } from "effect"

export interface FairSemaphoreTerms {
  readonly permits: number
  /** permits that one group may hold, unless one caller needs more; the others are left for other groups */
  readonly perGroup: number
  /** callers that may wait, in all and of one group */
  readonly waitingMax: number
  readonly waitingPerGroup: number
  /** seconds after which a refused caller should try again */
  readonly retryAfter: number
}

interface Waiter {
  readonly permits: number
  readonly turn: Deferred.Deferred<void, Overloaded>
  hasPermit: boolean
}

/**
 * Runs work of a group when it gets its permits: one, or as many as it needs, at most all. Fails with `Overloaded` when too many
 * callers wait.
 */
export type WithPermit = <A, E, R>(
  group: string,
  work: Effect.Effect<A, E, R>,
  permits?: number,
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
  const mayHold = (group: string, permits: number) => {
    const own = held.get(group) ?? 0
    return own === 0 || own + permits <= terms.perGroup
  }
  /** The group whose turn is next, with its first waiter; null: every group that waits holds its share. */
  const next = (): readonly [group: string, first: Waiter] | null => {
    for (const [group, [first]] of queues)
      if (first !== undefined && mayHold(group, first.permits)) return [group, first]
    return null
  }

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

  const hold = (group: string, permits: number): void => {
    free -= permits
    held.set(group, (held.get(group) ?? 0) + permits)
  }

  const withdraw = (group: string, waiter: Waiter): void => {
    const queue = queues.get(group) ?? []
    const at = queue.indexOf(waiter)
    if (at === -1) return
    queue.splice(at, 1)
    if (queue.length === 0) queues.delete(group)
    // It may have needed more than are free, and held up others.
    give()
  }

  /** Gives free permits to the groups in turn, and moves each to the end. Who needs more than are free is not overtaken. */
  const give = (): void => {
    for (let turn = next(); turn !== null && turn[1].permits <= free; turn = next()) {
      const [group, first] = turn
      const others = (queues.get(group) ?? []).slice(1)
      queues.delete(group)
      if (others.length > 0) queues.set(group, others)
      hold(group, first.permits)
      first.hasPermit = true
      Deferred.unsafeDone(first.turn, Effect.void)
    }
  }

  const release = (group: string, permits: number): void => {
    free += permits
    const left = (held.get(group) ?? permits) - permits
    if (left > 0) held.set(group, left)
    else held.delete(group)
    give()
  }

  const take = (group: string, permits: number): Effect.Effect<void, Overloaded> =>
    Effect.suspend(() => {
      if (permits <= free && mayHold(group, permits) && waitingOf(group) === 0 && next() === null) {
        hold(group, permits)
        return Effect.void
      }
      if (waitingOf(group) >= terms.waitingPerGroup) return overloaded()
      if (waiting() >= terms.waitingMax && !displaceFor(group)) return overloaded()
      const waiter: Waiter = { permits, turn: Deferred.unsafeMake(FiberId.none), hasPermit: false }
      queues.set(group, [...(queues.get(group) ?? []), waiter])
      return Effect.onInterrupt(Effect.interruptible(Deferred.await(waiter.turn)), () =>
        Effect.sync(() => {
          // The permits may have come together with the interruption.
          if (waiter.hasPermit) release(group, permits)
          else withdraw(group, waiter)
        }),
      )
    })

  return {
    take,
    release: (group: string, permits: number) => Effect.sync(() => release(group, permits)),
  }
}

export const makeFairSemaphore = (terms: FairSemaphoreTerms): WithPermit => {
  const { take, release } = makePermits(terms)
  return (group, work, permits = 1) =>
    Effect.acquireUseRelease(
      take(group, permits),
      () => work,
      () => release(group, permits),
    )
}

/** As `makeFairSemaphore`, with permits that are held until the end of a scope. */
export const makeFairPermits = (
  terms: FairSemaphoreTerms,
): ((group: string) => Effect.Effect<void, Overloaded, Scope.Scope>) => {
  const { take, release } = makePermits(terms)
  return (group) => Effect.acquireRelease(take(group, 1), () => release(group, 1))
}
