/** The DKIM keys of the platform domain. */
import type { PlatformKeyRecord } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export class PlatformKeyStore extends Context.Tag("@mailroom/PlatformKeyStore")<
  PlatformKeyStore,
  {
    /** All keys; at most one of each role. */
    readonly all: Effect.Effect<ReadonlyArray<PlatformKeyRecord>>
    /** Inserts a key unless its role is taken, and says whether it did: of several processes that generate one, the first wins. */
    readonly insert: (key: PlatformKeyRecord) => Effect.Effect<boolean>
    /** Makes the next key the current one and removes the previous one. Does nothing when the key is not the next one. */
    readonly promote: (selector: string) => Effect.Effect<void>
  }
>() {}
