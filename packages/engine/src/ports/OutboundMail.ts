/** The relay: sends mail out of the service. */
import type { RelayRefused, RelayUnavailable, RelayUncertain } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export interface OutboundEnvelope {
  /** the return path; empty for the null return path */
  readonly from: string
  /** at least one; each validated as an `EmailAddress` */
  readonly to: ReadonlyArray<string>
  /**
   * ENVID (RFC 3461 §4.4): our id of the mail, which delivery reports repeat. With one, reports of success, failure and
   * delay are requested, if the relay supports that. Printable ASCII, at most 100 characters; null: none
   */
  readonly envelopeId: string | null
}

/**
 * One relay transaction, with exactly this envelope; domains are sent as A-labels (RFC 5890). Succeeds when the relay
 * has accepted the mail for every recipient; `answer` is its reply. Temporary failures are retried for a short while,
 * but never after the final dot was sent without a reply.
 *
 * `RelayRefused`: a permanent refusal of an address or the mail; nothing was sent. `RelayUnavailable`: a temporary
 * refusal, a timeout or no connection; nothing was sent. `RelayUncertain`: the whole mail was sent but no reply came,
 * so the relay may or may not have accepted it. Only the caller may decide to send it again.
 */
export class OutboundMail extends Context.Tag("@mailroom/OutboundMail")<
  OutboundMail,
  {
    /** `within`: milliseconds until it has ended, at least a few seconds. */
    readonly send: (
      envelope: OutboundEnvelope,
      raw: Uint8Array,
      within: number,
    ) => Effect.Effect<{ readonly answer: string }, RelayRefused | RelayUnavailable | RelayUncertain>
  }
>() {}
