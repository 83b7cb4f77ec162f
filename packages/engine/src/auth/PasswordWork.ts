/**
 * Hashes and verifies passwords, which takes 50 ms and 19 MB each: four at a time, behind a bounded queue that serves
 * the waiting sites in turn (docs/decisions/0045).
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

/** Seconds after which a refused client should try again. */
const RETRY_AFTER = 2

const overloaded = () => new Overloaded({ retryAfter: RETRY_AFTER })

/** A fair semaphore of four permits: `take` fails with `Overloaded` when too many callers wait. */
const makeSemaphore = () => {
  let free = PASSWORD_WORK_AT_ONCE
  // Waiters by site, in the order of the sites' turns. A site without waiters has no entry.
  const queues = new Map<string, Array<Waiter>>()

  const waiting = () => [...queues.values()].reduce((sum, queue) => sum + queue.length, 0)
  const waitingAt = (site: string) => queues.get(site)?.length ?? 0

  /**
   * Makes room for a waiter of `site`: fails the newest waiter of the site with most, if that one still has more than
   * `site`.
   */
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

  /** Gives the permit to the first waiter of the next site, and moves that site to the end. */
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
      const { take, release } = makeSemaphore()
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
