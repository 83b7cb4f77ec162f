/** Signup, and reading the account. */
import { Effect } from "effect"
import { expect } from "vitest"
import { agent, newcomer, PASSWORD, scopedKey, signIn, signUp, withinOne } from "../../src/agents.js"
import { fieldsAt, textAt } from "../../src/Answer.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import { anyId, anyText, expectAnswer, expectError, expectInvalid, expectWithin } from "../expectations.js"

/** A signup with some of its fields changed. */
const signupWith = (change: Readonly<Record<string, unknown>>) =>
  Effect.gen(function* () {
    const { call } = yield* World
    const { body, headers } = yield* newcomer
    return yield* call("POST /v1/signup", { body: { ...body, ...change }, headers })
  })

/** This many signups from one unused client address. */
const signups = (count: number) =>
  Effect.gen(function* () {
    const { call } = yield* World
    const { headers } = yield* newcomer
    const signup = Effect.flatMap(newcomer, ({ body }) => call("POST /v1/signup", { body, headers }))
    return yield* Effect.replicateEffect(signup, count)
  })

export const signup: Part = [
  row("endpoints.bearer", "the key counts in Authorization: Bearer, and nowhere else", function* () {
    const { call } = yield* World
    const { key } = yield* agent()
    const status = (headers: Record<string, string>, query = "") =>
      Effect.map(call(`GET /v1/mailboxes${query}`, { headers }), (answer) => answer.status)
    expect(yield* status({ authorization: `Bearer ${key}` })).toBe(200)
    expect(yield* status({ authorization: key })).toBe(401)
    expect(yield* status({ authorization: `Basic ${btoa(`${key}:`)}` })).toBe(401)
    expect(yield* status({ "x-api-key": key })).toBe(401)
    expect(yield* status({}, `?key=${key}`)).toBe(401)
  }),
  row("endpoints.quota", "success and refusal carry X-Service-Inbound-Quota", function* () {
    const { call } = yield* agent()
    for (const target of ["GET /v1/account", "GET /v1/mailboxes/nothing"])
      expect((yield* call(target)).headers.get("x-service-inbound-quota")).toBe("0/100")
  }),

  row("signup.create.201", "a signup answers with exactly what it is told to", function* () {
    const { call } = yield* World
    const { slug, body, headers } = yield* newcomer
    const domain = `${slug}.mailroom.localhost`
    expectAnswer(yield* call("POST /v1/signup", { body, headers }), 201, {
      user: { id: anyId, email: body.email, slug, platform_domain: domain },
      mailbox: { id: anyId, address: `agent@${domain}` },
      api_key: { key: expect.stringMatching(/^mr_[0-9a-f]{64}$/) },
      email_verified: false,
      next_steps: { verify_email: anyText, create_mailbox: anyText },
    })
  }),
  row("signup.create.name", "with a name it is the account's, without one it is null", function* () {
    const named = yield* signUp({ name: "Ada Lovelace" })
    expectWithin(yield* named.call("GET /v1/account"), 200, { account: { name: "Ada Lovelace" } })
    const unnamed = yield* signUp()
    expectWithin(yield* unnamed.call("GET /v1/account"), 200, { account: { name: null } })
  }),
  row("signup.create.remaining", "the header counts down from 4", function* () {
    const left = (yield* withinOne("hour", signups(2))).map(({ headers }) =>
      headers.get("x-ratelimit-remaining"),
    )
    expect(left).toEqual(["4", "3"])
  }),
  row("signup.create.400-email", "no address, or text that is none, is refused by name", function* () {
    for (const email of [undefined, "", "ada", "ada@", "Ada <ada@acme.dev>", 7])
      expectInvalid(yield* signupWith({ email }), "email")
  }),
  row("signup.create.400-password", "no password is refused by name", function* () {
    for (const password of [undefined, "", 7]) expectInvalid(yield* signupWith({ password }), "password")
  }),
  row("signup.create.400-slug", "too short, too long and other characters are refused by name", function* () {
    for (const slug of [undefined, "ab", "a".repeat(31), "Ada", "ada_bot", "ada.bot", "ada bot", 7])
      expectInvalid(yield* signupWith({ slug }), "slug")
  }),
  row(
    "signup.create.409-email",
    "the second signup with an address is refused, whatever its case",
    function* () {
      const { email } = yield* signUp()
      for (const again of [email, email.toUpperCase()])
        expectError(yield* signupWith({ email: again }), 409, "EMAIL_TAKEN")
    },
  ),
  row("signup.create.409-slug", "the second signup with a slug is refused", function* () {
    const { slug } = yield* signUp()
    expectError(yield* signupWith({ slug }), 409, "SLUG_TAKEN")
  }),
  row("signup.create.429", "the 6th of an hour is refused", function* () {
    const answers = yield* withinOne("hour", signups(6))
    expect(answers.slice(0, 5).map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    for (const answer of answers.slice(5)) expectError(answer, 429, "RATE_LIMITED")
  }),
  virtual("signup.create.500", "a fault inside tells nothing of itself", function* () {
    yield* (yield* Virtual).fail("code")
    expectAnswer(yield* signupWith({}), 500, { error: "Internal error", code: "INTERNAL_ERROR" })
  }),

  row("signup.check-slug.200", "a free slug is available, a taken one is not", function* () {
    const { call } = yield* World
    const { slug: free, headers } = yield* newcomer
    const { slug: taken } = yield* signUp()
    const check = (slug: string) => call(`GET /v1/signup/check-slug?slug=${slug}`, { headers })
    expectAnswer(yield* check(free), 200, { available: true })
    expectAnswer(yield* check(taken), 200, { available: false, reason: "taken" })
  }),
  row("signup.check-slug.reserved", "a reserved one says so", function* () {
    const { call } = yield* World
    const { headers } = yield* newcomer
    for (const slug of ["admin", "www", "postmaster"])
      expectAnswer(yield* call(`GET /v1/signup/check-slug?slug=${slug}`, { headers }), 200, {
        available: false,
        reason: "reserved",
      })
  }),
  row(
    "signup.check-slug.400",
    "none, a short one, a long one and other characters are refused",
    function* () {
      const { call } = yield* World
      const { headers } = yield* newcomer
      for (const query of ["", "?slug=", "?slug=ab", `?slug=${"a".repeat(31)}`, "?slug=Ada", "?slug=ada_bot"])
        expectInvalid(yield* call(`GET /v1/signup/check-slug${query}`, { headers }), "slug")
    },
  ),
  row("signup.check-slug.429", "the 31st of a minute is refused", function* () {
    const { call } = yield* World
    const checks = Effect.flatMap(newcomer, ({ headers, slug }) =>
      Effect.replicateEffect(call(`GET /v1/signup/check-slug?slug=${slug}`, { headers }), 31),
    )
    const answers = yield* withinOne("minute", checks)
    expect(answers.slice(0, 30).map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 200))
    for (const answer of answers.slice(30)) expectError(answer, 429, "RATE_LIMITED")
  }),

  row("account.get.200", "plan, storage, counts, usage, quota and linkage are all there", function* () {
    const { call } = yield* agent()
    const answer = yield* call("GET /v1/account")
    expect(fieldsAt(answer.json, "account")).toEqual(
      expect.arrayContaining([
        "plan",
        "storageUsedBytes",
        "storageLimitBytes",
        "mailboxCount",
        "mailboxLimit",
        "sentToday",
        "sentThisMonth",
        "receivedToday",
        "monthlyInboundCount",
        "monthlyInboundLimit",
        "overLimitMessageCount",
        "billingLinked",
      ]),
    )
  }),
  row("account.get.session", "a session reads what the key reads", function* () {
    const { call } = yield* World
    const owner = yield* agent()
    const byKey = yield* owner.call("GET /v1/account")
    const bySession = yield* call("GET /v1/account", { cookie: yield* signIn(owner) })
    expect([bySession.status, bySession.json]).toEqual([200, byKey.json])
  }),
  row("account.get.401", "without a key it is not read", function* () {
    const { call } = yield* World
    expectError(yield* call("GET /v1/account"), 401, "UNAUTHORIZED")
  }),
  row("account.get.403", "a scoped key does not read it", function* () {
    const { call } = yield* scopedKey(yield* agent())
    expectError(yield* call("GET /v1/account"), 403, "SCOPE_FORBIDDEN")
  }),

  row("account.sign-in", "the right password opens a session that the browser keeps to itself", function* () {
    const { call } = yield* World
    const { email, slug } = yield* agent()
    const answer = yield* call("POST /api/auth/sign-in/email", { body: { email, password: PASSWORD } })
    const cookie = answer.headers.get("set-cookie") ?? ""
    expect(answer.status).toBe(200)
    expect(cookie).toMatch(/^mailroom_session=[^;]+;/)
    expect(cookie).toMatch(/HttpOnly/i)
    expect(cookie).toMatch(/SameSite=Lax/i)
    const account = yield* call("GET /v1/account", { cookie: cookie.split(";")[0] ?? "" })
    expect(textAt(account.json, "account.slug")).toBe(slug)
  }),
]
