/** A spam filter without network, for tests: mail with the GTUBE text is spam, and a test may script other judgements. */
import type { Spam } from "@mailroom/domain"
import { type Envelope, SpamFilter, type SpamFilterFailed } from "@mailroom/engine"
import { Context, Effect, Layer } from "effect"

/** The generic test for unsolicited bulk e-mail: every filter rejects a mail with this text. */
export const GTUBE = "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X"

type Judge = (text: string, envelope: Envelope) => Effect.Effect<Spam, SpamFilterFailed>

/** What `MemorySpamFilter` answers. */
export class MemoryJudgements extends Context.Tag("@mailroom/network/MemoryJudgements")<
  MemoryJudgements,
  {
    /** Replaces how mail is judged. A script that waits is a slow filter. */
    readonly script: (judge: Judge) => Effect.Effect<void>
    /** Mails that were shown to the filter so far. */
    readonly asked: Effect.Effect<number>
  }
>() {}

const byGtube: Judge = (text) =>
  Effect.succeed(
    text.includes(GTUBE)
      ? { score: 15, action: "reject", symbols: ["GTUBE"] }
      : { score: 0, action: "no action", symbols: [] },
  )

export const MemorySpamFilter = {
  layer: Layer.effectContext(
    Effect.sync(() => {
      let judge = byGtube
      let asked = 0
      return Context.empty().pipe(
        Context.add(SpamFilter, {
          judge: (raw, envelope) =>
            Effect.suspend(() => {
              asked += 1
              return judge(Buffer.from(raw).toString(), envelope)
            }),
        }),
        Context.add(MemoryJudgements, {
          script: (next) => Effect.sync(() => void (judge = next)),
          asked: Effect.sync(() => asked),
        }),
      )
    }),
  ),
}
