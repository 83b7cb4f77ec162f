/** Signup and check-slug beyond `signup.*`: odd addresses and slugs, secrets in answers, rate limits by address. */
import { describe } from "@effect/vitest"
import { HOUR, MINUTE } from "@mailroom/domain"
import { Effect, TestClock } from "effect"
import { expect } from "vitest"
import { PASSWORD } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { inOneService, rule } from "./support/service.js"

const body = { email: "Ada@acme.dev", password: PASSWORD, slug: "acme" }
const from = (address: string) => ({ headers: { "x-forwarded-for": address } })

inOneService((shared) => {
  describe("POST /v1/signup", () => {
    for (const [what, wrong] of [
      ["two emails", { email: "ada@acme.dev, bob@acme.dev" }],
      ["an email on the platform domain", { email: "agent@acme.mailroom.localhost" }],
      ["a short password", { password: "1234567" }],
      ["a slug that begins with a hyphen", { slug: "-acme" }],
      ["a name that is no string", { name: 7 }],
    ] as const)
      shared(`answers 400 to ${what} and names the field`, () =>
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

    shared("never repeats the password it refuses", () =>
      Effect.gen(function* () {
        const answer = yield* ask("POST /v1/signup", { body: { ...body, password: "hunter2" } })
        expect(answer.status).toBe(400)
        expect(answer.text).not.toContain("hunter2")
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

    shared("counts no signup that was refused, and refuses an address that tries thirty times", () =>
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

    shared("believes the last entry of X-Forwarded-For, the one its own proxy wrote", () =>
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
})
