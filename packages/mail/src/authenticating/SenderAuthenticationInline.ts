/**
 * `SenderAuthentication` in the calling thread, for tests. Imports the library when the layer is built: a process that verifies in
 * a thread does not load it here.
 */
import { type Dns, SenderAuthentication } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { makeEvaluate } from "./evaluate.js"

export const layer: Layer.Layer<SenderAuthentication, never, Dns> = Layer.effect(
  SenderAuthentication,
  Effect.flatMap(
    Effect.promise(() => import("../signatures/dkim.js")),
    ({ verifySignatures }) =>
      makeEvaluate((raw, receivedAt, { lookup }) =>
        Effect.promise(() => verifySignatures(raw, receivedAt, lookup)),
      ),
  ),
)
