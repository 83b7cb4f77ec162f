/** Where `OUTBOUND_URL=capture:` keeps mail instead of sending it (decisions §1, §4). The newest 1,000 are kept. */
import type { Instant } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export interface CapturedMail {
  readonly id: string
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly raw: Uint8Array
  readonly at: Instant
}

export class DevelopmentOutbox extends Context.Tag("@mailroom/DevelopmentOutbox")<
  DevelopmentOutbox,
  {
    readonly add: (mail: CapturedMail) => Effect.Effect<void>
    /** Newest first, at most `limit`; `to` keeps those with this recipient. */
    readonly list: (query: {
      readonly to: string | null
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<CapturedMail>>
  }
>() {}
