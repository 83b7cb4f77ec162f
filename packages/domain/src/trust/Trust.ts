/** How far the sender and the text of a received message can be believed (docs/specification/senders.md). */
import { Schema } from "effect"
import { described } from "../described.js"

export const TrustLevel = Schema.Literal(
  "owner",
  "known",
  "verified",
  "unverified",
  "suspicious",
).annotations({
  identifier: "TrustLevel",
  description:
    "`owner`: the account's owner, whose domain is proven. `known`: a proven sender that this mailbox wrote to before, or " +
    "that is on an allow list. `verified`: a proven sender. `unverified`: nothing proves the sender's domain. " +
    "`suspicious`: `reasons` says why",
})
export type TrustLevel = typeof TrustLevel.Type

/** Why a message is suspicious. The codes never change their meaning. */
export const SuspicionReason = Schema.Literal(
  "dmarc_fail",
  "display_name_address",
  "lookalike_domain",
  "hidden_text",
  "invisible_characters",
  "text_differs",
  "foreign_reply_to",
)
export type SuspicionReason = typeof SuspicionReason.Type

/** Why a sender is known. */
export const FamiliarityReason = Schema.Literal("written_to", "allow_listed")
export type FamiliarityReason = typeof FamiliarityReason.Type

export const TrustReason = Schema.Union(FamiliarityReason, SuspicionReason).annotations({
  identifier: "TrustReason",
  description:
    "Of `known`: `written_to` (this mailbox wrote to the sender before), `allow_listed`. Of `suspicious`: `dmarc_fail` (DMARC " +
    "fails, and the domain's policy is quarantine or reject), `display_name_address` (the display name shows another " +
    "address), `lookalike_domain` (the domain looks like the owner's, a known or the platform's domain), `hidden_text` (the " +
    "HTML hides text from people), `invisible_characters`, `text_differs` (the text part says something else than the " +
    "HTML part), `foreign_reply_to` (an unproven sender with a Reply-To at another domain)",
})
export type TrustReason = typeof TrustReason.Type

export const Trust = Schema.Struct({
  level: described(TrustLevel, "how far the sender can be believed"),
  reasons: described(
    Schema.Array(TrustReason),
    "why the level is `suspicious` or `known`; empty for the others",
  ),
}).annotations({
  identifier: "Trust",
  description: "Where a received message comes from, and whether it hides something",
})
export type Trust = typeof Trust.Type
