/** `SenderAuthentication` in the calling thread: for tests, where threads would only add noise. */
import { type Dns, SenderAuthentication } from "@mailroom/engine"
import { Effect, Layer, Runtime } from "effect"
import { verifySignatures } from "../signatures/verify.js"
import { askingWith } from "./asking.js"
import { makeEvaluate } from "./evaluate.js"
import { makeLookup } from "./lookup.js"

export const layer: Layer.Layer<SenderAuthentication, never, Dns> = Layer.scoped(
  SenderAuthentication,
  Effect.gen(function* () {
    const lookup = yield* makeLookup
    const ask = askingWith(lookup, Runtime.runPromise(yield* Effect.runtime()))
    return yield* makeEvaluate(lookup, (raw, at) => Effect.promise(() => verifySignatures(raw, at, ask)))
  }),
)
