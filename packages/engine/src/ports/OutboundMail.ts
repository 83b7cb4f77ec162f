/** Mail that leaves the service. */
import type { RelayRefused, RelayUnavailable, RelayUncertain } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export interface OutboundEnvelope {
  /** the return path; empty for the null return path */
  readonly from: string
  /** at least one; each validated as an `EmailAddress` */
  readonly to: ReadonlyArray<string>
  /**
   * our id of the mail, repeated by the reports about it (RFC 3461 §4.4): with one, a report is asked for of every
   * delivery, failure and delay, where the relay can. Printable ASCII, at most 100 characters
   */
  readonly envelopeId: string | null
}

/**
 * Hands one mail to the relay, with exactly this envelope; domains go as A-labels (RFC 5890). Succeeds once the relay
 * took responsibility for every recipient. What may pass is tried again for a while, never after the end of the mail
 * was handed over without an answer. `RelayRefused`: the relay refuses the addresses or the mail for good; nothing was
 * sent. `RelayUnavailable`: a temporary refusal, a timeout, no connection; nothing was sent.
 * `RelayUncertain`: the whole mail was handed over and no answer came; only its sender may say that it is sent again.
 */
export class OutboundMail extends Context.Tag("@mailroom/OutboundMail")<
  OutboundMail,
  {
    readonly send: (
      envelope: OutboundEnvelope,
      raw: Uint8Array,
    ) => Effect.Effect<{ readonly answer: string }, RelayRefused | RelayUnavailable | RelayUncertain>
  }
>() {}
