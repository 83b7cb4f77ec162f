/**
 * A new password by a link in a mail, beyond `decisions.password-reset`: pages, forms, used and old links
 * (docs/decisions/0014).
 */
import { describe, it } from "@effect/vitest"
import { PASSWORD_RESET_TTL, PASSWORD_WORK_AT_ONCE, PASSWORD_WORK_WAITING_PER_SITE } from "@mailroom/domain"
import { Engine, Passwords } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { clockAt, InMemoryHttp } from "@mailroom/testing"
import { Deferred, Effect, Fiber, Layer, TestClock } from "effect"
import { expect } from "vitest"
import { type Owner, PASSWORD, signIn, signUp } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { engineWith, inOneService, rule } from "./support/service.js"

const NEW = "a new and better password"
const form = { "content-type": "application/x-www-form-urlencoded" }

const request = (email: unknown) => ask("POST /api/auth/request-password-reset", { body: { email } })
const reset = (token: unknown, password: unknown = NEW) =>
  ask("POST /api/auth/reset-password", { body: { token, password } })
const signInWith = (email: string, password: string) =>
  Effect.map(ask("POST /api/auth/sign-in/email", { body: { email, password } }), ({ status }) => status)

/** The token in the newest reset mail to an address. */
const resetToken = ({ email }: Owner) =>
  Effect.gen(function* () {
    yield* request(email)
    yield* Engine.settle
    const { sent } = yield* MemoryRelay
    const mail = (yield* sent).findLast(({ envelope }) => envelope.to.includes(email))
    const text = new TextDecoder().decode(mail?.raw).replace(/=\r\n/g, "").replace(/=3D/g, "=")
    return /^http:\/\/mailroom\.test\/reset-password\?token=([0-9a-f]{64})\r?$/m.exec(text)?.[1] ?? ""
  })

