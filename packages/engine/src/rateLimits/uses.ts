/** Limits on how often something is done, counted in fixed windows (spec, Rate limits). */
import { RateLimited } from "@mailroom/domain"
import { Clock, Effect } from "effect"
import type { RateLimitStore } from "../ports/stores/RateLimitStore.js"

/** Counts one use; `window` in milliseconds, `retryAfter` in seconds until the running one ends. */
export const countUse = (rates: typeof RateLimitStore.Service, key: string, window: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const start = now - (now % window)
    return Effect.map(rates.count(key, start), (used) => ({
      used,
      retryAfter: Math.ceil((start + window - now) / 1000),
    }))
  })

/** Under which key uses are counted. */
export const useKey = (what: RateLimited["what"], who: string): string => `${what}:${who}`

/** Counts one use and returns how many are left, or fails when none was. */
export const takeUse = (
  rates: typeof RateLimitStore.Service,
  what: RateLimited["what"],
  who: string,
  limit: number,
  window: number,
): Effect.Effect<number, RateLimited> =>
  Effect.flatMap(countUse(rates, useKey(what, who), window), ({ used, retryAfter }) =>
    used > limit ? new RateLimited({ what, retryAfter }) : Effect.succeed(limit - used),
  )
