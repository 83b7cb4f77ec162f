import { type AccountRecord, type BillingMode, intentOf, liveIntent, verifiedTarget } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { account, signedUp } from "./support/records.js"

const nothing = { intentPlan: null, intentPeriod: null }

describe("the intent of a signup", () => {
  it("decisions.upgrade.intent: is the plan and the period it named", () => {
    expect(intentOf("Growth", "annual")).toEqual({ intentPlan: "Growth", intentPeriod: "annual" })
    expect(intentOf("Developer", "annual")).toEqual({ intentPlan: "Developer", intentPeriod: "annual" })
    expect(intentOf("Scale", "monthly")).toEqual({ intentPlan: "Scale", intentPeriod: "monthly" })
    expect(intentOf("Growth", null)).toEqual({ intentPlan: "Growth", intentPeriod: null })
  })

  it("account.target.fallback: annual falls back to monthly for a plan without an annual price", () => {
    expect(intentOf("Scale", "annual")).toEqual({ intentPlan: "Scale", intentPeriod: "monthly" })
  })

  it("decisions.upgrade.intent-cleared: for Free, or for no plan, there is none", () => {
    expect(intentOf("Free", "annual")).toEqual(nothing)
    expect(intentOf(null, "annual")).toEqual(nothing)
  })
})

describe("the intent that is left", () => {
  const left = (facts: Partial<AccountRecord>, billing: BillingMode = "simulated") =>
    liveIntent(account(facts), billing)
  const growth = { intentPlan: "Growth", intentPeriod: "annual" } as const

  it("stays while nothing was bought", () => {
    expect(left(growth)).toEqual(growth)
  })

  it("is put in order where it was stored as it came", () => {
    expect(left({ intentPlan: "Scale", intentPeriod: "annual" })).toEqual({
      intentPlan: "Scale",
      intentPeriod: "monthly",
    })
    expect(left({ intentPlan: "Free", intentPeriod: "monthly" })).toEqual(nothing)
    expect(left({ intentPlan: null, intentPeriod: "annual" })).toEqual(nothing)
  })

  it("is dead once the account has paid, and lives again with a lapse", () => {
    expect(left({ ...growth, plan: "Developer" })).toEqual(nothing)
    expect(left({ ...growth, plan: "Developer", lapsed: true })).toEqual(growth)
  })

  it("under `none` there is nothing to buy", () => {
    expect(left(growth, "none")).toEqual(nothing)
  })
})

describe("where the owner goes", () => {
  const target = (facts: Partial<AccountRecord>, keyUsed: boolean, billing: BillingMode = "simulated") =>
    verifiedTarget(account({ emailVerifiedAt: signedUp, ...facts }), billing, keyUsed)

  it("decisions.upgrade.target: to the onboarding with a plan to buy, or with no key ever used", () => {
    expect(target({ intentPlan: "Growth" }, true)).toBe("/onboarding")
    expect(target({}, false)).toBe("/onboarding")
  })

  it("decisions.upgrade.target: else to the dashboard", () => {
    expect(target({}, true)).toBe("/dashboard?verified=true")
    expect(target({ intentPlan: "Free" }, true)).toBe("/dashboard?verified=true")
    expect(target({ intentPlan: "Growth", plan: "Growth" }, true)).toBe("/dashboard?verified=true")
    expect(target({ intentPlan: "Growth" }, true, "none")).toBe("/dashboard?verified=true")
  })

  it("decisions.upgrade.target: to the onboarding once", () => {
    const seen = { onboardedAt: signedUp }
    expect(target({ ...seen, intentPlan: "Growth" }, true)).toBe("/dashboard?verified=true")
    expect(target(seen, false)).toBe("/dashboard?verified=true")
  })

  it("docs/decisions/0014: before verification to the onboarding", () => {
    expect(target({ emailVerifiedAt: null }, true)).toBe("/onboarding")
    expect(target({ emailVerifiedAt: null }, false)).toBe("/onboarding")
  })
})
