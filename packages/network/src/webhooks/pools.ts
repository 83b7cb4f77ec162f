/** Kept-alive connections: one pool for each account and origin, so that no account waits for another's receivers. */
import type { WebhookRequest } from "@mailroom/engine"
import { WEBHOOK_TIMEOUT } from "@mailroom/domain"
import { Effect, type Scope } from "effect"
import { Pool } from "undici"
import { lookupAmong } from "./vettedAddresses.js"

/** Connections of one account to one origin at once; further requests wait for a place. */
const CONNECTIONS_PER_POOL = 32

/** Pools whose connections are kept; the one that was used longest ago goes first. */
const MAX_POOLS = 256

/**
 * How long an idle connection is kept (milliseconds) when the receiver says nothing, and at most. Receivers close
 * idle connections after five seconds and more; a request must not cross with that.
 */
const KEEP_ALIVE = 4000
const KEEP_ALIVE_MAX = 60_000

export interface PoolInUse {
  readonly pool: Pool
  /** one permit for each connection */
  readonly places: Effect.Semaphore
}

interface Kept extends PoolInUse {
  /** requests that use it or wait for a place */
  users: number
  /** new connections go to these */
  addresses: ReadonlyArray<string>
}

export interface Pools {
  /** The pool for the origin of `url`, whose new connections go to `addresses`. It stays open until `use` ends. */
  readonly withPool: <A, E>(
    request: Pick<WebhookRequest, "account">,
    url: URL,
    addresses: ReadonlyArray<string>,
    use: (pool: PoolInUse) => Effect.Effect<A, E>,
  ) => Effect.Effect<A, E>
}

const open = (origin: string): Kept => {
  const kept: Kept = {
    pool: new Pool(origin, {
      connections: CONNECTIONS_PER_POOL,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX,
      // The attempt has a deadline of its own, which covers these.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { lookup: lookupAmong(() => kept.addresses), timeout: WEBHOOK_TIMEOUT },
    }),
    places: Effect.unsafeMakeSemaphore(CONNECTIONS_PER_POOL),
    users: 0,
    addresses: [],
  }
  return kept
}

/**
 * undici's own `Agent` never forgets an origin, and origins are chosen by webhook owners, so the pools are bounded here.
 * All connections are closed with the scope.
 */
export const makePools: Effect.Effect<Pools, never, Scope.Scope> = Effect.gen(function* () {
  // In the order of use, the latest last.
  const pools = new Map<string, Kept>()

  const forgetOne = () => {
    for (const [key, { pool, users }] of pools) {
      if (users > 0) continue
      pools.delete(key)
      void pool.close()
      return
    }
  }

  yield* Effect.addFinalizer(() =>
    Effect.promise(() => Promise.allSettled([...pools.values()].map(({ pool }) => pool.destroy()))),
  )

  const take = (account: string, url: URL, addresses: ReadonlyArray<string>): Kept => {
    const key = `${account} ${url.origin}`
    const kept = pools.get(key) ?? open(url.origin)
    pools.delete(key)
    if (pools.size >= MAX_POOLS) forgetOne()
    pools.set(key, kept)
    kept.users += 1
    kept.addresses = addresses
    return kept
  }

  return {
    withPool: ({ account }, url, addresses, use) =>
      Effect.acquireUseRelease(
        Effect.sync(() => take(account, url, addresses)),
        use,
        (kept) =>
          Effect.sync(() => {
            kept.users -= 1
          }),
      ),
  }
})
