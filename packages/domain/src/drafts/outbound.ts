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
 * Both name the recipients that it does not know, because the reviewer looks at those first. `recipients` are normalized. An
 * address with another tag is another recipient.
 */
export const outboundDecision = (
  policy: OutboundPolicy,
  recipients: ReadonlyArray<string>,
  { known }: OutboundHistory,
): OutboundDecision => {
  const unknown = recipients
    .filter((address) => !known.has(address))
    .map((address): HoldReason => ({ code: "NEW_RECIPIENT", address }))
  switch (policy) {
    case "open":
      return { kind: "send" }
    case "review":
      return { kind: "hold", reasons: [{ code: "EVERY_SEND" }, ...unknown] }
    case "review_new":
      return unknown.length === 0 ? { kind: "send" } : { kind: "hold", reasons: unknown }
  }
}
