/**
 * The idempotency marker: what each transaction of a request with an `Idempotency-Key` writes to the row of that key, so
 * that a repetition of the request knows what is already done (docs/decisions/0021).
 */
import { Effect, FiberRef } from "effect"
import type { IdempotencyMarker } from "../ports/stores/IdempotencyStore.js"

const done: IdempotencyMarker = { kind: "done" }
const current = FiberRef.unsafeMake<IdempotencyMarker>(done)
const writer = FiberRef.unsafeMake<((marker: IdempotencyMarker) => Effect.Effect<void>) | null>(null)

/** Inside `UnitOfWork.commit`: sets the marker that this transaction writes. Default: `done`. */
export const setMarker = (marker: IdempotencyMarker): Effect.Effect<void> => FiberRef.set(current, marker)

/** Runs a request. `write` runs at the end of each of its transactions, as a part of it. */
export const writingMarkers =
  (write: (marker: IdempotencyMarker) => Effect.Effect<void>) =>
  <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.locally(request, writer, write)

/** For transactions that outlive their request, or that leave its marker as it is: they write none. */
export const withoutMarkers = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(work, writer, null)

/** The changes of one transaction, followed by its marker where the request has a key. */
export const withMarker = <A, E, R>(changes: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  FiberRef.getWith(writer, (write) =>
    write === null
      ? changes
      : Effect.locally(Effect.zipLeft(changes, FiberRef.getWith(current, write)), current, done),
  )
