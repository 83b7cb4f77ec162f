/** POST /v1/billing/change-plan, the portal, and Stripe's webhook beyond `decisions.upgrade.change-plan`. */
import { describe } from "@effect/vitest"
import { InMemoryHttp } from "@mailroom/testing"
import { Effect } from "effect"
import { expect } from "vitest"
import { checkout, owner, type Owner, setFacts, signIn } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { inOneService, rule } from "./support/service.js"

const post = (account: Owner, path: string, body?: unknown) =>
  Effect.flatMap(signIn(account), (cookie) => ask(`POST /v1/billing/${path}`, { cookie, body }))

const changePlan = (account: Owner, body: unknown) => post(account, "change-plan", body)
const conflict = (code: string) => ({ error: expect.any(String), code })

inOneService((shared) => {
  describe("POST /v1/billing/change-plan", () => {
    shared("needs no period: the account's own stays", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        yield* changePlan(account, { plan: "Growth", period: "annual" })
        const answer = yield* changePlan(account, { plan: "Developer" })
        expect(answer.json).toMatchObject({ account: { plan: "Developer", billingPeriod: "annual" } })
      }),
    )

    shared("sells Scale by the month, whatever is asked", () =>
      Effect.gen(function* () {
        const answer = yield* changePlan(yield* owner("active"), { plan: "Scale", period: "annual" })
        expect(answer.json).toMatchObject({ account: { plan: "Scale", billingPeriod: "monthly" } })
      }),
    )

    shared("to Free gives the plan up", () =>
      Effect.gen(function* () {
        const answer = yield* changePlan(yield* owner("active"), { plan: "Free", period: "monthly" })
        expect(answer.json).toMatchObject({ account: { plan: "Free", state: "trial", mailboxLimit: 3 } })
      }),
    )

    for (const state of ["unverified", "trial", "payment_required"] as const)
      shared(`answers 409 to an account that is ${state}: it has no plan to change`, () =>
        Effect.gen(function* () {
          const answer = yield* changePlan(yield* owner(state), { plan: "Growth" })
          expect([answer.status, answer.json]).toEqual([409, conflict("NO_SUBSCRIPTION")])
        }),
      )

    for (const body of [
      undefined,
      {},
      { plan: "large" },
      { plan: "Gold" },
      { plan: "Growth", period: "weekly" },
    ])
      shared(`answers 400 to ${JSON.stringify(body)}, and changes nothing`, () =>
        Effect.gen(function* () {
          const account = yield* owner("active")
          expect((yield* changePlan(account, body)).status).toBe(400)
          expect((yield* ask("GET /v1/account", { key: account.key })).json).toMatchObject({
            account: { plan: "Developer" },
          })
        }),
      )

    shared("answers 403 from another site's page", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const cookie = yield* signIn(account)
        const answer = yield* ask("POST /v1/billing/change-plan", {
          cookie,
          body: { plan: "Growth" },
          headers: { origin: "https://evil.dev" },
        })
        expect([answer.status, answer.json]).toEqual([403, conflict("FOREIGN_ORIGIN")])
      }),
    )

    rule(
      "answers 409 where there is nothing to buy",
      () =>
        Effect.gen(function* () {
          const answer = yield* changePlan(yield* owner("trial"), { plan: "Growth" })
          expect([answer.status, answer.json]).toEqual([409, conflict("BILLING_DISABLED")])
        }),
      { billing: "none" },
    )
  })

  describe("POST /v1/billing/portal", () => {
    shared("answers 200 with a page that is there", () =>
      Effect.gen(function* () {
        const answer = yield* post(yield* owner("active"), "portal")
        expect([answer.status, answer.json]).toEqual([200, { url: "http://mailroom.test/dashboard/billing" }])
        const { call } = yield* InMemoryHttp
        expect((yield* call("GET /dashboard/billing")).status).toBe(200)
      }),
    )

    shared("is there after a lapse, for that is where it is settled", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        yield* setFacts(account, { lapsed: true })
        expect((yield* post(account, "portal")).status).toBe(200)
      }),
    )

    shared("answers 409 to who never paid", () =>
      Effect.gen(function* () {
        const answer = yield* post(yield* owner("trial"), "portal")
        expect([answer.status, answer.json]).toEqual([409, conflict("NO_SUBSCRIPTION")])
      }),
    )

    rule(
      "answers 409 where there is nothing to buy",
      () =>
        Effect.gen(function* () {
          const answer = yield* post(yield* owner("trial"), "portal")
          expect([answer.status, answer.json]).toEqual([409, conflict("BILLING_DISABLED")])
        }),
      { billing: "none" },
    )
  })

  describe("POST /v1/billing/stripe/webhook", () => {
    for (const billing of ["simulated", "none"] as const)
      rule(
        `is an unknown path under BILLING=${billing}`,
        () =>
          Effect.gen(function* () {
            const answer = yield* ask("POST /v1/billing/stripe/webhook", { body: {} })
            expect(answer.status).toBe(404)
            expect(answer.json).toMatchObject({ code: "ENDPOINT_NOT_FOUND" })
          }),
        { billing },
      )

    rule(
      "answers 400 to what Stripe did not sign, whatever it is",
      () =>
        Effect.gen(function* () {
          for (const body of [{}, "{", "[[[[", { type: "checkout.session.completed" }]) {
            const answer = yield* ask("POST /v1/billing/stripe/webhook", {
              body,
              headers: { "stripe-signature": "t=1,v1=00" },
            })
            expect([answer.status, answer.json]).toEqual([400, conflict("INVALID_SIGNATURE")])
          }
        }),
      { billing: "stripe" },
    )
  })

  describe("the page of the simulated checkout", () => {
    rule(
      "is not there where payments are not simulated: nobody completes without paying",
      () =>
        Effect.gen(function* () {
          const account = yield* owner("trial")
          const path = yield* checkout(account, "Scale")
          const { call } = yield* InMemoryHttp
          expect((yield* call(`GET ${path}`)).status).toBe(404)
          const answer = yield* call(`POST ${path}/complete`, { body: {} })
          expect([answer.status, answer.json]).toEqual([404, conflict("CHECKOUT_NOT_FOUND")])
          expect((yield* ask("GET /v1/account", { key: account.key })).json).toMatchObject({
            account: { plan: "Free" },
          })
        }),
      { billing: "stripe" },
    )
  })
})
