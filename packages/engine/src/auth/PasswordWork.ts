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
import { Context, Deferred, Effect, Layer } from "effect"
import { Passwords } from "../ports/Crypto.js"

type Waiter = Deferred.Deferred<void, Overloaded>

/** Seconds after which the queue is likely to have room. */
const RETRY_AFTER = 2

const overloaded = () => new Overloaded({ retryAfter: RETRY_AFTER })

/** Gives one of four places to each that asks, or `Overloaded` when too many wait already. */
const makePlaces = () => {
  let free = PASSWORD_WORK_AT_ONCE
  // In the order in which the sites have their turns.
  const queues = new Map<string, Array<Waiter>>()

  const waiting = () => [...queues.values()].reduce((sum, queue) => sum + queue.length, 0)

  const enqueue = (site: string, queue: Array<Waiter>) =>
    Effect.flatMap(Deferred.make<void, Overloaded>(), (waiter) => {
      queues.set(site, queue)
      queue.push(waiter)
      return Deferred.await(waiter)
    })

  /** Refuses the newest waiter of the site that has most of them, when that is more than one more than `queue`. */
  const displace = (queue: ReadonlyArray<Waiter>) =>
    Effect.suspend(() => {
      const [longest = []] = [...queues.values()].sort((a, b) => b.length - a.length)
      const displaced = longest.length > queue.length + 1 ? longest.pop() : undefined
      return displaced === undefined ? overloaded() : Effect.asVoid(Deferred.fail(displaced, overloaded()))
    })

  const take = (site: string) =>
    Effect.suspend(() => {
      if (free > 0) {
        free -= 1
        return Effect.void
      }
      const queue = queues.get(site) ?? []
      if (queue.length >= PASSWORD_WORK_WAITING_PER_SITE) return overloaded()
      return waiting() < PASSWORD_WORK_WAITING_MAX
        ? enqueue(site, queue)
        : Effect.zipRight(displace(queue), enqueue(site, queue))
    })

  /** Hands the place to the next site in turn. */
  const release = Effect.suspend(() => {
    for (const [site, queue] of queues) {
      const next = queue.shift()
      queues.delete(site)
      if (queue.length > 0) queues.set(site, queue)
      if (next !== undefined) return Effect.asVoid(Deferred.succeed(next, undefined))
    }
    free += 1
    return Effect.void
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
