/**
 * What a store or a blob store dies with when the world fails it. Use cases do not handle it, so it is a defect and
 * in no signature; the edges look for it (`storageFailureIn`): SMTP answers 4xx, HTTP answers 503.
 */
import { Cause, Data, Option } from "effect"

export class StorageFailure extends Data.TaggedError("StorageFailure")<{
  /**
   * `full`: no space left; `unavailable`: lost, locked or silent: try again later; `exceeded`: the statement took
   * longer or more memory than it may, which can be its own fault; `unexpected`: a fault of ours
   */
  readonly reason: "full" | "unavailable" | "exceeded" | "unexpected"
  readonly cause: unknown
}> {}

/** The storage failure inside a cause, if that is what it was. */
export const storageFailureIn = (cause: Cause.Cause<unknown>): Option.Option<StorageFailure> =>
  Option.fromNullable([...Cause.defects(cause)].find((defect) => defect instanceof StorageFailure)).pipe(
    Option.filter((defect) => defect instanceof StorageFailure),
  )

/** Whether the storage is full or cannot be reached: whatever is tried meanwhile fails through no fault of its own. */
export const isStorageAway = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(storageFailureIn(cause), ({ reason }) => reason === "full" || reason === "unavailable")

/** Whether the storage failed, and not through a fault of ours: the same may succeed later. */
export const isTemporary = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(storageFailureIn(cause), ({ reason }) => reason !== "unexpected")
