/** A relay that delays its reply. */
import { type OutboundEnvelope, OutboundMail } from "@mailroom/engine"
import { Context, Deferred, Effect, Layer } from "effect"
import { RECIPIENT } from "./sends.js"

export class Relaying extends Context.Tag("test/Relaying")<
  Relaying,
  { readonly begun: Deferred.Deferred<OutboundEnvelope>; readonly mayEnd: Deferred.Deferred<void> }
>() {}

/** A relay that delays its reply for `RECIPIENT` until the test allows it. */
export const slowRelay = Layer.effectContext(
  Effect.gen(function* () {
    const { send: relay } = yield* OutboundMail
    const begun = yield* Deferred.make<OutboundEnvelope>()
    const mayEnd = yield* Deferred.make<void>()
    const send: OutboundMail["Type"]["send"] = (envelope, raw, within) =>
      Effect.gen(function* () {
        if (envelope.to.includes(RECIPIENT)) {
          yield* Deferred.succeed(begun, envelope)
          yield* Deferred.await(mayEnd)
        }
        return yield* relay(envelope, raw, within)
      })
    return Context.make(OutboundMail, { send }).pipe(Context.add(Relaying, { begun, mayEnd }))
  }),
)
