/** Limits on wrong passwords from many networks, for one account or many (docs/decisions/0045). */
import { describe, expect } from "@effect/vitest"
import { DAY, MINUTE } from "@mailroom/domain"
import { Authentication, Engine, PasswordReset, Passwords } from "@mailroom/engine"
import { Effect, Either, Fiber, Layer, TestClock } from "effect"
import { takingTurns } from "./support/concurrency.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { lastMailTo } from "./support/outbox.js"
import { aSignup, verified } from "./support/owners.js"
import { refused } from "./support/refused.js"

const RIGHT = aSignup("acme").password

const signIn = (email: string, password: string, address: string) =>
  Effect.flatMap(Authentication, (authentication) => authentication.signIn(email, password, address))

/** The result of an attempt: `in`, or the tag of its error. */
const outcome = (email: string, password: string, address: string) =>
  Effect.map(
    Effect.either(signIn(email, password, address)),
    Either.match({ onLeft: ({ _tag }) => _tag, onRight: () => "in" as const }),
  )

/** Sets a new password by the link that is mailed to the owner. */
const resetPassword = (email: string, password: string, address: string) =>
  Effect.gen(function* () {
    const passwords = yield* PasswordReset
    yield* passwords.request(email, address)
    yield* Engine.settle
    const { mail } = yield* lastMailTo(email)
    yield* passwords.reset(/token=([0-9a-f]+)/.exec(mail.text ?? "")?.[1] ?? "", password, address)
  })

const NEW = "a new and better password"

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Wrong passwords for one email, each from another site. */
const fromAfar = (email: string, tries: number, first = 0) =>
  Effect.forEach(upTo(tries), (n) =>
    outcome(email, "wrong", `198.${(first + n) >> 8}.${(first + n) & 255}.1`),
  )

const checkedOf = (outcomes: ReadonlyArray<string>) =>
  outcomes.filter((tag) => tag === "Unauthenticated").length

describe("wrong passwords from one network", () => {
  for (const [network, addressOf] of [
    ["one address", () => "192.0.2.7"],
    ["an IPv6 /64", (n: number) => `2001:db8:1:2::${n.toString(16)}`],
  ] as const)
    ruleWith(takingTurns)(
      `${network}: 50 in 15 minutes for 300 emails, however many at once`,
      Effect.gen(function* () {
        const outcomes = yield* Effect.forEach(
          upTo(300),
          (n) => outcome(`owner-${n}@acme.dev`, "wrong", addressOf(n)),
          { concurrency: 40 },
        )
        expect(checkedOf(outcomes)).toBe(50)
        yield* TestClock.setTime(NOON + 15 * MINUTE)
        expect(yield* outcome("owner-0@acme.dev", "wrong", addressOf(0))).toBe("Unauthenticated")
      }),
    )

  rule(
    "500 from a /56 of many /64s; refused attempts of one host do not count for its neighbours",
    Effect.gen(function* () {
      const from = (n: number) => `2001:db8:1:${(n % 256).toString(16)}::1`
      yield* Effect.forEach(upTo(600), (n) => outcome(`a-${n}@acme.dev`, "wrong", from(0)))
      expect(yield* outcome("a@acme.dev", "wrong", from(1))).toBe("Unauthenticated")
      const outcomes = yield* Effect.forEach(upTo(600), (n) => outcome(`b-${n}@acme.dev`, "wrong", from(n)))
      expect(checkedOf(outcomes)).toBeLessThan(450)
      expect(yield* outcome("a@acme.dev", "wrong", from(200))).toBe("RateLimited")
    }),
  )

  rule(
    "refused attempts on one email do not count for the others of the network",
    Effect.gen(function* () {
      const outcomes = yield* Effect.replicateEffect(outcome("attacked@acme.dev", "wrong", "192.0.2.7"), 60)
      expect(checkedOf(outcomes)).toBe(10)
      expect(yield* outcome("other@acme.dev", "wrong", "192.0.2.7")).toBe("Unauthenticated")
    }),
  )

  rule(
    "right passwords do not count: 100 owners of one office sign in",
    Effect.gen(function* () {
      const owner = yield* verified()
      const outcomes = yield* Effect.replicateEffect(outcome(owner.email, RIGHT, "192.0.2.7"), 100)
      expect(new Set(outcomes)).toEqual(new Set(["in"]))
    }),
  )
})

/** Never ends to verify the password "slow", and fails with a defect for "broken". */
const stubbornPasswords = Layer.effect(
  Passwords,
  Effect.map(Passwords, (passwords): Passwords["Type"] => ({
    ...passwords,
    verify: (hash, password) => {
      if (password === "slow") return Effect.never
      return password === "broken" ? Effect.dieMessage("broken") : passwords.verify(hash, password)
    },
  })),
)

