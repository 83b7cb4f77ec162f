/** Signing up and asking for a slug (spec, Signup and account, Rate limits; decisions §3). */
import { describe } from "@effect/vitest"
import { ApiKey, HOUR, MINUTE } from "@mailroom/domain"
import { Effect, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { Mailboxes, PASSWORD, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { inOneService, rule } from "./support/service.js"

const body = { email: "Ada@acme.dev", password: PASSWORD, slug: "acme" }
const from = (address: string) => ({ headers: { "x-forwarded-for": address } })
const Keys = Schema.Struct({ keys: Schema.Array(ApiKey) })

describe("POST /v1/signup", () => {
  rule("answers 201 with the account, its key and what comes next, in snake_case", () =>
    Effect.gen(function* () {
      const answer = yield* ask("POST /v1/signup", { body })
      expect(answer.status).toBe(201)
      expect(answer.json).toEqual({
        user: {
          id: expect.any(String),
          email: "ada@acme.dev",
          slug: "acme",
          platform_domain: "acme.mailroom.localhost",
        },
        mailbox: { id: expect.any(String), address: "agent@acme.mailroom.localhost" },
        api_key: { key: expect.stringMatching(/^mr_[0-9a-f]{64}$/) },
        email_verified: false,
        next_steps: { verify_email: expect.any(String), create_mailbox: expect.any(String) },
      })
    }),
  )

  rule("makes a default key with full access and a default ACTIVE mailbox on the platform domain", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const { keys } = read(Keys)(yield* ask("GET /v1/api-keys", { key }))
      expect(keys).toMatchObject([
        { scoped: false, mailboxIds: null, enabled: true, prefix: key.slice(0, 11) },
      ])
      const { mailboxes } = read(Mailboxes)(yield* ask("GET /v1/mailboxes", { key }))
      expect(mailboxes).toMatchObject([
        { address: "agent", fullAddress: "agent@acme.mailroom.localhost", status: "ACTIVE" },
      ])
    }),
  )

  rule("shows the key this once only", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      for (const target of ["GET /v1/api-keys", "GET /v1/account"])
        expect((yield* ask(target, { key })).text).not.toContain(key)
    }),
  )

  for (const [what, wrong] of [
    ["no email", { email: undefined }],
    ["an email that is none", { email: "ada" }],
    ["two emails", { email: "ada@acme.dev, bob@acme.dev" }],
    ["no password", { password: undefined }],
    ["a short password", { password: "1234567" }],
    ["no slug", { slug: undefined }],
    ["a slug of 2 characters", { slug: "ab" }],
    ["a slug of 31 characters", { slug: "a".repeat(31) }],
    ["a slug with capitals", { slug: "Acme" }],
    ["a slug with a dot", { slug: "ac.me" }],
    ["a slug that begins with a hyphen", { slug: "-acme" }],
    ["a name that is no string", { name: 7 }],
  ] as const)
    rule(`answers 400 to ${what} and names the field`, () =>
      Effect.gen(function* () {
        const answer = yield* ask("POST /v1/signup", { body: { ...body, ...wrong } })
        expect(answer.status).toBe(400)
        expect(answer.json).toMatchObject({ code: "VALIDATION_FAILED" })
        expect(answer.json).toMatchObject({ issues: [{ path: Object.keys(wrong)[0] }] })
      }),
    )

  for (const slug of ["abc", "a".repeat(30), "a-1", "123"])
    rule(`takes the slug ${slug}`, () =>
      Effect.gen(function* () {
        expect((yield* ask("POST /v1/signup", { body: { ...body, slug } })).status).toBe(201)
      }),
    )

  rule("never repeats the password it refuses", () =>
    Effect.gen(function* () {
      const answer = yield* ask("POST /v1/signup", { body: { ...body, password: "hunter2" } })
      expect(answer.status).toBe(400)
      expect(answer.text).not.toContain("hunter2")
    }),
  )

  for (const [what, second, code] of [
    ["an email that is registered, in any case", { slug: "other", email: "ADA@ACME.dev" }, "EMAIL_TAKEN"],
    ["a slug that is registered", { email: "bob@acme.dev" }, "SLUG_TAKEN"],
    ["a slug that is reserved", { email: "bob@acme.dev", slug: "postmaster" }, "SLUG_RESERVED"],
  ] as const)
    rule(`answers 409 to ${what}`, () =>
      Effect.gen(function* () {
        yield* ask("POST /v1/signup", { body })
        const answer = yield* ask("POST /v1/signup", { body: { ...body, ...second } })
        expect(answer.status).toBe(409)
        expect(answer.json).toMatchObject({ error: expect.any(String), code })
      }),
    )

  rule("ignores an intent to buy what is not sold", () =>
    Effect.gen(function* () {
      const answer = yield* ask("POST /v1/signup", {
        body: { ...body, plan: "Enterprise", period: "weekly" },
      })
      expect(answer.status).toBe(201)
    }),
  )

  rule("counts no signup that was refused, and refuses an address that tries thirty times", () =>
    Effect.gen(function* () {
      const taken = { ...body, slug: "wanted", email: "first@acme.dev" }
      expect((yield* ask("POST /v1/signup", { body: taken, ...from("198.51.100.7") })).status).toBe(201)
      const statuses: Array<number> = []
      for (let attempt = 0; attempt < 28; attempt++) {
        const again = { ...taken, email: `second${attempt}@acme.dev` }
        statuses.push((yield* ask("POST /v1/signup", { body: again, ...from("198.51.100.7") })).status)
      }
      expect(new Set(statuses)).toEqual(new Set([409]))
      const free = { ...body, slug: "free-one", email: "third@acme.dev" }
      const answer = yield* ask("POST /v1/signup", { body: free, ...from("198.51.100.7") })
      expect([answer.status, answer.headers.get("x-ratelimit-remaining")]).toEqual([201, "3"])
      const next = { ...body, slug: "free-two", email: "fourth@acme.dev" }
      expect((yield* ask("POST /v1/signup", { body: next, ...from("198.51.100.7") })).status).toBe(429)
    }),
  )

  rule("allows 5 an hour and address, counts them down, and says when to come back", () =>
    Effect.gen(function* () {
      const remaining: Array<string | null> = []
      for (const slug of ["one", "two", "three", "four", "five"]) {
        const made = { ...body, slug, email: `${slug}@acme.dev` }
        const answer = yield* ask("POST /v1/signup", { body: made, ...from("198.51.100.7") })
        expect(answer.status).toBe(201)
        remaining.push(answer.headers.get("x-ratelimit-remaining"))
      }
      expect(remaining).toEqual(["4", "3", "2", "1", "0"])
      yield* TestClock.adjust(HOUR / 4)
      const refused = yield* ask("POST /v1/signup", { body, ...from("198.51.100.7") })
      expect(refused.status).toBe(429)
      expect(refused.json).toMatchObject({ code: "RATE_LIMITED" })
      expect(refused.headers.get("retry-after")).toBe(String((HOUR * 3) / 4 / 1000))
      expect((yield* ask("POST /v1/signup", { body, ...from("198.51.100.8") })).status).toBe(201)
      yield* TestClock.adjust((HOUR * 3) / 4)
      const later = { ...body, slug: "later", email: "later@acme.dev" }
      expect((yield* ask("POST /v1/signup", { body: later, ...from("198.51.100.7") })).status).toBe(201)
    }),
  )

  rule("believes the last entry of X-Forwarded-For, the one its own proxy wrote", () =>
    Effect.gen(function* () {
      for (const slug of ["one", "two", "three", "four", "five"]) {
        const made = { ...body, slug, email: `${slug}@acme.dev` }
        yield* ask("POST /v1/signup", { body: made, ...from(`${slug}.invented, 198.51.100.7`) })
      }
      expect((yield* ask("POST /v1/signup", { body, ...from("six.invented, 198.51.100.7") })).status).toBe(
        429,
      )
    }),
  )
})

