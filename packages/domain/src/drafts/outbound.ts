/** Whether a policy holds a send for a review (spec: drafts.review.policy). */
import type { OutboundPolicy } from "../mailboxes/policies.js"
import type { HoldReason } from "./Draft.js"

export type OutboundDecision =
  | { readonly kind: "send" }
  | { readonly kind: "hold"; readonly reasons: ReadonlyArray<HoldReason> }

/** What the mailbox knows of the recipients: those that wrote to it, and those approved for it, normalized. */
export interface OutboundHistory {
  readonly known: ReadonlySet<string>
}

/**
 * `open` holds nothing, `review` holds every send, `review_new` holds a send to a recipient that the mailbox does not know.
 * `recipients` are normalized. An address with another tag is another recipient.
 */
export const outboundDecision = (
  policy: OutboundPolicy,
  recipients: ReadonlyArray<string>,
  { known }: OutboundHistory,
): OutboundDecision => {
  switch (policy) {
    case "open":
      return { kind: "send" }
    case "review":
      return { kind: "hold", reasons: [{ code: "EVERY_SEND" }] }
    case "review_new": {
      const unknown = recipients.filter((address) => !known.has(address))
      if (unknown.length === 0) return { kind: "send" }
      return { kind: "hold", reasons: unknown.map((address) => ({ code: "NEW_RECIPIENT", address })) }
    }
  }
}
