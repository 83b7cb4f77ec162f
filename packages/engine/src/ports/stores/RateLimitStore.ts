/** Counters of rate limits, one for each key and fixed window. */
import type { Instant } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export class RateLimitStore extends Context.Tag("@mailroom/RateLimitStore")<
  RateLimitStore,
  {
    /** Adds one use of `key` in the window that starts at `windowStart`, and returns the count that includes it. */
    readonly count: (key: string, windowStart: Instant) => Effect.Effect<number>
    /** The count of `key` in the window that starts at `windowStart`; 0 without a counter. */
    readonly used: (key: string, windowStart: Instant) => Effect.Effect<number>
    /** Subtracts one use that `count` added. Does nothing where there is no counter. */
    readonly refund: (key: string, windowStart: Instant) => Effect.Effect<void>
    /** Removes the counters of `key` in all windows. */
    readonly reset: (key: string) => Effect.Effect<void>
    /** Removes up to `limit` counters of windows that started before `start`, and returns how many. */
    readonly removeBefore: (start: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
