/** Keys, sessions and where a session's request may come from (spec, Authentication; decisions §3). */
import { describe } from "@effect/vitest"
import { CreatedKey } from "@mailroom/api"
import { ApiKey, SESSION_TTL, WRONG_PASSWORDS_MAX, WRONG_PASSWORDS_WINDOW } from "@mailroom/domain"
import { Effect, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { cookieIn, owner, PASSWORD, scopedKey, signIn, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { inOneScene, inOneService, rule } from "./support/service.js"

const Keys = Schema.Struct({ keys: Schema.Array(ApiKey) })

describe("an API key", () => {
  rule("that is missing gives 401", () =>
    Effect.gen(function* () {
      const answer = yield* ask("GET /v1/account")
      expect(answer.status).toBe(401)
      expect(answer.json).toEqual({ error: expect.stringMatching(/missing/i), code: "UNAUTHORIZED" })
    }),
  )

  inOneService((shared) => {
    for (const [what, authorization] of [
      ["unknown", `Bearer mr_${"0".repeat(64)}`],
      ["no key of ours", "Bearer sk_live_1234"],
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

  rule("is taken whatever the case of its scheme", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      expect((yield* ask("GET /v1/account", { headers: { authorization: `bearer ${key}` } })).status).toBe(
        200,
      )
    }),
  )

  rule("is not taken from the query", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      expect((yield* ask(`GET /v1/account?key=${key}&access_token=${key}`)).status).toBe(401)
    }),
  )

  rule("that was revoked gives 401 at once", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp().pipe(
        Effect.flatMap((account) =>
          Effect.tap(scopedKey(account), ({ id }) => ask(`DELETE /v1/api-keys/${id}`, { key: account.key })),
        ),
      )
      const answer = yield* ask("GET /v1/mailboxes", { key })
      expect(answer.status).toBe(401)
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

  rule("does not mind the case of the address", () =>
    Effect.gen(function* () {
      yield* signUp()
      const body = { email: "ADA@acme.dev", password: PASSWORD }
      expect((yield* ask("POST /api/auth/sign-in/email", { body })).status).toBe(200)
    }),
  )

  rule("answers a wrong password and an unknown address alike", () =>
    Effect.gen(function* () {
      const { email } = yield* signUp()
      const wrong = yield* ask("POST /api/auth/sign-in/email", {
        body: { email, password: "wrong password" },
      })
      const unknown = yield* ask("POST /api/auth/sign-in/email", {
        body: { email: "nobody@acme.dev", password: PASSWORD },
      })
      expect(wrong.status).toBe(401)
      expect(wrong.headers.get("set-cookie")).toBeNull()
      expect([unknown.status, unknown.text]).toEqual([wrong.status, wrong.text])
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

  rule("again while signed in opens another session, and the first goes on", () =>
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

  rule("carries no quota headers", () =>
    Effect.gen(function* () {
      const { email } = yield* signUp()
      const answer = yield* ask("POST /api/auth/sign-in/email", { body: { email, password: PASSWORD } })
      expect(answer.headers.has("x-service-inbound-quota")).toBe(false)
    }),
  )
})

describe("a session", () => {
  rule("recovers a lost key (spec, Authentication 6)", () =>
    Effect.gen(function* () {
      const account = yield* owner("trial")
      const lost = account.key

      // "sign in with email and password via POST /api/auth/sign-in/email to obtain a session cookie"
      const signedIn = yield* ask("POST /api/auth/sign-in/email", {
        body: { email: account.email, password: PASSWORD },
      })
      expect(signedIn.status).toBe(200)
      const cookie = cookieIn(signedIn)

      // "then POST /v1/api-keys with the cookie to get a replacement key"
      const made = yield* ask("POST /v1/api-keys", { cookie, body: { name: "replacement" } })
      expect(made.status).toBe(201)
      const { key, id, scoped } = read(CreatedKey)(made)
      expect(scoped).toBe(false)

      // "then revoke the lost key with DELETE /v1/api-keys/{id} using the new key"
      const listed = read(Keys)(yield* ask("GET /v1/api-keys", { key }))
      const [lostId] = listed.keys.filter((one) => one.id !== id).map((one) => one.id)
      const revoked = yield* ask(`DELETE /v1/api-keys/${lostId}`, { key })
      expect([revoked.status, revoked.json]).toEqual([200, { revoked: true }])

      expect((yield* ask("GET /v1/account", { key: lost })).status).toBe(401)
      expect((yield* ask("GET /v1/mailboxes", { key })).status).toBe(200)
      // The replacement is the only full-access key now.
      const last = yield* ask(`DELETE /v1/api-keys/${id}`, { key })
      expect([last.status, last.json]).toMatchObject([400, { code: "LAST_FULL_KEY" }])
    }),
  )

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

  rule("does not stand in for a key that is wrong", () =>
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

  for (const origin of [
    "https://evil.dev",
    "http://mailroom.test.evil.dev",
    "http://mailroom.test:81",
    "null",
  ])
    rule(`refuses a change from ${origin}`, () =>
      Effect.gen(function* () {
        const answer = yield* rename({ origin, host: "mailroom.test" })
        expect(answer.status).toBe(403)
        expect(answer.json).toMatchObject({ code: "FOREIGN_ORIGIN" })
        expect(answer.headers.get("x-service-inbound-quota")).toBe("0/100")
      }),
    )

  rule("lets our own pages in", () =>
    Effect.gen(function* () {
      expect((yield* rename({ origin: "http://mailroom.test" })).status).toBe(200)
    }),
  )

  rule("lets the host in that was asked, where the public address is another", () =>
    Effect.gen(function* () {
      expect((yield* rename({ origin: "http://127.0.0.1:3000", host: "127.0.0.1:3000" })).status).toBe(200)
    }),
  )

  rule("may be absent: what sends none is no browser", () =>
    Effect.gen(function* () {
      expect((yield* rename({})).status).toBe(200)
    }),
  )

  rule("is looked at when a session signs out, and lets it stay signed in", () =>
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

  rule("is looked at when somebody signs in: no other page does that for its visitors", () =>
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

  rule("does not matter to a sign-out without a session: there is nothing to protect", () =>
    Effect.gen(function* () {
      const answer = yield* ask("POST /api/auth/sign-out", { headers: { origin: "https://evil.dev" } })
      expect([answer.status, answer.json]).toEqual([200, { ok: true }])
    }),
  )

  rule("is not looked at on a GET", () =>
    Effect.gen(function* () {
      const cookie = yield* Effect.flatMap(signUp(), signIn)
      const answer = yield* ask("GET /v1/account", { cookie, headers: { origin: "https://evil.dev" } })
      expect(answer.status).toBe(200)
    }),
  )

  rule("does not matter to a key", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const headers = { origin: "https://evil.dev" }
      const answer = yield* ask("POST /v1/api-keys", { key, headers, body: { name: "second" } })
      expect(answer.status).toBe(201)
    }),
  )
})