inOneService((shared) => {
  describe("POST /api/auth/request-password-reset", () => {
    shared("answers a known and an unknown address the same", () =>
      Effect.gen(function* () {
        const { email } = yield* signUp()
        for (const address of [email, "nobody@acme.dev"]) {
          const answer = yield* request(address)
          expect([answer.status, answer.json]).toEqual([200, { ok: true }])
          expect(answer.headers.has("x-service-inbound-quota")).toBe(false)
        }
        for (let asked = 0; asked < 10; asked++) expect((yield* request(email)).json).toEqual({ ok: true })
      }),
    )

    shared("answers 400 to what is no address", () =>
      Effect.gen(function* () {
        for (const email of ["ada", 7, undefined]) expect((yield* request(email)).status).toBe(400)
      }),
    )
  })

  describe("the link in the mail", () => {
    rule("opens a page with a form, and changes nothing by itself", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const token = yield* resetToken(account)
        const { call } = yield* InMemoryHttp
        const page = yield* call(`GET /reset-password?token=${token}`)
        expect(page.status).toBe(200)
        expect(page.headers.get("content-type")).toMatch(/^text\/html/)
        expect(page.text).toContain(`method="post" action="/api/auth/reset-password"`)
        expect(page.text).toContain(`name="token" value="${token}"`)
        expect(page.text).toMatch(
          /<input type="password" name="password"[^>]* minlength="8" maxlength="256">/,
        )
        expect(yield* signInWith(account.email, PASSWORD)).toBe(200)
        expect((yield* reset(token)).status).toBe(200)
      }),
    )

    shared("opens a page that is not cached, not framed, loads nothing, and tells nobody its address", () =>
      Effect.gen(function* () {
        const { call } = yield* InMemoryHttp
        const { headers } = yield* call("GET /reset-password?token=1")
        expect(headers.get("cache-control")).toBe("no-store")
        expect(headers.get("referrer-policy")).toBe("no-referrer")
        expect(headers.get("x-content-type-options")).toBe("nosniff")
        const policy = headers.get("content-security-policy")
        for (const part of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'"])
          expect(policy).toContain(part)
      }),
    )

    shared("puts nothing of the link into the page as HTML", () =>
      Effect.gen(function* () {
        const { call } = yield* InMemoryHttp
        const { text } = yield* call(`GET /reset-password?token=${encodeURIComponent(`"><script>`)}`)
        expect(text).not.toContain("<script>")
      }),
    )

    shared("without its token says that it is incomplete", () =>
      Effect.gen(function* () {
        const { call } = yield* InMemoryHttp
        const page = yield* call("GET /reset-password")
        expect(page.status).toBe(400)
        expect(page.headers.get("content-type")).toMatch(/^text\/html/)
      }),
    )
  })

  describe("POST /api/auth/reset-password", () => {
    rule("ends the sessions that are open, and leaves the keys alone", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const cookie = yield* signIn(account)
        yield* reset(yield* resetToken(account))
        expect((yield* ask("GET /v1/account", { cookie })).status).toBe(401)
        expect((yield* ask("GET /v1/account", { key: account.key })).status).toBe(200)
      }),
    )

    rule("answers a form with a page that says that the password is set", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const body = `token=${yield* resetToken(account)}&password=${encodeURIComponent(NEW)}`
        const answer = yield* ask("POST /api/auth/reset-password", { body, headers: form })
        expect(answer.status).toBe(200)
        expect(answer.text).toContain("<h1>Your password is set</h1>")
        expect(answer.text).not.toContain("/signin")
        expect(yield* signInWith(account.email, NEW)).toBe(200)
      }),
    )

    rule("answers 400 to a token that is unknown, used or an hour old", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const used = yield* resetToken(account)
        yield* reset(used)
        const old = yield* resetToken(account)
        yield* TestClock.adjust(PASSWORD_RESET_TTL)
        for (const token of ["0".repeat(64), "", used, old]) {
          const answer = yield* reset(token, "yet another password")
          expect([answer.status, answer.json]).toMatchObject([400, { code: "INVALID_TOKEN" }])
        }
        expect(yield* signInWith(account.email, NEW)).toBe(200)
      }),
    )

    shared("shows a form whose link is over a page that says so", () =>
      Effect.gen(function* () {
        const body = `token=${"0".repeat(64)}&password=${encodeURIComponent(NEW)}`
        const answer = yield* ask("POST /api/auth/reset-password", { body, headers: form })
        expect(answer.status).toBe(400)
        expect(answer.headers.get("content-type")).toMatch(/^text\/html/)
        expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'")
      }),
    )

    for (const [what, password] of [
      ["too short", "1234567"],
      ["too long", "p".repeat(257)],
      ["missing", null],
    ] as const)
      rule(`answers 400 to a password that is ${what}, and the link still works`, () =>
        Effect.gen(function* () {
          const account = yield* signUp()
          const token = yield* resetToken(account)
          const answer = yield* reset(token, password)
          expect([answer.status, answer.json]).toMatchObject([400, { code: "VALIDATION_FAILED" }])
          const body = `token=${token}${password === null ? "" : `&password=${password}`}`
          const page = yield* ask("POST /api/auth/reset-password", { body, headers: form })
          expect([page.status, page.headers.get("content-type")]).toEqual([
            400,
            expect.stringMatching(/^text\/html/),
          ])
          expect(page.text).toContain("password: ")
          expect((yield* reset(token)).status).toBe(200)
        }),
      )
  })
})

describe("a form of a new password, while too many passwords are hashed", () => {
  it.scoped("is answered with a page, 503", () =>
    Effect.gen(function* () {
      const mayEnd = yield* Deferred.make<void>()
      const slowPasswords = Layer.effect(
        Passwords,
        Effect.map(Passwords, (passwords): Passwords["Type"] => ({
          ...passwords,
          hash: (password) =>
            password === NEW
              ? Effect.zipRight(Deferred.await(mayEnd), passwords.hash(password))
              : passwords.hash(password),
        })),
      )
      const filled = Effect.gen(function* () {
        const account = yield* signUp()
        const token = yield* resetToken(account)
        const waiting = yield* Effect.replicateEffect(
          Effect.fork(reset(token)),
          PASSWORD_WORK_AT_ONCE + PASSWORD_WORK_WAITING_PER_SITE,
        )
        yield* Effect.repeatN(Effect.yieldNow(), 1000)
        const body = `token=${token}&password=${encodeURIComponent(NEW)}`
        const answer = yield* ask("POST /api/auth/reset-password", { body, headers: form })
        yield* Deferred.succeed(mayEnd, undefined)
        yield* Fiber.joinAll(waiting)
        return answer
      })
      const { status, headers } = yield* filled.pipe(
        Effect.provide(Layer.provideMerge(InMemoryHttp.layerOver, engineWith(slowPasswords))),
        Effect.provide(clockAt(0)),
      )
      expect([status, headers.get("content-type"), headers.get("retry-after")]).toEqual([
        503,
        expect.stringMatching(/^text\/html/),
        "2",
      ])
    }),
  )
})
