/** `SenderAuthentication` in the calling thread, for tests. Loads the library when it is used: other processes verify in a thread. */
import { type Dns, SenderAuthentication } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { makeEvaluate } from "./evaluate.js"

export const layer: Layer.Layer<SenderAuthentication, never, Dns> = Layer.effect(
  SenderAuthentication,
  makeEvaluate((raw, receivedAt, { lookup }) =>
    Effect.promise(async () =>
      (await import("../signatures/dkim.js")).verifySignatures(raw, receivedAt, lookup),
    ),
  ),
)
