/** What becomes of reports about mail that left (decisions §6). */
import type { MailReport } from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"

export class Reports extends Context.Tag("@mailroom/Reports")<
  Reports,
  {
    /** Takes in what reports say of the mails that their return paths name; what proves no mail of ours is ignored. */
    readonly take: (reports: ReadonlyArray<MailReport>) => Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<Reports> = Layer.succeed(Reports, {
    take: () => Effect.dieMessage("reports cannot be taken yet"),
  })
}
