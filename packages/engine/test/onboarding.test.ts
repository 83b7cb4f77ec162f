/** The welcome mail and the owner's next page after verification (`spec: account.welcome.200`, `account.target.200`). */
import { describe, expect } from "@effect/vitest"
import { allPermissions, DAY } from "@mailroom/domain"
import { Accounts, AccountStore, AccountRemoval, Engine, Onboarding, type Signup } from "@mailroom/engine"
import { Effect, Option, TestClock } from "effect"
import { changeAccount } from "./support/changes.js"
import { takingTurns } from "./support/concurrency.js"
import { NOON, rule, ruleUnder, ruleWith } from "./support/mailroom.js"
import { lastMailTo, mailsTo } from "./support/outbox.js"
import {
  as,
  type Owner,
  pay,
  paying,
  signUp,
  unverified,
  verificationToken,
  verified,
} from "./support/owners.js"
import { accountOf } from "./support/reading.js"
import { refused } from "./support/refused.js"

const welcome = (owner: Owner) =>
  Effect.gen(function* () {
    const onboarding = yield* Onboarding
    yield* onboarding.welcome(yield* as(owner))
  })

const target = (owner: Owner) =>
  Effect.gen(function* () {
    const onboarding = yield* Onboarding
    return yield* onboarding.target(yield* as(owner))
  })

const welcomesTo = (owner: Owner) =>
  Effect.map(mailsTo(owner.email), (mails) =>
    mails.filter(({ mail }) => mail.subject === "Your agent has a mailbox"),
  )

const intentOf = (owner: Owner) =>
  Effect.map(as(owner), ({ account: { intentPlan, intentPeriod } }) => ({ intentPlan, intentPeriod }))

describe("the welcome mail", () => {
  rule(
    "says what the agent can do, and where the documents are, alone on their line",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* welcome(owner)
      yield* Engine.settle
      const { envelope, mail } = yield* lastMailTo(owner.email)
      expect(envelope).toMatchObject({ from: "no-reply@mailroom.localhost", to: [owner.email] })
      expect(mail.headers["auto-submitted"]).toBe("auto-generated")
      expect(mail.text).toContain('"acme"')
      const linked = mail.text?.split("\n").filter((line) => line.includes("http"))
      expect(linked).toEqual(["http://mailroom.test/docs"])
    }),
  )

  ruleWith(takingTurns)(
    "is sent once by repeated and concurrent requests for it or for the next page",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* Effect.all(
        Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? welcome(owner) : target(owner))),
        { concurrency: "unbounded", discard: true },
      )
      yield* Engine.settle
      yield* welcome(owner)
      yield* target(owner)
      yield* TestClock.adjust("1 day")
      yield* welcome(owner)
      yield* Engine.settle
      expect(yield* welcomesTo(owner)).toHaveLength(1)
    }),
  )

  rule(
    "is refused for an owner who paid but has not verified",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* pay(owner)
      expect(yield* refused(welcome(owner))).toMatchObject({ _tag: "EmailNotVerified" })
      yield* Engine.settle
      expect(yield* welcomesTo(owner)).toEqual([])
    }),
  )

  rule(
    "is not sent when the account is deleted first",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* welcome(owner)
      const removal = yield* AccountRemoval
      yield* removal.remove(yield* as(owner))
      yield* Engine.settle
      expect(yield* welcomesTo(owner)).toEqual([])
    }),
  )
})

