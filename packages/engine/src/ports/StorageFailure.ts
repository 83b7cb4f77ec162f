/**
 * The defect that stores and blob stores die with when their storage fails. Use cases do not handle it, so it is in no
 * signature. The edges look for it with `storageFailureIn`: SMTP replies 4xx, HTTP 503.
 */
import { Cause, Chunk, Data, Option } from "effect"

export class StorageFailure extends Data.TaggedError("StorageFailure")<{
  /**
   * `full`: no space left. `unavailable`: not reachable, locked or silent; try again later. `exceeded`: the statement
   * exceeded its time or memory, possibly by its own fault. `unexpected`: a bug of ours.
   */
  readonly reason: "full" | "unavailable" | "exceeded" | "unexpected"
  readonly cause: unknown
}> {}

/** The `StorageFailure` among the defects of a cause. */
export const storageFailureIn = (cause: Cause.Cause<unknown>): Option.Option<StorageFailure> =>
  Chunk.findFirst(
    Cause.defects(cause),
    (defect): defect is StorageFailure => defect instanceof StorageFailure,
  )

/** Whether the storage is full or unavailable, so that other operations fail now too. */
export const isStorageAway = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(storageFailureIn(cause), ({ reason }) => reason === "full" || reason === "unavailable")

/** Whether the storage failed for a reason other than a bug of ours, so that a retry may succeed. */
export const isTemporary = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(storageFailureIn(cause), ({ reason }) => reason !== "unexpected")
