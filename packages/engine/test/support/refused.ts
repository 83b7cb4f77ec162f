/** The typed error of a use case, as a plain object. */
import { Effect } from "effect"

export const refused = <A, E extends object, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (refusal) => ({ ...refusal }))
