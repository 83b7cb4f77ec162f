/** The operator's spam filter, which judges mail that arrives. */
import type { Spam } from "@mailroom/domain"
import { Context, Data, type Effect } from "effect"
import type { Envelope } from "./MailSpool.js"

/** The filter did not answer, or not with a judgement. `reason` is one line for the operator. */
export class SpamFilterFailed extends Data.TaggedError("SpamFilterFailed")<{ readonly reason: string }> {}

export class SpamFilter extends Context.Tag("@mailroom/SpamFilter")<
  SpamFilter,
  {
    /**
     * Judges one mail; null where no filter is configured. May take arbitrarily long, and is interruptible: the caller has the
     * deadline and bounds how many mails are judged at the same time.
     */
    readonly judge: ((raw: Uint8Array, envelope: Envelope) => Effect.Effect<Spam, SpamFilterFailed>) | null
  }
>() {}
