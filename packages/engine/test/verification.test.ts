/** Verification of the owner's email, and the trial it starts (`spec: decisions.verify.json`, `decisions.trial.starts`). */
import { describe, expect } from "@effect/vitest"
import { DAY, HOUR } from "@mailroom/domain"
import { Accounts, Administration, Engine } from "@mailroom/engine"
import { Effect, TestClock } from "effect"
import { receivedMany } from "./support/arrivals.js"
import { NOON, rule, ruleUnder } from "./support/mailroom.js"
import { refused } from "./support/refused.js"
import { mailsTo } from "./support/outbox.js"
import { as, pay, signUp, unverified, verificationToken, verified } from "./support/owners.js"
import { accountOf, listed } from "./support/reading.js"

const verify = (token: string) => Effect.flatMap(Accounts, (accounts) => accounts.verifyEmail(token))
const resend = (email: string, client = "192.0.2.7") =>
  Effect.flatMap(Accounts, (accounts) => accounts.resendVerification(email, client))

describe("verifying", () => {
  rule(
    "starts the trial: three days, ten sends, ten receives",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* TestClock.adjust("2 hours")
      yield* verify(yield* verificationToken(owner.email))
      expect(yield* accountOf(owner)).toMatchObject({
        emailVerified: true,
        state: "trial",
        plan: "Free",
        monthlyInboundLimit: 10,
        trial: {
          active: true,
          expired: false,
          exhausted: false,
          sendsUsed: 0,
          sendsRemaining: 10,
          sendCap: 10,
          receivesUsed: 0,
          receivesRemaining: 10,
          receiveCap: 10,
          startedAt: "2026-03-10T14:00:00.000Z",
          expiresAt: "2026-03-13T14:00:00.000Z",
        },
      })
    }),
  )

  rule(
    "the trial ends after exactly three days",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* TestClock.setTime(NOON + 3 * DAY - 1)
      expect((yield* accountOf(owner)).state).toBe("trial")
      yield* TestClock.setTime(NOON + 3 * DAY)
      const account = yield* accountOf(owner)
      expect(account).toMatchObject({ state: "payment_required", trial: { active: false, expired: true } })
    }),
  )

  rule(
    "a second time it changes nothing",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const token = yield* verificationToken(owner.email)
      yield* verify(token)
      yield* TestClock.adjust("1 day")
      yield* verify(token)
      expect((yield* accountOf(owner)).trial?.startedAt).toBe("2026-03-10T12:00:00.000Z")
    }),
  )

  rule(
    "a link works for seven days",
    Effect.gen(function* () {
      const early = yield* unverified("early")
      const late = yield* unverified("late")
      yield* TestClock.setTime(NOON + 7 * DAY - 1)
      yield* verify(yield* verificationToken(early.email))
      expect((yield* accountOf(early)).emailVerified).toBe(true)
      yield* TestClock.setTime(NOON + 7 * DAY)
      const refusal = yield* refused(verify(yield* verificationToken(late.email)))
      expect(refusal).toMatchObject({ _tag: "InvalidToken", what: "verification link" })
      expect((yield* accountOf(late)).emailVerified).toBe(false)
    }),
  )

  rule(
    "an unknown token verifies no account",
    Effect.gen(function* () {
      const owner = yield* unverified()
      for (const token of ["", "0".repeat(64), `${yield* verificationToken(owner.email)}0`])
        expect(yield* refused(verify(token))).toMatchObject({ _tag: "InvalidToken" })
      expect((yield* accountOf(owner)).emailVerified).toBe(false)
    }),
  )

  rule(
    "an account can pay first, and verifying keeps its plan",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* pay(owner, "Growth")
      expect(yield* accountOf(owner)).toMatchObject({ state: "active", plan: "Growth", emailVerified: false })
      yield* verify(yield* verificationToken(owner.email))
      expect(yield* accountOf(owner)).toMatchObject({ state: "active", plan: "Growth", trial: null })
    }),
  )

  ruleUnder({ billing: "none", defaultPlan: "Growth" })(
    "with billing off there is no trial: a verified account is on the default plan",
    Effect.gen(function* () {
      const owner = yield* unverified()
      expect(yield* accountOf(owner)).toMatchObject({ state: "unverified", plan: "Free" })
      yield* verify(yield* verificationToken(owner.email))
      const active = { state: "active", plan: "Growth", trial: null }
      expect(yield* accountOf(owner)).toMatchObject(active)
      yield* TestClock.adjust("30 days")
      expect(yield* accountOf(owner)).toMatchObject(active)
    }),
  )

  ruleUnder({ billing: "none", defaultPlan: "Growth" })(
    "with billing off unlocks what the smaller plan before gated, once",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* receivedMany(owner.address, 102)
      expect(yield* accountOf(owner)).toMatchObject({ overLimitMessageCount: 2 })
      yield* verify(yield* verificationToken(owner.email))
      expect(yield* accountOf(owner)).toMatchObject({ plan: "Growth", overLimitMessageCount: 0 })
      expect(yield* listed(owner, { limit: 1 })).toMatchObject([{ subject: "Mail 102" }])
    }),
  )

  ruleUnder({ billing: "none", defaultPlan: "Growth" })(
    "with billing off keeps the plan that the operator set before",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const admin = yield* Administration
      yield* admin.setPlan((yield* as(owner)).account.id, "Developer")
      yield* verify(yield* verificationToken(owner.email))
      expect(yield* accountOf(owner)).toMatchObject({ plan: "Developer", emailVerified: true })
    }),
  )
})

