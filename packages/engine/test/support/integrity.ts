/** The check of counts. */
import { Integrity } from "@mailroom/engine"
import { Chunk, Effect, Stream } from "effect"

/** Runs the whole check and returns the wrong counts. */
export const correctedCounts = Effect.flatMap(Integrity, ({ check }) => Stream.runCollect(check)).pipe(
  Effect.map((steps) => Chunk.toReadonlyArray(steps).flatMap(({ drifts }) => drifts)),
)
