/** Whether the database can write. */
import type { Instant } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export class WriteCheckStore extends Context.Tag("@mailroom/WriteCheckStore")<
  WriteCheckStore,
  {
    /** Commits one small write, always to the same row. Dies with `StorageFailure`, as every write would now. */
    readonly write: (now: Instant) => Effect.Effect<void>
  }
>() {}
