/** What every implementation of the port `Payments` does; run once for each. */
import { describe, expect, layer } from "@effect/vitest"
import { DAY } from "@mailroom/domain"
import { type CheckoutRequest, Payments } from "@mailroom/engine"
import { Clock, Context, Effect, type Layer, Option } from "effect"

export class Owners extends Context.Tag("test/Owners")<
  Owners,
  {
    /** the owner pays: what the account then pays under */
    readonly pay: (request: CheckoutRequest, url: string) => Effect.Effect<string>
  }
>() {}

let made = 0

/** A checkout nobody asked for yet. */
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

/** A subscription that is live. */
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

      it.effect("opens a page of its own for each checkout, and one for the same", () =>
        Effect.gen(function* () {
          const [one, two] = [yield* aCheckout(), yield* aCheckout()]
          const first = yield* open(one)
          expect((yield* open(two)).url).not.toBe(first.url)
          expect(yield* open(one)).toEqual(first)
        }),
      )

      it.effect("has a portal for who bought, after the end too", () =>
        Effect.gen(function* () {
          const { portal, cancel } = yield* Payments
          const reference = yield* bought
          const { url } = yield* portal(reference)
          expect(URL.canParse(url)).toBe(true)
          yield* cancel(reference)
          expect(yield* portal(reference)).toEqual({ url })
        }),
      )

      it.effect("changes a live subscription, to what it is already too", () =>
        Effect.gen(function* () {
          const { change } = yield* Payments
          const reference = yield* bought
          yield* change(reference, { plan: "Growth", period: "annual" })
          yield* change(reference, { plan: "Growth", period: "annual" })
        }),
      )

      it.effect("cancels once, however often it is asked, and what never was", () =>
        Effect.gen(function* () {
          const { cancel } = yield* Payments
          const reference = yield* bought
          yield* cancel(reference)
          yield* cancel(reference)
          yield* cancel("what never was")
        }),
      )

      it.effect("knows nothing of a subscription that never was", () =>
        Effect.gen(function* () {
          const { subscription } = yield* Payments
          expect(yield* subscription("what never was")).toEqual(Option.none())
        }),
      )

      it.effect("refuses a notice that nobody signed", () =>
        Effect.gen(function* () {
          const { event } = yield* Payments
          for (const signature of ["", "t=1,v1=00"])
            expect((yield* Effect.flip(event({ body: "{}", signature })))._tag).toBe("InvalidSignature")
        }),
      )
    })
  })
