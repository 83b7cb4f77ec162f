/** Verification links beyond `decisions.verify.*`: headers of the page, expiry, a second use, wrong bodies. */
import { describe } from "@effect/vitest"
import { VERIFICATION_TTL } from "@mailroom/domain"
import { Engine } from "@mailroom/engine"
import { InMemoryHttp } from "@mailroom/testing"
import { Effect, TestClock } from "effect"
import { expect } from "vitest"
import { PASSWORD, signUp, verificationToken, verify } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { inOneService, rule } from "./support/service.js"

const form = { "content-type": "application/x-www-form-urlencoded" }

inOneService((shared) => {
  describe("the link in the verification mail", () => {
    shared("opens a page that is not cached, not framed, and tells nobody its address", () =>
      Effect.gen(function* () {
        const { call } = yield* InMemoryHttp
        const { headers } = yield* call("GET /v1/auth/verify-email?token=1")
        expect(headers.get("cache-control")).toBe("no-store")
        expect(headers.get("referrer-policy")).toBe("no-referrer")
        expect(headers.get("x-content-type-options")).toBe("nosniff")
        expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
      }),
    )

    shared("puts nothing of the link into the page as HTML", () =>
      Effect.gen(function* () {
        const { call } = yield* InMemoryHttp
        const { text } = yield* call(`GET /v1/auth/verify-email?token=${encodeURIComponent(`"><script>`)}`)
        expect(text).not.toContain("<script>")
      }),
    )

    shared("without its token says that it is incomplete", () =>
      Effect.gen(function* () {
        const { call } = yield* InMemoryHttp
        const page = yield* call("GET /v1/auth/verify-email")
        expect(page.status).toBe(400)
        expect(page.headers.get("content-type")).toMatch(/^text\/html/)
      }),
    )
  })

  describe("POST /v1/auth/verify-email", () => {
    shared("sends an owner whose agent has not called yet to /onboarding", () =>
      Effect.gen(function* () {
        const email = "ada@acme.dev"
        yield* ask("POST /v1/signup", { body: { email, password: PASSWORD, slug: "acme" } })
        yield* Engine.settle
        const body = { token: yield* verificationToken(email) }
        const answer = yield* ask("POST /v1/auth/verify-email", { body })
        expect(answer.json).toMatchObject({ target: "/onboarding" })
      }),
    )

    for (const target of ["/onboarding", "/dashboard?verified=true"])
      shared(`leads to a page that is there: ${target}`, () =>
        Effect.gen(function* () {
          const { call } = yield* InMemoryHttp
          const page = yield* call(`GET ${target}`)
          expect(page.status).toBe(200)
          expect(page.headers.get("content-type")).toMatch(/^text\/html/)
        }),
      )

    rule("a second time changes nothing", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        yield* verify(account)
        const before = yield* ask("GET /v1/account", { key: account.key })
        yield* TestClock.adjust("1 hour")
        expect((yield* verify(account)).status).toBe(200)
        expect((yield* ask("GET /v1/account", { key: account.key })).json).toEqual(before.json)
      }),
    )

    shared("answers 400 to a token that is unknown, of the wrong type or missing", () =>
      Effect.gen(function* () {
        const unknown = yield* ask("POST /v1/auth/verify-email", { body: { token: "0".repeat(64) } })
        expect(unknown.status).toBe(400)
        expect(unknown.json).toMatchObject({ code: "INVALID_TOKEN" })
        for (const body of [{ token: 7 }, {}, []])
          expect((yield* ask("POST /v1/auth/verify-email", { body })).status).toBe(400)
      }),
    )

    for (const [what, body] of [
      ["whose link is over", `token=${"0".repeat(64)}`],
      ["without its token", "tokem=1"],
    ] as const)
      shared(`shows a form ${what} a page`, () =>
        Effect.gen(function* () {
          const answer = yield* ask("POST /v1/auth/verify-email", { body, headers: form })
          expect(answer.status).toBe(400)
          expect(answer.headers.get("content-type")).toMatch(/^text\/html/)
          expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'")
        }),
      )

    rule("offers a form whose link is over to send the mail again", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const first = yield* verificationToken(account.email)
        yield* TestClock.adjust(VERIFICATION_TTL)
        const over = yield* ask("POST /v1/auth/verify-email", { body: `token=${first}`, headers: form })
        expect(over.text).toContain(`method="post" action="/v1/auth/resend-verification"`)
        expect(over.text).toContain(`name="email"`)
        const body = `email=${encodeURIComponent(account.email)}`
        const sent = yield* ask("POST /v1/auth/resend-verification", { body, headers: form })
        expect([sent.status, sent.headers.get("content-type")]).toEqual([
          200,
          expect.stringMatching(/^text\/html/),
        ])
        yield* Engine.settle
        const token = yield* verificationToken(account.email)
        const answer = yield* ask("POST /v1/auth/verify-email", { body: `token=${token}`, headers: form })
        expect(answer.status).toBe(303)
      }),
    )

    rule("answers 400 after seven days", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        yield* TestClock.adjust(VERIFICATION_TTL)
        expect((yield* verify(account)).json).toMatchObject({ code: "INVALID_TOKEN" })
      }),
    )
  })

  describe("POST /v1/auth/resend-verification", () => {
    const resend = (email: unknown) => ask("POST /v1/auth/resend-verification", { body: { email } })

    shared("answers 400 to what is no address", () =>
      Effect.gen(function* () {
        for (const email of ["ada", 7, undefined]) expect((yield* resend(email)).status).toBe(400)
      }),
    )
  })
})
