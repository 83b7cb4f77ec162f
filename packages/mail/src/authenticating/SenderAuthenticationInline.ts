/** `SenderAuthentication` in the calling thread, for tests. */
import { type Dns, SenderAuthentication } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { verifySignatures } from "../signatures/dkim.js"
import { makeEvaluate } from "./evaluate.js"

export const layer: Layer.Layer<SenderAuthentication, never, Dns> = Layer.effect(
  SenderAuthentication,
  makeEvaluate((raw, receivedAt, { lookup }) =>
    Effect.promise(() => verifySignatures(raw, receivedAt, lookup)),
  ),
)