describe("GET /v1/signup/check-slug", () => {
  const check = (slug: string) => ask(`GET /v1/signup/check-slug?slug=${slug}`)

  rule("says that a slug is free, and gives no reason", () =>
    Effect.gen(function* () {
      const answer = yield* check("acme")
      expect([answer.status, answer.json]).toEqual([200, { available: true }])
    }),
  )

  rule("says that a slug is reserved", () =>
    Effect.gen(function* () {
      expect((yield* check("webmail")).json).toEqual({ available: false, reason: "reserved" })
    }),
  )

  rule("says that a slug is taken", () =>
    Effect.gen(function* () {
      yield* signUp("acme")
      expect((yield* check("acme")).json).toEqual({ available: false, reason: "taken" })
    }),
  )

  inOneService((shared) => {
    for (const slug of ["ab", "Acme", "-acme", "a%20b", ""])
      shared(`answers 400 to "${slug}"`, () =>
        Effect.gen(function* () {
          const answer = yield* check(slug)
          expect(answer.status).toBe(400)
          expect(answer.json).toMatchObject({ code: "VALIDATION_FAILED", issues: [{ path: "slug" }] })
        }),
      )
  })

  rule("answers 400 without a slug", () =>
    Effect.gen(function* () {
      expect((yield* ask("GET /v1/signup/check-slug")).status).toBe(400)
    }),
  )

  rule("allows 30 a minute and address, and says when to come back", () =>
    Effect.gen(function* () {
      const target = "GET /v1/signup/check-slug?slug=acme"
      for (let asked = 0; asked < 30; asked++)
        expect((yield* ask(target, from("198.51.100.7"))).status).toBe(200)
      const refused = yield* ask(target, from("198.51.100.7"))
      expect(refused.status).toBe(429)
      expect(refused.headers.get("retry-after")).toBe(String(MINUTE / 1000))
      expect((yield* ask(target, from("198.51.100.8"))).status).toBe(200)
      yield* TestClock.adjust(MINUTE)
      expect((yield* ask(target, from("198.51.100.7"))).status).toBe(200)
    }),
  )
})
