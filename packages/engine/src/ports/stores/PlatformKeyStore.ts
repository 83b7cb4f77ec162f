/** The keys of the platform domain. */
import type { PlatformKeyRecord } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export class PlatformKeyStore extends Context.Tag("@mailroom/PlatformKeyStore")<
  PlatformKeyStore,
  {
    /** At most one of each role. */
    readonly all: Effect.Effect<ReadonlyArray<PlatformKeyRecord>>
    /** A key whose role is taken stays out: of several processes that make one, the first one's counts. */
    readonly insert: (key: PlatformKeyRecord) => Effect.Effect<void>
    /** The next key is the current one from now on, and the one before is forgotten. Nothing when it is not next. */
    readonly promote: (selector: string) => Effect.Effect<void>
  }
>() {}
