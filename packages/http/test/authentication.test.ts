/** Keys, sessions and origins beyond `authentication.*`: schemes, cookies, limits of sign-ins, expiry. */
import { describe } from "@effect/vitest"
import { SESSION_TTL, WRONG_PASSWORDS_MAX, WRONG_PASSWORDS_WINDOW } from "@mailroom/domain"
import { Effect, TestClock } from "effect"
import { expect } from "vitest"
import { cookieIn, PASSWORD, signIn, signUp } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { inOneScene, inOneService, rule } from "./support/service.js"

inOneService((shared) => {
  describe("an API key", () => {
    inOneService((shared) => {
      for (const [what, authorization] of [
        ["empty", "Bearer "],
        ["two", "Bearer mr_1 mr_2"],
      ] as const)
        shared(`that is ${what} gives 401`, () =>
          Effect.gen(function* () {
            const answer = yield* ask("GET /v1/account", { headers: { authorization } })
            expect(answer.status).toBe(401)
            expect(answer.json).toEqual({ error: expect.any(String), code: "UNAUTHORIZED" })
          }),
        )
    })

    // Who is refused changes nothing.
    inOneScene(signUp(), (refused) => {
      for (const scheme of ["Basic", "Token", "ApiKey", ""])
        refused(`under the scheme "${scheme}" gives 401`, ({ key }) =>
          Effect.gen(function* () {
            const answer = yield* ask("GET /v1/account", {
              headers: { authorization: `${scheme} ${key}`.trim() },
            })
            expect(answer.status).toBe(401)
          }),
        )
    })

    shared("is taken whatever the case of its scheme", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        expect((yield* ask("GET /v1/account", { headers: { authorization: `bearer ${key}` } })).status).toBe(
          200,
        )
      }),
    )

    shared("is not taken from the query", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        expect((yield* ask(`GET /v1/account?key=${key}&access_token=${key}`)).status).toBe(401)
      }),
    )
  })

  describe("signing in", () => {
    rule("sets a cookie that scripts cannot read and other sites do not send", () =>
      Effect.gen(function* () {
        const { email } = yield* signUp()
        const answer = yield* ask("POST /api/auth/sign-in/email", { body: { email, password: PASSWORD } })
        expect(answer.status).toBe(200)
        const [pair, ...attributes] = (answer.headers.get("set-cookie") ?? "").split("; ")
        expect(pair).toMatch(/^mailroom_session=[0-9a-f]{64}$/)
        expect(attributes.sort()).toEqual([
          "HttpOnly",
          `Max-Age=${SESSION_TTL / 1000}`,
          "Path=/",
          "SameSite=Lax",
        ])
      }),
    )

    rule(
      "over https binds the cookie to the host and to https",
      () =>
        Effect.gen(function* () {
          const { email } = yield* signUp()
          const answer = yield* ask("POST /api/auth/sign-in/email", { body: { email, password: PASSWORD } })
          const cookie = answer.headers.get("set-cookie")
          expect(cookie).toMatch(/^__Host-mailroom_session=/)
          expect(cookie?.split("; ")).toEqual(expect.arrayContaining(["Secure", "Path=/"]))
        }),
      { baseUrl: "https://mail.acme.dev" },
    )

    shared("does not mind the case of the address", () =>
      Effect.gen(function* () {
        const { email } = yield* signUp()
        const body = { email: email.toUpperCase(), password: PASSWORD }
        expect((yield* ask("POST /api/auth/sign-in/email", { body })).status).toBe(200)
      }),
    )

    rule("ten times with a wrong password makes even the right one wait, 429 with Retry-After", () =>
      Effect.gen(function* () {
        const { email } = yield* signUp()
        const tryWith = (password: string, address = "192.0.2.1") =>
          ask("POST /api/auth/sign-in/email", {
            body: { email, password },
            headers: { "x-forwarded-for": address },
          })
        for (let tried = 0; tried < WRONG_PASSWORDS_MAX; tried++)
          expect((yield* tryWith("wrong password")).status).toBe(401)
        for (const password of ["wrong password", PASSWORD]) {
          const answer = yield* tryWith(password)
          expect([answer.status, answer.json]).toEqual([
            429,
            { error: expect.stringContaining("900 s"), code: "RATE_LIMITED" },
          ])
          expect(answer.headers.get("retry-after")).toBe("900")
          expect(answer.headers.get("set-cookie")).toBeNull()
        }
        expect((yield* tryWith(PASSWORD, "192.0.2.2")).status).toBe(200)
        yield* TestClock.adjust(WRONG_PASSWORDS_WINDOW)
        expect((yield* tryWith(PASSWORD)).status).toBe(200)
      }),
    )

    shared("again while signed in opens another session, and the first goes on", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const cookie = yield* signIn(account)
        const body = { email: account.email, password: PASSWORD }
        const again = yield* ask("POST /api/auth/sign-in/email", { cookie, body })
        expect(again.status).toBe(200)
        for (const session of [cookie, cookieIn(again)])
          expect((yield* ask("GET /v1/account", { cookie: session })).status).toBe(200)
      }),
    )

    shared("carries no quota headers", () =>
      Effect.gen(function* () {
        const { email } = yield* signUp()
        const answer = yield* ask("POST /api/auth/sign-in/email", { body: { email, password: PASSWORD } })
        expect(answer.headers.has("x-service-inbound-quota")).toBe(false)
      }),
    )
  })

  describe("a session", () => {
    rule("ends by signing out, which takes the cookie away", () =>
      Effect.gen(function* () {
        const cookie = yield* Effect.flatMap(signUp(), signIn)
        const out = yield* ask("POST /api/auth/sign-out", { cookie })
        expect(out.headers.get("set-cookie")).toMatch(/^mailroom_session=; Max-Age=0; /)
        const answer = yield* ask("GET /v1/account", { cookie })
        expect(answer.status).toBe(401)
        expect(answer.json).toMatchObject({ error: expect.stringMatching(/session/) })
      }),
    )

    rule("ends after seven days", () =>
      Effect.gen(function* () {
        const cookie = yield* Effect.flatMap(signUp(), signIn)
        yield* TestClock.adjust(SESSION_TTL - 1)
        expect((yield* ask("GET /v1/account", { cookie })).status).toBe(200)
        yield* TestClock.adjust(1)
        expect((yield* ask("GET /v1/account", { cookie })).status).toBe(401)
      }),
    )

    shared("does not stand in for a key that is wrong", () =>
      Effect.gen(function* () {
        const cookie = yield* Effect.flatMap(signUp(), signIn)
        for (const authorization of ["Bearer mr_0", "Basic YTpi"])
          expect((yield* ask("GET /v1/account", { cookie, headers: { authorization } })).status).toBe(401)
      }),
    )

    rule("that is made up gives 401", () =>
      Effect.gen(function* () {
        const answer = yield* ask("GET /v1/account", { cookie: `mailroom_session=${"0".repeat(64)}` })
        expect(answer.status).toBe(401)
      }),
    )
  })

  describe("the Origin of a session's request", () => {
    const rename = Effect.fn(function* (headers: Record<string, string>) {
      const account = yield* signUp()
      const cookie = yield* signIn(account)
      return yield* ask(`PATCH /v1/mailboxes/${account.mailboxId}`, {
        cookie,
        headers,
        body: { displayName: "Ada" },
      })
    })

    for (const origin of ["http://mailroom.test.evil.dev", "http://mailroom.test:81"])
      shared(`refuses a change from ${origin}`, () =>
        Effect.gen(function* () {
          const answer = yield* rename({ origin, host: "mailroom.test" })
          expect(answer.status).toBe(403)
          expect(answer.json).toMatchObject({ code: "FOREIGN_ORIGIN" })
          expect(answer.headers.get("x-service-inbound-quota")).toBe("0/100")
        }),
      )

    shared("lets the host in that was asked, where the public address is another", () =>
      Effect.gen(function* () {
        expect((yield* rename({ origin: "http://127.0.0.1:3000", host: "127.0.0.1:3000" })).status).toBe(200)
      }),
    )

    shared("may be absent: what sends none is no browser", () =>
      Effect.gen(function* () {
        expect((yield* rename({})).status).toBe(200)
      }),
    )

    shared("is looked at when a session signs out, and lets it stay signed in", () =>
      Effect.gen(function* () {
        const cookie = yield* Effect.flatMap(signUp(), signIn)
        for (const origin of ["https://evil.dev", "null"]) {
          const answer = yield* ask("POST /api/auth/sign-out", { cookie, headers: { origin } })
          expect([answer.status, answer.json]).toMatchObject([403, { code: "FOREIGN_ORIGIN" }])
          expect(answer.headers.get("set-cookie")).toBeNull()
        }
        expect((yield* ask("GET /v1/account", { cookie })).status).toBe(200)
        const own = yield* ask("POST /api/auth/sign-out", {
          cookie,
          headers: { origin: "http://mailroom.test" },
        })
        expect(own.json).toEqual({ ok: true })
        expect((yield* ask("GET /v1/account", { cookie })).status).toBe(401)
      }),
    )

    shared("is looked at when somebody signs in: no other page does that for its visitors", () =>
      Effect.gen(function* () {
        const { email } = yield* signUp()
        const body = { email, password: PASSWORD }
        for (const origin of ["https://evil.dev", "null"]) {
          const answer = yield* ask("POST /api/auth/sign-in/email", { body, headers: { origin } })
          expect([answer.status, answer.json]).toMatchObject([403, { code: "FOREIGN_ORIGIN" }])
          expect(answer.headers.get("set-cookie")).toBeNull()
        }
        const headers = { origin: "http://mailroom.test" }
        const own = yield* ask("POST /api/auth/sign-in/email", { body, headers })
        expect([own.status, own.json]).toEqual([200, { ok: true }])
      }),
    )

    shared(
      "does not matter to a sign-out without a session, which leaves the cookie that a browser kept back",
      () =>
        Effect.gen(function* () {
          const answer = yield* ask("POST /api/auth/sign-out", { headers: { origin: "https://evil.dev" } })
          expect([answer.status, answer.json]).toEqual([200, { ok: true }])
          expect(answer.headers.get("set-cookie")).toBeNull()
        }),
    )

    shared("does not matter to a key", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const headers = { origin: "https://evil.dev" }
        const answer = yield* ask("POST /v1/api-keys", { key, headers, body: { name: "second" } })
        expect(answer.status).toBe(201)
      }),
    )
  })
})