describe("a sign-in that ends before its password is verified", () => {
  ruleWith(stubbornPasswords)(
    "counts under no limit, and resets none",
    Effect.gen(function* () {
      const owner = yield* verified()
      const address = "203.0.113.9"
      yield* Effect.replicateEffect(outcome(owner.email, "wrong", address), 9)

      yield* Effect.replicateEffect(Effect.exit(signIn(owner.email, "broken", address)), 60)
      for (let n = 0; n < 60; n++) {
        const waiting = yield* Effect.fork(signIn(owner.email, "slow", address))
        yield* Effect.repeatN(Effect.yieldNow(), 50)
        yield* Fiber.interrupt(waiting)
      }
      // Four that are verified and 16 that wait are what one site may have.
      const queue = yield* Effect.forEach(upTo(20), (n) =>
        Effect.fork(signIn(`owner-${n}@acme.dev`, "slow", `203.0.113.${100 + n}`)),
      )
      yield* Effect.repeatN(Effect.yieldNow(), 200)
      const refusals = yield* Effect.replicateEffect(outcome(owner.email, RIGHT, address), 60)
      expect(new Set(refusals)).toEqual(new Set(["Overloaded"]))
      yield* Fiber.interruptAll(queue)

      expect(yield* outcome(owner.email, "wrong", address)).toBe("Unauthenticated")
      expect(yield* outcome(owner.email, RIGHT, address)).toBe("RateLimited")
      const others = yield* Effect.forEach(upTo(45), (n) => outcome(`owner-${n}@acme.dev`, "wrong", address))
      expect(checkedOf(others)).toBe(40)
    }),
  )
})

describe("a password reset after wrong passwords from the same network", () => {
  rule(
    "lets the owner sign in from it, and from no other network that has used up its attempts",
    Effect.gen(function* () {
      const owner = yield* verified()
      for (const address of ["client of acme", "192.0.2.7"])
        yield* Effect.replicateEffect(outcome(owner.email, "forgotten", address), 10)
      yield* resetPassword(owner.email, NEW, "client of acme")
      expect(yield* outcome(owner.email, NEW, "client of acme")).toBe("in")
      expect(yield* outcome(owner.email, NEW, "192.0.2.7")).toBe("RateLimited")
    }),
  )

  rule(
    "keeps the limit of the network over all emails",
    Effect.gen(function* () {
      const owner = yield* verified()
      for (const n of upTo(50)) yield* outcome(`owner-${n}@acme.dev`, "wrong", "192.0.2.7")
      yield* resetPassword(owner.email, NEW, "192.0.2.7")
      expect(yield* outcome(owner.email, NEW, "192.0.2.7")).toBe("RateLimited")
    }),
  )
})

describe("wrong passwords for one account from many networks", () => {
  rule(
    "20 in 15 minutes, 100 in a day; above that the right one is refused too",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* TestClock.setTime(NOON - (NOON % DAY) + DAY)
      expect(checkedOf(yield* fromAfar(owner.email, 60))).toBe(20)
      expect(yield* outcome(owner.email, RIGHT, "203.0.113.9")).toBe("RateLimited")
      let checked = 20
      for (let quarter = 1; quarter < 12; quarter++) {
        yield* TestClock.adjust("15 minutes")
        checked += checkedOf(yield* fromAfar(owner.email, 30, quarter * 30))
      }
      expect(checked).toBe(100)
      yield* TestClock.adjust("15 minutes")
      const refusal = yield* refused(signIn(owner.email, RIGHT, "203.0.113.9"))
      expect(refusal).toMatchObject({ _tag: "RateLimited", retryAfter: 21 * 3600 })
    }),
  )

  rule(
    "an unknown email has the same limits",
    Effect.gen(function* () {
      expect(checkedOf(yield* fromAfar("nobody@acme.dev", 60))).toBe(20)
    }),
  )

  rule(
    "do not lock out the owner on a network that signed in before",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* signIn(owner.email, RIGHT, "2001:db8:1:2::7")
      yield* fromAfar(owner.email, 60)
      expect(yield* outcome(owner.email, RIGHT, "2001:db8:1:2:ffff::1")).toBe("in")
      expect(yield* outcome(owner.email, RIGHT, "2001:db8:1:3::7")).toBe("RateLimited")
    }),
  )

  rule(
    "do not lock out the owner on the network of the signup",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* fromAfar(owner.email, 60)
      expect(yield* outcome(owner.email, RIGHT, "client of acme")).toBe("in")
    }),
  )

  rule(
    "do not lock out an owner who resets the password on a new network",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* fromAfar(owner.email, 60)
      yield* resetPassword(owner.email, NEW, "203.0.113.9")
      yield* fromAfar(owner.email, 60, 60)
      expect(yield* outcome(owner.email, NEW, "203.0.113.9")).toBe("in")
    }),
  )

  rule(
    "are limited from a trusted network too",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* signIn(owner.email, RIGHT, "192.0.2.7")
      const outcomes = yield* Effect.replicateEffect(outcome(owner.email, "wrong", "192.0.2.7"), 15)
      expect(checkedOf(outcomes)).toBe(10)
    }),
  )
})

describe("requests for links from one client address", () => {
  rule(
    "send at most 30 mails an hour, with the same response above that",
    Effect.gen(function* () {
      const owner = yield* verified()
      const passwords = yield* PasswordReset
      for (const n of upTo(30)) yield* passwords.request(`nobody-${n}@acme.dev`, "192.0.2.7")
      yield* passwords.request(owner.email, "192.0.2.7")
      yield* Engine.settle
      expect((yield* lastMailTo(owner.email)).mail.subject).not.toBe("Set a new password")
      yield* passwords.request(owner.email, "192.0.2.8")
      yield* Engine.settle
      expect((yield* lastMailTo(owner.email)).mail.subject).toBe("Set a new password")
    }),
  )
})
