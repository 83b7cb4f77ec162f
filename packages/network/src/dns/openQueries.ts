/**
 * Bounds on open DNS queries. A new query never waits. When it exceeds a bound, the oldest open query of the client that
 * holds most within that bound is cancelled, so that a flood of one client cancels its own. Most answers come within
 * milliseconds, so the oldest query is one whose servers do not answer (docs/decisions/0039).
 */
import { DnsFailure } from "@mailroom/engine"
import { Effect, Exit, Fiber, type Scope } from "effect"
import { getDomain } from "tldts"

/** Open queries of the process, of one account, and for names of one organizational domain. Each query uses a socket. */
export const OPEN_MAX = 512
export const OPEN_PER_ACCOUNT = 64
export const OPEN_PER_DOMAIN = 32

/**
 * The organizational domain (RFC 7489 §3.2), with the public suffix list that DMARC uses too: `example.co.uk`,
 * `somebody.github.io`. A name without one stands for itself.
 */
const organizationalDomain = (host: string): string =>
  getDomain(host, { allowPrivateDomains: true, validateHostname: false }) ?? host.toLowerCase()

export interface OpenQuery<A> {
  /** Waits for the answer. Fails with `not asked` when the query was cancelled. */
  readonly answer: Effect.Effect<A, DnsFailure>
  readonly isOpen: () => boolean
}

export interface OpenQueries {
  /** Starts a query in a fiber of the scope. `account` is the client; null for queries of the service itself. */
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

    /**
     * When `max` of the queries that `counts` selects are open already, cancels one of them: the oldest of the client that
     * holds most.
     */
    const makeRoom = (max: number, counts: (query: OpenEntry) => boolean): Effect.Effect<void> => {
      const among = [...entries].filter(([, entry]) => counts(entry))
      if (among.length < max) return Effect.void
      const held = new Map<string | null, number>()
      for (const [, { account }] of among) held.set(account, (held.get(account) ?? 0) + 1)
      const most = Math.max(...held.values())
      const oldest = among.find(([, { account }]) => held.get(account) === most)
      if (oldest === undefined) return Effect.void
      entries.delete(oldest[0])
      return Fiber.interruptFork(oldest[0])
    }

    return {
      open: <A>(host: string, account: string | null, query: Effect.Effect<A, DnsFailure>) =>
        Effect.gen(function* () {
          const domain = organizationalDomain(host)
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
