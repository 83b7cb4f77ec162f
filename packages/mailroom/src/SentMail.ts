/** What became of a mail. */
import { DraftId, MessageId } from "@mailroom/domain"
import type { SendResult } from "@mailroom/engine"
import { Schema } from "effect"

const Sent = Schema.Struct({ kind: Schema.Literal("sent"), id: MessageId })
const Kept = Schema.Struct({ kind: Schema.Literal("held", "scheduled"), id: DraftId })
const Uncertain = Schema.Struct({ kind: Schema.Literal("uncertain"), id: Schema.NullOr(MessageId) })

/**
 * `sent`: the relay has accepted the message. `held`: it waits as a draft for a review. `scheduled`: it waits as a draft for its
 * time. `uncertain`: the relay did not answer, so it may have been sent or not; it is not sent again by itself.
 */
export const SentMail = Schema.Union(Sent, Kept, Uncertain)
export type SentMail = typeof SentMail.Type

export const sentMailOf = (result: SendResult): SentMail =>
  result.kind === "sent"
    ? { kind: "sent", id: result.message.content.id }
    : { kind: result.kind, id: result.draft.id }
