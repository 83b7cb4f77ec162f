/**
 * POST /v1/billing/upgrade and the simulated checkout beyond `decisions.upgrade.*`: bodies in any case, open links
 * given again, the page's form.
 */
import { describe } from "@effect/vitest"
import { CheckoutLink } from "@mailroom/api"
import { CHECKOUT_TTL } from "@mailroom/domain"
import { InMemoryHttp } from "@mailroom/testing"
import { Effect, TestClock } from "effect"
import { expect } from "vitest"
import { checkout, pathOf, pay, setFacts, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { inOneService, rule } from "./support/service.js"

const upgrade = (key: string, body?: unknown) => ask("POST /v1/billing/upgrade", { key, body })
const call = (target: string, options?: Parameters<typeof InMemoryHttp.Service.call>[1]) =>
  Effect.flatMap(InMemoryHttp, (http) => http.call(target, options))
const form = { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "" }
const plan = (key: string) => Effect.map(ask("GET /v1/account", { key }), ({ json }) => json)

inOneService((shared) => {
  describe("POST /v1/billing/upgrade", () => {
    for (const [body, message] of [
      [{}, "Developer"],
      [{ plan: "Scale" }, "Scale"],
      [{ plan: "developer", period: "MONTHLY" }, "Developer"],
      [{ plan: "Growth", period: "annual" }, "Growth"],
    ] as const)
      shared(`takes ${JSON.stringify(body)}`, () =>
        Effect.gen(function* () {
          const answer = yield* Effect.flatMap(signUp(), ({ key }) => upgrade(key, body))
          expect(read(CheckoutLink)(answer).message).toContain(message)
        }),
      )

    for (const body of [{ plan: "Free" }, { plan: "large" }, { plan: 7 }, { period: "weekly" }, [], "{"])
      shared(`answers 400 to ${JSON.stringify(body)}`, () =>
        Effect.gen(function* () {
          expect((yield* Effect.flatMap(signUp(), ({ key }) => upgrade(key, body))).status).toBe(400)
        }),
      )

    rule(
      "answers with the open link again for the same plan and period, as long as it has 12 hours left",
      () =>
        Effect.gen(function* () {
          const account = yield* signUp()
          const link = (body: unknown) => Effect.map(upgrade(account.key, body), read(CheckoutLink))
          const first = yield* link({ plan: "Growth" })
          yield* TestClock.adjust("11 hours")
          expect(yield* link({ plan: "growth", period: "monthly" })).toEqual(first)
          for (const other of [{ plan: "Scale" }, { plan: "Growth", period: "annual" }])
            expect((yield* link(other)).checkout_url).not.toBe(first.checkout_url)
          yield* TestClock.adjust("1 hour")
          const second = yield* link({ plan: "Growth" })
          expect(second.checkout_url).not.toBe(first.checkout_url)
          expect(second.expires_at).toBe(first.expires_at + (CHECKOUT_TTL / 1000) * 0.5)
          const { call } = yield* InMemoryHttp
          const paid = yield* call(`POST ${pathOf(second.checkout_url)}/complete`, { body: {} })
          expect(paid.status).toBe(200)
        }),
    )

    shared("answers with a new link after a purchase and its lapse, though an older one is open", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const open = yield* checkout(account, "Growth")
        yield* pay(account)
        yield* setFacts(account, { lapsed: true })
        expect(yield* checkout(account, "Growth")).not.toBe(open)
      }),
    )
  })

  describe("the simulated checkout", () => {
    shared("shows the offer and one button, and buys nothing by being looked at", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const path = yield* checkout(account, "Growth")
        const page = yield* call(`GET ${path}`)
        expect(page.status).toBe(200)
        expect(page.headers.get("content-type")).toMatch(/^text\/html/)
        expect(page.headers.get("cache-control")).toBe("no-store")
        expect(page.text).toContain("Growth")
        expect(page.text.match(/<button/g)).toHaveLength(1)
        expect(page.text).toContain(`method="post" action="${path}/complete"`)
        expect(yield* plan(account.key)).toMatchObject({ account: { plan: "Free", billingLinked: false } })
      }),
    )

    shared("works once: 410 to a program, a page with 410 to a person", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const path = yield* checkout(account)
        yield* call(`POST ${path}/complete`, { body: {} })
        const again = yield* call(`POST ${path}/complete`, { body: {} })
        expect([again.status, again.json]).toEqual([
          410,
          { error: expect.any(String), code: "CHECKOUT_COMPLETED" },
        ])
        for (const page of [yield* call(`GET ${path}`), yield* call(`POST ${path}/complete`, form)]) {
          expect(page.status).toBe(410)
          expect(page.headers.get("content-type")).toMatch(/^text\/html/)
        }
      }),
    )

    rule("expires after 24 hours: 410", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const path = yield* checkout(account)
        yield* TestClock.adjust(CHECKOUT_TTL - 1)
        expect((yield* call(`GET ${path}`)).status).toBe(200)
        yield* TestClock.adjust(1)
        expect((yield* call(`GET ${path}`)).status).toBe(410)
        const late = yield* call(`POST ${path}/complete`, { body: {} })
        expect([late.status, late.json]).toEqual([
          410,
          { error: expect.any(String), code: "CHECKOUT_EXPIRED" },
        ])
        expect(yield* plan(account.key)).toMatchObject({ account: { plan: "Free" } })
      }),
    )

    shared("that is unknown gives 404, to a person as a page", () =>
      Effect.gen(function* () {
        const page = yield* call("GET /checkout/unknown")
        expect(page.status).toBe(404)
        expect(page.headers.get("content-type")).toMatch(/^text\/html/)
        const answer = yield* call("POST /checkout/unknown/complete", { body: {} })
        expect(answer.json).toEqual({ error: expect.any(String), code: "CHECKOUT_NOT_FOUND" })
      }),
    )
  })
})