describe("the dashboard's target after verification", () => {
  const target = (email: string) => Effect.flatMap(verificationToken(email), verify)

  rule(
    "is the onboarding while no key was ever used",
    Effect.gen(function* () {
      const { account } = yield* signUp("acme")
      yield* Engine.settle
      expect(yield* target(account.email)).toEqual({ target: "/onboarding" })
    }),
  )

  rule(
    "is the onboarding while there is a plan to buy",
    Effect.gen(function* () {
      const owner = yield* unverified("acme", { plan: "Growth" })
      expect(yield* target(owner.email)).toEqual({ target: "/onboarding" })
    }),
  )

  rule(
    "is the dashboard otherwise, also with an intent for Free",
    Effect.gen(function* () {
      const owner = yield* unverified("acme", { plan: "Free" })
      expect(yield* target(owner.email)).toEqual({ target: "/dashboard?verified=true" })
    }),
  )
})

describe("a request for another verification mail", () => {
  rule(
    "sends another link; the earlier one stays valid",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const first = yield* verificationToken(owner.email)
      yield* resend(owner.email.toUpperCase())
      yield* Engine.settle
      const second = yield* verificationToken(owner.email)
      expect(second).not.toBe(first)
      yield* verify(first)
      expect((yield* accountOf(owner)).state).toBe("trial")
    }),
  )

  rule(
    "sends at most five mails an hour for an account, with the same response",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const ask = Effect.zipRight(
        Effect.forEach([1, 2, 3, 4, 5, 6, 7], () => resend(owner.email)),
        Engine.settle,
      )
      yield* ask
      expect(yield* mailsTo(owner.email)).toHaveLength(1 + 5)
      yield* TestClock.setTime(NOON + HOUR)
      yield* ask
      expect(yield* mailsTo(owner.email)).toHaveLength(1 + 10)
    }),
  )

  rule(
    "sends nothing to an unknown address, and nothing to a verified one",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* resend("nobody@acme.dev")
      yield* resend(owner.email)
      yield* Engine.settle
      expect(yield* mailsTo("nobody@acme.dev")).toEqual([])
      expect(yield* mailsTo(owner.email)).toHaveLength(1)
    }),
  )
})
