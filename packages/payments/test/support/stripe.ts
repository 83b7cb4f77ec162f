/** Tests of `Payments` at a fake Stripe, without the engine. */
import { it } from "@effect/vitest"
import { type CheckoutRequest, Payments, Settings } from "@mailroom/engine"
import type { StripeOptions } from "@mailroom/payments"
import { testSettings } from "@mailroom/testing"
import { Effect, Layer, type Scope } from "effect"
import { aCheckout } from "../payments.contract.js"
import { atStripe, FakeStripe } from "./fakeStripe.js"

const settings = Layer.succeed(Settings, testSettings)
export const world = (options?: Partial<StripeOptions>) =>
  Layer.provideMerge(Layer.provide(atStripe(options), settings), FakeStripe.layer)

/** A test with a fake Stripe of its own. */
export const rule = <A, E>(
  name: string,
  body: Effect.Effect<A, E, Payments | FakeStripe | Scope.Scope>,
  options?: Partial<StripeOptions>,
) => it.scoped(name, () => Effect.provide(body, world(options)))

/** A live subscription. */
export const buy = (over: Partial<CheckoutRequest> = {}) =>
  Effect.gen(function* () {
    const { checkout } = yield* Payments
    const { pay } = yield* FakeStripe
    return pay((yield* checkout(yield* aCheckout(over))).url)
  })
