/** Mail that leaves the service. */
import type { RelayRefused, RelayUnavailable } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export interface OutboundEnvelope {
  /** the return path; empty for the null return path */
  readonly from: string
  /** at least one; each validated as an `EmailAddress` */
  readonly to: ReadonlyArray<string>
}

/**
 * Hands one mail to the relay, with exactly this envelope. Succeeds once the relay took responsibility for every
 * recipient. `RelayRefused`: the relay refuses the addresses or the mail for good; nothing was sent.
 * `RelayUnavailable`: a temporary refusal, a timeout, no connection; nothing was sent as far as can be known.
 */
export class OutboundMail extends Context.Tag("@mailroom/OutboundMail")<
  OutboundMail,
  {
    readonly send: (
      envelope: OutboundEnvelope,
      raw: Uint8Array,
    ) => Effect.Effect<{ readonly answer: string }, RelayRefused | RelayUnavailable>
  }
>() {}
