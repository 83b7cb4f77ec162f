/**
 * Hashing and checking passwords, which costs 50 ms and 19 MB each: a few at once, a bounded queue, and turns that go
 * around the sites that wait (docs/decisions/0045).
 */
import {
  networksOf,
  Overloaded,
  PASSWORD_WORK_AT_ONCE,
  PASSWORD_WORK_WAITING_MAX,
  PASSWORD_WORK_WAITING_PER_SITE,
} from "@mailroom/domain"
import { Context, Deferred, Effect, FiberId, Layer } from "effect"
import { Passwords } from "../ports/Crypto.js"

type Waiter = Deferred.Deferred<void, Overloaded>

/** Seconds after which the queue is likely to have room. */
const RETRY_AFTER = 2

const overloaded = () => new Overloaded({ retryAfter: RETRY_AFTER })

/** Gives one of four places to each that asks, or `Overloaded` when too many wait already. */
const makePlaces = () => {
  let free = PASSWORD_WORK_AT_ONCE
  // In the order in which the sites have their turns. A site that does not wait is not in it.
  const queues = new Map<string, Array<Waiter>>()

  const waiting = () => [...queues.values()].reduce((sum, queue) => sum + queue.length, 0)
  const waitingAt = (site: string) => queues.get(site)?.length ?? 0

  /** Refuses the newest waiter of the site that has most, for one of a site that will still have fewer. */
  const displaceFor = (site: string): boolean => {
    const [longest = []] = [...queues.values()].sort((a, b) => b.length - a.length)
    const displaced = longest.length > waitingAt(site) + 1 ? longest.pop() : undefined
    if (displaced !== undefined) Deferred.unsafeDone(displaced, Effect.fail(overloaded()))
    return displaced !== undefined
  }

  const take = (site: string): Effect.Effect<void, Overloaded> =>
    Effect.suspend(() => {
      if (free > 0) {
        free -= 1
        return Effect.void
      }
      if (waitingAt(site) >= PASSWORD_WORK_WAITING_PER_SITE) return overloaded()
      if (waiting() >= PASSWORD_WORK_WAITING_MAX && !displaceFor(site)) return overloaded()
      const waiter: Waiter = Deferred.unsafeMake(FiberId.none)
      queues.set(site, [...(queues.get(site) ?? []), waiter])
      return Deferred.await(waiter)
    })

  /** Hands the place to the next site in turn. */
  const release = Effect.sync(() => {
    const next = queues.entries().next()
    if (next.done === true) {
      free += 1
      return
    }
    const [site, [first, ...others]] = next.value
    queues.delete(site)
    if (others.length > 0) queues.set(site, others)
    if (first !== undefined) Deferred.unsafeDone(first, Effect.void)
  })

  return { take, release }
}

export class PasswordWork extends Context.Tag("@mailroom/PasswordWork")<
  PasswordWork,
  {
    readonly hash: (password: string, clientAddress: string) => Effect.Effect<string, Overloaded>
    readonly verify: (
      hash: string,
      password: string,
      clientAddress: string,
    ) => Effect.Effect<boolean, Overloaded>
  }
>() {
  static readonly layer: Layer.Layer<PasswordWork, never, Passwords> = Layer.effect(
    PasswordWork,
    Effect.map(Passwords, (passwords) => {
      const { take, release } = makePlaces()
      const inTurn = <A>(clientAddress: string, work: Effect.Effect<A>) =>
        Effect.acquireUseRelease(
          take(networksOf(clientAddress).site),
          () => work,
          () => release,
        )
      return PasswordWork.of({
        hash: (password, clientAddress) => inTurn(clientAddress, passwords.hash(password)),
        verify: (hash, password, clientAddress) => inTurn(clientAddress, passwords.verify(hash, password)),
      })
    }),
  )
}
