/** What follows a change of plan, whoever made it (spec, Account and key gating; decisions §3). */
import { type AccountRecord, isUpgrade } from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { GatedMessages } from "../inbound/GatedMessages.js"

export class PlanChanges extends Context.Tag("@mailroom/PlanChanges")<
  PlanChanges,
  {
    /**
     * Inside a transaction, the account locked and saved with its new plan: gated messages unlock in place when it
     * allows more than before. Returns the account as it then is.
     */
    readonly follow: (before: AccountRecord, after: AccountRecord) => Effect.Effect<AccountRecord>
  }
>() {
  static readonly layer: Layer.Layer<PlanChanges, never, GatedMessages> = Layer.effect(
    PlanChanges,
    Effect.map(GatedMessages, (gated) => ({
      follow: (before, after) =>
        isUpgrade(before.plan, after.plan) || (before.lapsed && !after.lapsed)
          ? gated.unlock(after.id, "all")
          : Effect.succeed(after),
    })),
  )
}
