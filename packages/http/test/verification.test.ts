/** Verifying the owner's address (decisions §4). */
import { describe } from "@effect/vitest"
import { VERIFICATION_TTL } from "@mailroom/domain"
import { Engine } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { InMemoryHttp } from "@mailroom/testing"
import { Effect, TestClock } from "effect"
import { expect } from "vitest"
import { owner, PASSWORD, signUp, verificationToken, verify } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { rule } from "./support/service.js"

const mailsTo = (email: string) =>
  Effect.flatMap(MemoryRelay, ({ sent }) =>
    Effect.map(sent, (mails) => mails.filter(({ envelope }) => envelope.to.includes(email)).length),
  )

const form = { "content-type": "application/x-www-form-urlencoded" }

describe("the link in the verification mail", () => {
  rule("opens a page with one button, and verifies nobody by itself", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const { call } = yield* InMemoryHttp
      const token = yield* verificationToken(account.email)
      const page = yield* call(`GET /v1/auth/verify-email?token=${token}`)
      expect(page.status).toBe(200)
      expect(page.headers.get("content-type")).toMatch(/^text\/html/)
      expect(page.text.match(/<button/g)).toHaveLength(1)
      expect(page.text).toContain(`method="post" action="/v1/auth/verify-email"`)
      expect(page.text).toContain(`value="${token}"`)
      const answer = yield* ask("GET /v1/account", { key: account.key })
      expect(answer.json).toMatchObject({ account: { emailVerified: false, state: "unverified" } })
    }),
  )

  rule("opens a page that is not cached, not framed, and tells nobody its address", () =>
    Effect.gen(function* () {
      const { call } = yield* InMemoryHttp
      const { headers } = yield* call("GET /v1/auth/verify-email?token=1")
      expect(headers.get("cache-control")).toBe("no-store")
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
    }),
  )

  rule("puts nothing of the link into the page as HTML", () =>
    Effect.gen(function* () {
      const { call } = yield* InMemoryHttp
      const { text } = yield* call(`GET /v1/auth/verify-email?token=${encodeURIComponent(`"><script>`)}`)
      expect(text).not.toContain("<script>")
    }),
  )

  rule("without its token says that it is incomplete", () =>
    Effect.gen(function* () {
      const { call } = yield* InMemoryHttp
      const page = yield* call("GET /v1/auth/verify-email")
      expect(page.status).toBe(400)
      expect(page.headers.get("content-type")).toMatch(/^text\/html/)
    }),
  )
})

describe("POST /v1/auth/verify-email", () => {
  rule("answers a program 200 with the target, and the trial begins", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const answer = yield* verify(account)
      expect([answer.status, answer.json]).toEqual([200, { ok: true, target: "/dashboard?verified=true" }])
      expect((yield* ask("GET /v1/account", { key: account.key })).json).toMatchObject({
        account: {
          emailVerified: true,
          state: "trial",
          trial: { active: true, sendCap: 10, receiveCap: 10 },
        },
      })
    }),
  )

  rule("answers a form 303 to the target", () =>
    Effect.gen(function* () {
      const { email } = yield* signUp()
      const body = `token=${yield* verificationToken(email)}`
      const answer = yield* ask("POST /v1/auth/verify-email", { body, headers: form })
      expect(answer.status).toBe(303)
      expect(answer.headers.get("location")).toBe("/dashboard?verified=true")
    }),
  )

  rule("sends an owner whose agent has not called yet to /onboarding", () =>
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
    rule(`leads to a page that is there: ${target}`, () =>
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

  rule("answers 400 to a token that is unknown, of the wrong type or missing", () =>
    Effect.gen(function* () {
      const unknown = yield* ask("POST /v1/auth/verify-email", { body: { token: "0".repeat(64) } })
      expect(unknown.status).toBe(400)
      expect(unknown.json).toMatchObject({ code: "INVALID_TOKEN" })
      for (const body of [{ token: 7 }, {}, []])
        expect((yield* ask("POST /v1/auth/verify-email", { body })).status).toBe(400)
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

  rule("sends another mail whose link works", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const first = yield* verificationToken(account.email)
      const answer = yield* resend(account.email)
      expect([answer.status, answer.json]).toEqual([200, { ok: true }])
      yield* Engine.settle
      expect(yield* mailsTo(account.email)).toBe(2)
      expect(yield* verificationToken(account.email)).not.toBe(first)
      expect((yield* verify(account)).status).toBe(200)
    }),
  )

  rule("answers an unknown address and a verified one the same, and sends nothing", () =>
    Effect.gen(function* () {
      const { email } = yield* owner("trial")
      const before = yield* mailsTo(email)
      for (const address of ["nobody@acme.dev", email]) {
        const answer = yield* resend(address)
        expect([answer.status, answer.json]).toEqual([200, { ok: true }])
      }
      yield* Engine.settle
      expect(yield* mailsTo(email)).toBe(before)
      expect(yield* mailsTo("nobody@acme.dev")).toBe(0)
    }),
  )

  rule("answers 400 to what is no address", () =>
    Effect.gen(function* () {
      for (const email of ["ada", 7, undefined]) expect((yield* resend(email)).status).toBe(400)
    }),
  )
})
