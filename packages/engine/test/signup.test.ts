/** Signup (`spec: signup.create.201`, `signup.check-slug.200`). */
import { describe, expect } from "@effect/vitest"
import { HOUR, MINUTE } from "@mailroom/domain"
import { Accounts, ApiKeys, Engine, Mailboxes } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Effect, Either, TestClock } from "effect"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { takingTurns } from "./support/concurrency.js"
import { refused } from "./support/refused.js"
import { lastMailTo, outbox } from "./support/outbox.js"
import { as, aSignup, signUp, verificationToken } from "./support/owners.js"

describe("signing up", () => {
  rule(
    "creates an unverified account on Free with a default key and a default mailbox",
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const keys = yield* ApiKeys
      const mailboxes = yield* Mailboxes
      const made = yield* signUp("acme", { email: "Ada@Acme.dev", name: "Ada", plan: "Growth" })
      expect(made.platformDomain).toBe("acme.mailroom.localhost")
      expect(made.key).toMatch(/^mr_[0-9a-f]{64}$/)

      const principal = yield* as(made)
      expect(yield* accounts.view(principal)).toMatchObject({
        email: "ada@acme.dev",
        emailVerified: false,
        name: "Ada",
        slug: "acme",
        plan: "Free",
        state: "unverified",
        mailboxCount: 1,
        activeMailboxCount: 1,
        monthlyInboundLimit: 100,
        trial: null,
        createdAt: "2026-03-10T12:00:00.000Z",
      })
      expect(principal.account).toMatchObject({ intentPlan: "Growth", intentPeriod: null })
      expect(yield* mailboxes.list(principal)).toMatchObject([
        { address: "agent", fullAddress: "agent@acme.mailroom.localhost", status: "ACTIVE" },
      ])
      expect(yield* keys.list(principal)).toMatchObject([
        { name: "Default key", prefix: made.key.slice(0, 11), scoped: false, enabled: true },
      ])
    }),
  )

  rule(
    "stores neither the key nor the password",
    Effect.gen(function* () {
      const { account, key } = yield* signUp("acme")
      const record = JSON.stringify(account)
      expect(record).not.toContain(aSignup("acme").password)
      expect(record).not.toContain(key.slice(11))
    }),
  )

  rule(
    "a job provisions the default mailbox",
    Effect.gen(function* () {
      const mailboxes = yield* Mailboxes
      const principal = yield* as(yield* signUp("acme"))
      expect(yield* mailboxes.list(principal)).toMatchObject([{ mailServerProvisioned: false }])
      yield* Engine.settle
      expect(yield* mailboxes.list(principal)).toMatchObject([{ mailServerProvisioned: true }])
    }),
  )

  rule(
    "the verification mail carries the link alone on its line",
    Effect.gen(function* () {
      const { account } = yield* signUp("acme")
      expect(yield* outbox).toEqual([])
      yield* Engine.settle
      const { envelope, mail } = yield* lastMailTo(account.email)
      expect(envelope).toMatchObject({ from: "no-reply@mailroom.localhost", to: [account.email] })
      expect(mail.headers["auto-submitted"]).toBe("auto-generated")
      const lines = mail.text?.split("\n") ?? []
      const linked = lines.filter((line) => line.includes("http"))
      expect(linked).toEqual([
        `http://mailroom.test/v1/auth/verify-email?token=${yield* verificationToken(account.email)}`,
      ])
    }),
  )

  rule(
    "an unavailable relay delays only the verification mail",
    Effect.gen(function* () {
      const relay = yield* MemoryRelay
      yield* relay.reachable(false)
      const { account, key } = yield* signUp("acme")
      yield* Engine.settle
      expect(yield* outbox).toEqual([])
      const mailboxes = yield* Mailboxes
      expect(yield* mailboxes.list(yield* as({ key }))).toMatchObject([{ mailServerProvisioned: true }])
      yield* relay.reachable(true)
      yield* TestClock.adjust("10 seconds")
      yield* Engine.settle
      expect((yield* lastMailTo(account.email)).mail.subject).toBe("Verify your email address")
    }),
  )

  rule(
    "a reserved slug is refused",
    Effect.gen(function* () {
      expect(yield* refused(signUp("admin"))).toMatchObject({ _tag: "SlugReserved", slug: "admin" })
      expect(yield* refused(signUp("xn--acme"))).toMatchObject({ _tag: "SlugReserved" })
    }),
  )

  rule(
    "a taken slug is refused",
    Effect.gen(function* () {
      yield* signUp("acme")
      const again = signUp("acme", { email: "someone@else.dev" })
      expect(yield* refused(again)).toMatchObject({ _tag: "AlreadyTaken", what: "slug", value: "acme" })
    }),
  )

  rule(
    "a taken email is refused in upper and lower case, and leaves no row",
    Effect.gen(function* () {
      const accounts = yield* Accounts
      yield* signUp("acme", { email: "ada@acme.dev" })
      const again = signUp("other", { email: "ADA@acme.DEV" })
      expect(yield* refused(again)).toMatchObject({ _tag: "AlreadyTaken", what: "email" })
      expect(yield* accounts.checkSlug("other", "client")).toEqual({ available: true })
      yield* Engine.settle
      expect(yield* outbox).toHaveLength(1)
    }),
  )

  for (const email of [
    "agent@acme.mailroom.localhost",
    "Agent@OTHER.mailroom.localhost",
    "a@mailroom.localhost",
  ])
    rule(
      `an email on the platform domain is refused, whose mail the account's own keys would read: ${email}`,
      Effect.gen(function* () {
        expect(yield* refused(signUp("acme", { email }))).toMatchObject({
          _tag: "InvalidInput",
          issues: [{ path: "email", message: "must not be on the platform's own domain" }],
        })
        expect((yield* signUp("acme", { email: "owner@notmailroom.localhost" })).remaining).toBe(4)
      }),
    )

  ruleWith(takingTurns)(
    "of two signups at once with one email, one succeeds",
    Effect.gen(function* () {
      const both = yield* Effect.all(
        ["one", "two"].map((slug) => Effect.either(signUp(slug, { email: "ada@acme.dev" }))),
        { concurrency: "unbounded" },
      )
      expect(both.filter(Either.isRight)).toHaveLength(1)
      expect(both.filter(Either.isLeft)).toMatchObject([{ left: { _tag: "AlreadyTaken", what: "email" } }])
    }),
  )
})

