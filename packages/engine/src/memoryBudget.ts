/** Bounds the bytes that a use case has in memory at the same time. */
import { Effect } from "effect"

/**
 * Makes a budget of `totalBytes`, in parts of `partBytes`. `during(sizeBytes)` runs an effect that has so many bytes in memory,
 * rounded up to parts; it waits until they are free. `sizeBytes` is at most `totalBytes`.
 */
export const makeMemoryBudget = (totalBytes: number, partBytes: number) =>
  Effect.map(Effect.makeSemaphore(totalBytes / partBytes), (parts) => ({
    during: (sizeBytes: number) => parts.withPermits(Math.max(1, Math.ceil(sizeBytes / partBytes))),
  }))
