/** Decides whether the policy of a mailbox holds a send for a review (spec: drafts.review.policy). */
import { type MailboxRecord, type OutboundDecision, outboundDecision } from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { CorrespondentStore } from "../ports/stores/CorrespondentStore.js"

export class OutboundHolds extends Context.Tag("@mailroom/OutboundHolds")<
  OutboundHolds,
  {
    /** Inside `commit`, on the locked mailbox. Reads nothing unless the policy is `review_new`. `recipients`: normalized. */
    readonly decide: (
      mailbox: MailboxRecord,
      recipients: ReadonlyArray<string>,
    ) => Effect.Effect<OutboundDecision>
  }
>() {
  static readonly layer: Layer.Layer<OutboundHolds, never, CorrespondentStore> = Layer.effect(
    OutboundHolds,
    Effect.map(CorrespondentStore, (correspondents) => ({
      decide: Effect.fnUntraced(function* ({ id, policies: { outboundPolicy } }, recipients) {
        const known =
          outboundPolicy === "review_new" ? yield* correspondents.knownAmong(id, recipients) : new Set<string>()
        return outboundDecision(outboundPolicy, recipients, { known })
      }),
    })),
  )
}