describe("signups per address", () => {
  const signUpFrom = (client: string, slug: string) =>
    Effect.flatMap(Accounts, (accounts) => accounts.signup(aSignup(slug), client))

  rule(
    "are five an hour, without refused ones, for each address separately",
    Effect.gen(function* () {
      expect((yield* signUpFrom("a", "first")).remaining).toBe(4)
      yield* refused(signUpFrom("a", "first"))
      for (const [slug, remaining] of [
        ["second", 3],
        ["third", 2],
        ["fourth", 1],
        ["fifth", 0],
      ] as const)
        expect((yield* signUpFrom("a", slug)).remaining).toBe(remaining)
      expect(yield* refused(signUpFrom("a", "sixth"))).toMatchObject({
        _tag: "RateLimited",
        what: "signup",
      })
      expect((yield* signUpFrom("b", "sixth")).remaining).toBe(4)
    }),
  )

  rule(
    "start from zero at the next hour, which the error names",
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON + 20 * MINUTE)
      yield* Effect.forEach([1, 2, 3, 4, 5], (n) => signUpFrom("a", `slug-${n}`))
      expect(yield* refused(signUpFrom("a", "sixth"))).toMatchObject({ retryAfter: 40 * 60 })
      yield* TestClock.setTime(NOON + HOUR - 1)
      expect(yield* refused(signUpFrom("a", "sixth"))).toMatchObject({ retryAfter: 1 })
      yield* TestClock.setTime(NOON + HOUR)
      expect((yield* signUpFrom("a", "sixth")).remaining).toBe(4)
    }),
  )
})

describe("checking a slug", () => {
  const check = (slug: string, client = "a") =>
    Effect.flatMap(Accounts, (accounts) => accounts.checkSlug(slug, client))

  rule(
    "says whether it is free, reserved or taken",
    Effect.gen(function* () {
      yield* signUp("acme")
      expect(yield* check("free-one")).toEqual({ available: true })
      expect(yield* check("admin")).toEqual({ available: false, reason: "reserved" })
      expect(yield* check("acme")).toEqual({ available: false, reason: "taken" })
    }),
  )

  rule(
    "is limited to thirty a minute for one address",
    Effect.gen(function* () {
      yield* Effect.forEach(Array.from({ length: 30 }), () => check("free-one"))
      expect(yield* refused(check("free-one"))).toMatchObject({
        _tag: "RateLimited",
        what: "slug check",
        retryAfter: 60,
      })
      expect(yield* check("free-one", "b")).toEqual({ available: true })
      yield* TestClock.adjust("1 minute")
      expect(yield* check("free-one")).toEqual({ available: true })
    }),
  )
})
