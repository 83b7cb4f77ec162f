/** Counters of fixed windows, for what is limited per client address. */
import type { Instant } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export class RateLimitStore extends Context.Tag("@mailroom/RateLimitStore")<
  RateLimitStore,
  {
    /** Counts one use under `key` in the window that starts at `windowStart`, and returns the count with it. */
    readonly count: (key: string, windowStart: Instant) => Effect.Effect<number>
    /** Forgets what was counted under `key`, in every window. */
    readonly forget: (key: string) => Effect.Effect<void>
  }
>() {}
