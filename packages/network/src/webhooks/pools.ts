/**
 * Keep-alive connections in one pool for each account and origin, so that no account waits for another's receivers.
 *
 * Not undici's `Agent`, which never drops an origin, although owners of webhooks choose the origins. Not Effect's
 * `RcMap` either: at its capacity it fails, and does not close the pool that has been idle longest.
 */
import { computedOnce, type WebhookRequest } from "@mailroom/engine"
import { WEBHOOK_TIMEOUT } from "@mailroom/domain"
import { Effect, type Scope } from "effect"
import type { Pool } from "undici"
import { lookupAmong } from "./vettedAddresses.js"

/** Connections of one account to one origin. Further requests wait. */
const CONNECTIONS_PER_POOL = 32

/** Open pools. Beyond this the least recently used pool that is idle is closed. */
const MAX_POOLS = 256

/**
 * Milliseconds to keep an idle connection when the receiver sends no Keep-Alive hint, and at most. Many receivers close
 * idle connections after five seconds; closing earlier avoids sending a request on a connection that is being closed.
 */
const KEEP_ALIVE = 4000
const KEEP_ALIVE_MAX = 60_000

export interface PoolInUse {
  readonly pool: Pool
  /** one permit for each connection */
  readonly connections: Effect.Semaphore
}

interface PoolEntry extends PoolInUse {
  /** requests that use the pool or wait for a connection */
  users: number
  /** the addresses for new connections */
  addresses: ReadonlyArray<string>
}

export interface Pools {
  /** Runs `use` with the pool for the origin of `url`, whose new connections go to `addresses`. */
  readonly withPool: <A, E>(
    request: Pick<WebhookRequest, "account">,
    url: URL,
    addresses: ReadonlyArray<string>,
    use: (pool: PoolInUse) => Effect.Effect<A, E>,
  ) => Effect.Effect<A, E>
}

/** Loaded with the first request: a service without webhooks needs less memory. */
const importPool = Effect.promise(() => import("../undiciPool.js"))
type PoolModule = Effect.Effect.Success<typeof importPool>

const open = ({ Pool }: PoolModule, origin: string): PoolEntry => {
  const entry: PoolEntry = {
    pool: new Pool(origin, {
      connections: CONNECTIONS_PER_POOL,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX,
      // 0: no timeouts, because the deadline of the attempt covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { lookup: lookupAmong(() => entry.addresses), timeout: WEBHOOK_TIMEOUT },
    }),
    connections: Effect.unsafeMakeSemaphore(CONNECTIONS_PER_POOL),
    users: 0,
    addresses: [],
  }
  return entry
}

/** All connections are closed with the scope. */
export const makePools: Effect.Effect<Pools, never, Scope.Scope> = Effect.gen(function* () {
  // Least recently used first.
  const pools = new Map<string, PoolEntry>()
  const loaded = yield* computedOnce(importPool)

  const closeOneIdle = () => {
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

  const take = (
    library: PoolModule,
    account: string,
    url: URL,
    addresses: ReadonlyArray<string>,
  ): PoolEntry => {
    const key = `${account} ${url.origin}`
    const entry = pools.get(key) ?? open(library, url.origin)
    pools.delete(key)
    if (pools.size >= MAX_POOLS) closeOneIdle()
    pools.set(key, entry)
    entry.users += 1
    entry.addresses = addresses
    return entry
  }

  return {
    withPool: ({ account }, url, addresses, use) =>
      Effect.acquireUseRelease(
        Effect.map(loaded, (library) => take(library, account, url, addresses)),
        use,
        (entry) =>
          Effect.sync(() => {
            entry.users -= 1
          }),
      ),
  }
})
