/** Counters of fixed windows, for what is limited per network, email or account. */
import type { Instant } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export class RateLimitStore extends Context.Tag("@mailroom/RateLimitStore")<
  RateLimitStore,
  {
    /** Counts one use under `key` in the window that starts at `windowStart`, and returns the count with it. */
    readonly count: (key: string, windowStart: Instant) => Effect.Effect<number>
    /** Takes one use back that `count` counted. */
    readonly giveBack: (key: string, windowStart: Instant) => Effect.Effect<void>
    /** Removes the counts under `key`, of every window. */
    readonly forget: (key: string) => Effect.Effect<void>
    /** Removes up to `limit` counts of windows that started before `start`, and returns how many. */
    readonly removeBefore: (start: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
