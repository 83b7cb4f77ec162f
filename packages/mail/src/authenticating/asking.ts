/** `Lookup` for code that waits for promises. */
import { Effect } from "effect"
import type { Lookup } from "./lookup.js"
import type { Ask } from "./resolver.js"

export const askingWith =
  (lookup: Lookup, run: <A>(effect: Effect.Effect<A>) => Promise<A>): Ask =>
  (type, name) =>
    run(Effect.merge(lookup(type, name)))