describe("the owner's next page", () => {
  const growth: Partial<Signup> = { plan: "Growth", period: "annual" }

  rule(
    "is the onboarding at first, with a plan to buy, and the dashboard from then on",
    Effect.gen(function* () {
      const owner = yield* verified("acme", growth)
      expect(yield* target(owner)).toBe("/onboarding")
      expect(yield* target(owner)).toBe("/dashboard?verified=true")
    }),
  )

  ruleWith(takingTurns)(
    "is the onboarding for one of several concurrent requests",
    Effect.gen(function* () {
      const owner = yield* verified("acme", growth)
      const targets = yield* Effect.all(
        Array.from({ length: 4 }, () => target(owner)),
        { concurrency: "unbounded" },
      )
      expect(targets.filter((one) => one === "/onboarding")).toHaveLength(1)
    }),
  )

  rule(
    "is the onboarding while no key was ever used",
    Effect.gen(function* () {
      const { account } = yield* signUp("acme")
      yield* Engine.settle
      const accounts = yield* Accounts
      yield* accounts.verifyEmail(yield* verificationToken(account.email))
      // By the owner's session, because a request with a key would count as its use.
      const store = yield* AccountStore
      const stored = Option.getOrThrow(yield* store.byId(account.id))
      const session = { kind: "session", hash: "of the owner's browser" } as const
      const onboarding = yield* Onboarding
      const principal = {
        account: stored,
        state: "trial",
        scope: null,
        permissions: allPermissions,
        credential: session,
      } as const
      expect(yield* onboarding.target(principal)).toBe("/onboarding")
      expect(yield* onboarding.target(principal)).toBe("/dashboard?verified=true")
    }),
  )

  rule(
    "is the dashboard with no plan to buy and a key that was used",
    Effect.gen(function* () {
      expect(yield* target(yield* verified("acme", { plan: "Free" }))).toBe("/dashboard?verified=true")
    }),
  )

  rule(
    "is not used up by the link in the mail",
    Effect.gen(function* () {
      const owner = yield* unverified("acme", growth)
      const accounts = yield* Accounts
      const token = yield* verificationToken(owner.email)
      expect(yield* accounts.verifyEmail(token)).toEqual({ target: "/onboarding" })
      expect(yield* target(owner)).toBe("/onboarding")
      expect(yield* accounts.verifyEmail(token)).toEqual({ target: "/dashboard?verified=true" })
    }),
  )

  rule(
    "is the onboarding before verification, without any change",
    Effect.gen(function* () {
      const owner = yield* unverified("acme", growth)
      const before = (yield* as(owner)).account
      expect(yield* target(owner)).toBe("/onboarding")
      expect(yield* target(owner)).toBe("/onboarding")
      expect((yield* as(owner)).account).toEqual(before)
      yield* Engine.settle
      expect(yield* welcomesTo(owner)).toEqual([])
    }),
  )

  rule(
    "neither restarts nor extends the trial",
    Effect.gen(function* () {
      const owner = yield* verified()
      const { trial } = yield* accountOf(owner)
      yield* TestClock.setTime(NOON + DAY)
      yield* target(owner)
      expect((yield* accountOf(owner)).trial).toEqual(trial)
      yield* TestClock.setTime(NOON + 3 * DAY)
      yield* target(owner)
      expect((yield* accountOf(owner)).state).toBe("payment_required")
    }),
  )
})

describe("a request for the next page normalizes the intent", () => {
  rule(
    "annual becomes monthly for a plan without an annual price",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* changeAccount(owner, { intentPlan: "Scale", intentPeriod: "annual" })
      yield* target(owner)
      expect(yield* intentOf(owner)).toEqual({ intentPlan: "Scale", intentPeriod: "monthly" })
    }),
  )

  rule(
    "an intent for Free, or of an account that has paid, is cleared",
    Effect.gen(function* () {
      const nothing = { intentPlan: null, intentPeriod: null }
      const free = yield* verified("free")
      yield* changeAccount(free, { intentPlan: "Free", intentPeriod: "monthly" })
      const paid = yield* paying("paid")
      yield* changeAccount(paid, { intentPlan: "Growth", intentPeriod: "annual" })
      for (const owner of [free, paid]) {
        expect(yield* target(owner)).toBe("/dashboard?verified=true")
        expect(yield* intentOf(owner)).toEqual(nothing)
      }
    }),
  )

  ruleUnder({ billing: "none" })(
    "with billing off there is no plan to buy",
    Effect.gen(function* () {
      const owner = yield* verified("acme", { plan: "Growth", period: "annual" })
      expect(yield* target(owner)).toBe("/dashboard?verified=true")
      expect(yield* intentOf(owner)).toEqual({ intentPlan: null, intentPeriod: null })
    }),
  )

  rule(
    "a signup stores it normalized",
    Effect.gen(function* () {
      const scale = yield* unverified("scale", { plan: "Scale", period: "annual" })
      expect(yield* intentOf(scale)).toEqual({ intentPlan: "Scale", intentPeriod: "monthly" })
      const free = yield* unverified("free", { plan: "Free", period: "annual" })
      expect(yield* intentOf(free)).toEqual({ intentPlan: null, intentPeriod: null })
    }),
  )
})
