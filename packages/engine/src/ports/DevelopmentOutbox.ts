/**
 * With `OUTBOUND_URL=capture:`, mail is stored here instead of relayed (`spec: decisions.pages.outbox`). Keeps the
 * newest 1,000.
 */
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
    /** Newest first, at most `limit`. `to`: only mail with this recipient, in any case; null: all. */
    readonly list: (query: {
      readonly to: string | null
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<CapturedMail>>
  }
>() {}
