/**
 * Bounds on open DNS queries. A new query never waits. When it exceeds a bound, the oldest open query within that bound is
 * cancelled. Most answers come within milliseconds, so the oldest query is one whose servers do not answer.
 */
import { DnsFailure } from "@mailroom/engine"
import { Effect, Exit, Fiber, type Scope } from "effect"

/** Open queries of the process, of one account, and for names of one parent domain. Each query uses a socket. */
export const OPEN_MAX = 512
export const OPEN_PER_ACCOUNT = 64
export const OPEN_PER_DOMAIN = 32

/**
 * The last two labels of a name. This groups unrelated names where three labels can be registered (`example.co.uk`). That
 * is harmless: a query is cancelled only when it is the oldest of 32 open ones in its group.
 */
export const parentDomain = (host: string): string => host.toLowerCase().split(".").slice(-2).join(".")

export interface OpenQuery<A> {
  /** Waits for the answer. Fails with `not asked` when the query was cancelled. */
  readonly answer: Effect.Effect<A, DnsFailure>
  readonly isOpen: () => boolean
}

export interface OpenQueries {
  /** Starts a query in a fiber of the scope. `account` is null for queries of the service itself. */
  readonly open: <A>(
    host: string,
    account: string | null,
    query: Effect.Effect<A, DnsFailure>,
  ) => Effect.Effect<OpenQuery<A>>
}

interface OpenEntry {
  readonly domain: string
  readonly account: string | null
}

export const makeOpenQueries: Effect.Effect<OpenQueries, never, Scope.Scope> = Effect.map(
  Effect.scope,
  (scope) => {
    /** Oldest first. */
    const entries = new Map<Fiber.RuntimeFiber<unknown, unknown>, OpenEntry>()

    /** Cancels the oldest of the queries that `counts` selects when `max` of them are open already. */
    const makeRoom = (max: number, counts: (query: OpenEntry) => boolean): Effect.Effect<void> => {
      const among = [...entries].filter(([, entry]) => counts(entry))
      const [oldest] = among
      if (among.length < max || oldest === undefined) return Effect.void
      entries.delete(oldest[0])
      return Fiber.interruptFork(oldest[0])
    }

    return {
      open: <A>(host: string, account: string | null, query: Effect.Effect<A, DnsFailure>) =>
        Effect.gen(function* () {
          const domain = parentDomain(host)
          yield* makeRoom(OPEN_PER_DOMAIN, (entry) => entry.domain === domain)
          if (account !== null) yield* makeRoom(OPEN_PER_ACCOUNT, (entry) => entry.account === account)
          yield* makeRoom(OPEN_MAX, () => true)
          const fiber = yield* Effect.forkIn(Effect.interruptible(query), scope)
          entries.set(fiber, { domain, account })
          fiber.addObserver(() => entries.delete(fiber))
          const answer = Effect.flatMap(Fiber.await(fiber), (exit): Effect.Effect<A, DnsFailure> =>
            Exit.isInterrupted(exit) ? new DnsFailure({ host, reason: "not asked" }) : exit,
          )
          return { answer, isOpen: () => entries.has(fiber) }
        }),
    }
  },
)
