/** Rate limits, counted in fixed windows (docs/specification/limits.md; docs/decisions/0045). */
import { type Instant, networksOf, RateLimited, SITE_MULTIPLE } from "@mailroom/domain"
import { Clock, Effect } from "effect"
import type { RateLimitStore } from "../ports/stores/RateLimitStore.js"

export interface Limit {
  /** counter, such as `signup:192.0.2.7` */
  readonly key: string
  /** uses allowed in one window */
  readonly max: number
  /** milliseconds */
  readonly window: number
}

/** A counted use, which can be refunded. */
export interface Use {
  readonly key: string
  readonly windowStart: Instant
}

/** The two limits of a client address: `max` for its host network, ten times as many for its site (`networksOf`). */
export const addressLimits = (
  what: string,
  clientAddress: string,
  max: number,
  window: number,
): readonly [host: Limit, site: Limit] => {
  const { host, site } = networksOf(clientAddress)
  return [
    { key: `${what}:${host}`, max, window },
    { key: `${what} site:${site}`, max: max * SITE_MULTIPLE, window },
  ]
}

/** Counts one use. `left` is negative above the limit. `retryAfter`: seconds until the window ends. */
export const countUse = (rates: typeof RateLimitStore.Service, { key, max, window }: Limit) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const windowStart = now - (now % window)
    return Effect.map(rates.count(key, windowStart), (used) => ({
      use: { key, windowStart } satisfies Use,
      left: max - used,
      retryAfter: Math.ceil((windowStart + window - now) / 1000),
    }))
  })

/** Uncounts uses that turn out not to count, such as a sign-in with the right password. */
export const refundUses = (
  rates: typeof RateLimitStore.Service,
  uses: ReadonlyArray<Use>,
): Effect.Effect<void> =>
  Effect.forEach(uses, ({ key, windowStart }) => rates.refund(key, windowStart), { discard: true })

export interface Taken {
  readonly uses: ReadonlyArray<Use>
  /** uses left until the first of the limits is reached */
  readonly left: number
}

/**
 * Counts one use under each limit in turn. Fails at the first limit that is exceeded: the later ones are not counted and
 * the earlier ones are uncounted. So a refused host does not use up the limit of its site, nor a refused email that of
 * its host.
 */
export const takeUses = (
  rates: typeof RateLimitStore.Service,
  what: RateLimited["what"],
  limits: ReadonlyArray<Limit>,
): Effect.Effect<Taken, RateLimited> =>
  Effect.reduce(limits, { uses: [], left: Infinity } satisfies Taken, (before: Taken, limit) =>
    Effect.flatMap(countUse(rates, limit), ({ use, left, retryAfter }) =>
      left < 0
        ? Effect.zipRight(refundUses(rates, before.uses), new RateLimited({ what, retryAfter }))
        : Effect.succeed({ uses: [...before.uses, use], left: Math.min(before.left, left) }),
    ),
  )
