/** Kept-alive connections, one pool for each origin. */
import { Effect, type Scope } from "effect"
import type { LookupFunction } from "node:net"
import { Pool } from "undici"
import { WEBHOOK_TIMEOUT } from "@mailroom/domain"

/** Connections to one origin at once; further requests wait for one, within their own deadline. */
const CONNECTIONS_PER_ORIGIN = 32

/** Origins whose connections are kept; whoever was called longest ago goes first. */
const MAX_ORIGINS = 256

/**
 * How long an idle connection is kept (milliseconds) when the receiver says nothing, and at most. Receivers close
 * idle connections after five seconds and more; a request must not cross with that.
 */
const KEEP_ALIVE = 4000
const KEEP_ALIVE_MAX = 60_000

/**
 * The pool for an origin. undici's own `Agent` never forgets an origin, and origins are chosen by webhook owners,
 * so the pools are bounded here. All connections are closed with the scope.
 */
export const makePools = (
  lookup: LookupFunction,
): Effect.Effect<(origin: string) => Pool, never, Scope.Scope> =>
  Effect.gen(function* () {
    // In the order of use, the latest last.
    const pools = new Map<string, Pool>()

    const forgetOne = () => {
      for (const [origin, pool] of pools) {
        if (pool.stats.size > 0) continue
        pools.delete(origin)
        void pool.close()
        return
      }
    }

    yield* Effect.addFinalizer(() =>
      Effect.promise(() => Promise.allSettled([...pools.values()].map((pool) => pool.destroy()))),
    )

    const open = (origin: string) =>
      new Pool(origin, {
        connections: CONNECTIONS_PER_ORIGIN,
        pipelining: 1,
        keepAliveTimeout: KEEP_ALIVE,
        keepAliveMaxTimeout: KEEP_ALIVE_MAX,
        // The attempt has a deadline of its own, which covers these.
        headersTimeout: 0,
        bodyTimeout: 0,
        connect: { lookup, timeout: WEBHOOK_TIMEOUT },
      })

    return (origin) => {
      const pool = pools.get(origin) ?? open(origin)
      pools.delete(origin)
      if (pools.size >= MAX_ORIGINS) forgetOne()
      pools.set(origin, pool)
      return pool
    }
  })
