/** The billing routes with payments at Stripe (docs/specification/channels.md). */
import { describe, expect, it } from "@effect/vitest"
import type { PaymentNotice } from "@mailroom/engine"
import { type Answer, InMemoryHttp } from "@mailroom/testing"
import { Clock, Effect, Layer, Schema, type Scope } from "effect"
import { FakeStripe } from "./support/fakeStripe.js"
import { accountOf, mailroom, type World } from "./support/mailroom.js"

const service = Layer.provideMerge(InMemoryHttp.layerOver, mailroom)

const rule = <A, E>(name: string, body: Effect.Effect<A, E, World | InMemoryHttp | Scope.Scope>) =>
  it.scoped(name, () => Effect.provide(body, service))

const post = (path: string, call?: Parameters<typeof InMemoryHttp.Service.call>[1]) =>
  Effect.flatMap(InMemoryHttp, (http) => http.call(`POST ${path}`, call))

const deliver = ({ body, signature }: PaymentNotice) =>
  post("/v1/billing/stripe/webhook", { body, headers: { "stripe-signature": signature } })

const SignedUp = Schema.Struct({ api_key: Schema.Struct({ key: Schema.String }) })
const Link = Schema.Struct({ checkout_url: Schema.String, expires_at: Schema.Int })
const read = <A, I>(schema: Schema.Schema<A, I>, { json }: Answer) => Schema.decodeUnknownSync(schema)(json)

const upgrade = Effect.gen(function* () {
  const body = { email: "owner@acme.dev", password: "correct horse", slug: "acme" }
  const { key } = read(SignedUp, yield* post("/v1/signup", { body })).api_key
  return yield* post("/v1/billing/upgrade", { key })
})

describe("POST /v1/billing/upgrade", () => {
  rule(
    "answers 201 with a page at Stripe, open for 24 hours",
    Effect.gen(function* () {
      const answer = yield* upgrade
      const now = yield* Clock.currentTimeMillis
      expect(answer.status).toBe(201)
      expect(answer.json).toEqual({
        checkout_url: expect.stringMatching(/^https:\/\/checkout\.stripe\.com\//),
        expires_at: now / 1000 + 24 * 60 * 60,
        message: expect.stringContaining("Developer"),
      })
    }),
  )

  rule(
    "answers 503 while Stripe is away",
    Effect.gen(function* () {
      const { feel } = yield* FakeStripe
      feel("failing")
      const answer = yield* upgrade
      expect([answer.status, answer.json]).toEqual([
        503,
        { error: expect.any(String), code: "PAYMENTS_UNAVAILABLE" },
      ])
    }),
  )
})

describe("POST /v1/billing/change-plan", () => {
  rule(
    "answers 402 when the card declines",
    Effect.gen(function* () {
      const stripe = yield* FakeStripe
      const { checkout_url: url } = read(Link, yield* upgrade)
      stripe.pay(url)
      yield* deliver(stripe.completed(url))
      const body = { email: "owner@acme.dev", password: "correct horse" }
      const cookie = (yield* post("/api/auth/sign-in/email", { body })).headers.get("set-cookie") ?? ""
      stripe.feel("declining")
      const answer = yield* post("/v1/billing/change-plan", { cookie, body: { plan: "Growth" } })
      expect([answer.status, answer.json]).toEqual([
        402,
        {
          error: expect.any(String),
          payment_required: true,
          code: "PAYMENT_DECLINED",
          upgrade: expect.objectContaining({ browserUrl: "http://mailroom.test/dashboard/billing" }),
        },
      ])
      expect((yield* accountOf()).plan).toBe("Developer")
    }),
  )
})

describe("POST /v1/billing/stripe/webhook", () => {
  rule(
    "accepts an event of Stripe without an API key: 200",
    Effect.gen(function* () {
      const stripe = yield* FakeStripe
      const { checkout_url: url } = read(Link, yield* upgrade)
      stripe.pay(url)
      const answer = yield* deliver(stripe.completed(url))
      expect([answer.status, answer.json]).toEqual([200, { received: true }])
      expect(yield* accountOf()).toMatchObject({ plan: "Developer", state: "active" })
    }),
  )

  rule(
    "accepts an event of another product: 200",
    Effect.gen(function* () {
      const { notice } = yield* FakeStripe
      const answer = yield* deliver(notice("customer.created", { id: "cus_1", name: "Grüße ✓" }))
      expect([answer.status, answer.json]).toEqual([200, { received: true }])
    }),
  )

  for (const [what, change] of [
    ["a signature of something else", { body: "{}" }],
    ["no signature", { signature: "" }],
    ["no body", { body: "" }],
  ] as const)
    rule(
      `answers 400 to ${what}`,
      Effect.gen(function* () {
        const { notice } = yield* FakeStripe
        const answer = yield* deliver({ ...notice("customer.created", {}), ...change })
        expect([answer.status, answer.json]).toEqual([
          400,
          { error: expect.any(String), code: "INVALID_SIGNATURE" },
        ])
      }),
    )

  rule(
    "answers 503 while the state of the subscription cannot be read",
    Effect.gen(function* () {
      const stripe = yield* FakeStripe
      const { checkout_url: url } = read(Link, yield* upgrade)
      stripe.pay(url)
      stripe.feel("failing")
      const answer = yield* deliver(stripe.completed(url))
      expect([answer.status, answer.json]).toEqual([
        503,
        { error: expect.any(String), code: "PAYMENTS_UNAVAILABLE" },
      ])
      expect((yield* accountOf()).plan).toBe("Free")
    }),
  )
})
