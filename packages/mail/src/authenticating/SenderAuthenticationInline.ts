/** `SenderAuthentication` in the calling thread: for tests, where threads would only add noise. */
import { type Dns, SenderAuthentication } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { verifySignatures } from "../signatures/verify.js"
import { makeEvaluate } from "./evaluate.js"

export const layer: Layer.Layer<SenderAuthentication, never, Dns> = Layer.effect(
  SenderAuthentication,
  makeEvaluate((raw, at, { ask }) => Effect.promise(() => verifySignatures(raw, at, ask))),
)
