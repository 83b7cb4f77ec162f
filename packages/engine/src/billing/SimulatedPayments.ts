/** `Payments` for `BILLING=simulated`: pages of this service, no money, and no provider to ask. */
import { InvalidSignature } from "@mailroom/domain"
import { Effect, Layer } from "effect"
import { Payments } from "../ports/Payments.js"
import { Settings } from "../ports/Settings.js"

export const layer: Layer.Layer<Payments, never, Settings> = Layer.effect(
  Payments,
  Effect.map(Settings, ({ baseUrl }): Payments["Type"] => ({
    checkout: ({ token, expiresAt }) => Effect.succeed({ url: `${baseUrl}/checkout/${token}`, expiresAt }),
    portal: () => Effect.succeed({ url: `${baseUrl}/dashboard/billing` }),
    change: () => Effect.void,
    cancel: () => Effect.void,
    subscription: () => Effect.succeedNone,
    event: () => new InvalidSignature(),
  })),
)
