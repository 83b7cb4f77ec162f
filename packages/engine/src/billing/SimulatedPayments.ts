/** `Payments` without money: a page of our own with one button (decisions §1, BILLING=simulated). */
import { Effect, Layer } from "effect"
import { Payments } from "../ports/Payments.js"
import { Settings } from "../ports/Settings.js"

export const layer: Layer.Layer<Payments, never, Settings> = Layer.effect(
  Payments,
  Effect.map(Settings, ({ baseUrl }) => ({
    checkout: ({ token }) => Effect.succeed({ url: `${baseUrl}/checkout/${token}` }),
  })),
)
