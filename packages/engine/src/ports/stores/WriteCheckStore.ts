/** Checks that the database accepts writes. */
import type { Instant } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export class WriteCheckStore extends Context.Tag("@mailroom/WriteCheckStore")<
  WriteCheckStore,
  {
    /** Commits one small write, always to the same row. Dies with `StorageFailure` when the database cannot write. */
    readonly write: (now: Instant) => Effect.Effect<void>
  }
>() {}
