/** How far a request with an `Idempotency-Key` has come: written by the transactions that bring it there. */
import { Effect, FiberRef } from "effect"
import type { Progress } from "../ports/stores/IdempotencyStore.js"

const done: Progress = { kind: "done" }
const reached = FiberRef.unsafeMake<Progress>(done)
const recorder = FiberRef.unsafeMake<((progress: Progress) => Effect.Effect<void>) | null>(null)

/** Inside `UnitOfWork.commit`: where this transaction brings the request, when that is not just `done`. */
export const reach = (progress: Progress): Effect.Effect<void> => FiberRef.set(reached, progress)

/** Runs a request: at the end of each of its transactions `record` runs, as a part of it. */
export const recordingProgress =
  (record: (progress: Progress) => Effect.Effect<void>) =>
  <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.locally(request, recorder, record)

/** Work whose transactions write nothing down for a request with a key: it goes on after the request, or adds nothing. */
export const afterRequest = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(work, recorder, null)

/** The changes of one transaction, and then what they are for a request with a key. */
export const withProgress = <A, E, R>(changes: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  FiberRef.getWith(recorder, (record) =>
    record === null
      ? changes
      : Effect.locally(Effect.zipLeft(changes, FiberRef.getWith(reached, record)), reached, done),
  )
