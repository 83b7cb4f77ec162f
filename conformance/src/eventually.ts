/** Waiting for what a running server does, which has other tests to serve as well. */
import { eventually } from "@mailroom/test-services"
import type { Effect } from "effect"

/** Looks until it fits; dies with what was seen last when 30 seconds are over. */
export const poll = <A, E, R>(
  what: string,
  look: Effect.Effect<A, E, R>,
  fits: (seen: A) => boolean,
): Effect.Effect<A, E, R> => eventually(what, look, fits, "30 seconds")
