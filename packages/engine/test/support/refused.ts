/** The refusal that a use case ends with, as plain values. */
import { Effect } from "effect"

export const refused = <A, E extends object, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (refusal) => ({ ...refusal }))
