/** Contract of the port `Payments`. */
import { describe, expect, layer } from "@effect/vitest"
import { DAY } from "@mailroom/domain"
import { type CheckoutRequest, Payments } from "@mailroom/engine"
import { Clock, Context, Effect, type Layer, Option } from "effect"

export class Owners extends Context.Tag("test/Owners")<
  Owners,
  {
    /** The owner pays. Returns the billing reference of the account. */
    readonly pay: (request: CheckoutRequest, url: string) => Effect.Effect<string>
  }
>() {}

let made = 0

/** A checkout that was not opened yet. */
export const aCheckout = (over: Partial<CheckoutRequest> = {}) =>
  Effect.map(Clock.currentTimeMillis, (now): CheckoutRequest => {
    const id = (++made).toString(16).padStart(64, "0")
    return {
      id,
      token: `token-${id}`,
      email: "owner@acme.dev",
      plan: "Developer",
      period: "monthly",
      expiresAt: now + DAY,
      reference: null,
      ...over,
    }
  })

const open = (request: CheckoutRequest) => Effect.flatMap(Payments, ({ checkout }) => checkout(request))

/** A live subscription. */
const bought = Effect.gen(function* () {
  const request = yield* aCheckout()
  const { url } = yield* open(request)
  return yield* Effect.flatMap(Owners, ({ pay }) => pay(request, url))
})

export const paymentsContract = <E>(name: string, payments: Layer.Layer<Payments | Owners, E>) =>
  describe(`${name} as Payments`, () => {
    layer(payments)((it) => {
      it.effect("opens a page for a checkout, for 24 hours", () =>
        Effect.gen(function* () {
          const request = yield* aCheckout()
          const { url, expiresAt } = yield* open(request)
          expect(URL.canParse(url)).toBe(true)
          expect(expiresAt).toBe(request.expiresAt)
        }),
      )

      it.effect("opens one page for each checkout", () =>
        Effect.gen(function* () {
          const [one, two] = [yield* aCheckout(), yield* aCheckout()]
          const first = yield* open(one)
          expect((yield* open(two)).url).not.toBe(first.url)
          expect(yield* open(one)).toEqual(first)
        }),
      )

      it.effect("has a portal for a customer, also after the subscription has ended", () =>
        Effect.gen(function* () {
          const { portal, cancel } = yield* Payments
          const reference = yield* bought
          const { url } = yield* portal(reference)
          expect(URL.canParse(url)).toBe(true)
          yield* cancel(reference)
          expect(yield* portal(reference)).toEqual({ url })
        }),
      )

      it.effect("changes a live subscription, also to its current plan", () =>
        Effect.gen(function* () {
          const { change } = yield* Payments
          const reference = yield* bought
          yield* change(reference, { plan: "Growth", period: "annual" })
          yield* change(reference, { plan: "Growth", period: "annual" })
        }),
      )

      it.effect("cancels a subscription repeatedly, and an unknown one, without error", () =>
        Effect.gen(function* () {
          const { cancel } = yield* Payments
          const reference = yield* bought
          yield* cancel(reference)
          yield* cancel(reference)
          yield* cancel("what never was")
        }),
      )

      it.effect("finds no unknown subscription", () =>
        Effect.gen(function* () {
          const { subscription } = yield* Payments
          expect(yield* subscription("what never was")).toEqual(Option.none())
        }),
      )

      it.effect("refuses an unsigned event", () =>
        Effect.gen(function* () {
          const { event } = yield* Payments
          for (const signature of ["", "t=1,v1=00"])
            expect((yield* Effect.flip(event({ body: "{}", signature })))._tag).toBe("InvalidSignature")
        }),
      )
    })
  })
