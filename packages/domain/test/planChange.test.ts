import {
  type AccountRecord,
  type BillingPeriod,
  changePlan,
  PaidPlan,
  type Plan,
  type PlanChange,
  subscriptionChange,
  unlocksGated,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { account } from "./support/records.js"

const REFERENCE = "sub_1"

const paid = (plan: PaidPlan, period: BillingPeriod = "monthly", reference = REFERENCE): PlanChange => ({
  kind: "paid",
  plan,
  period,
  reference,
})
const given = (plan: Plan): PlanChange => ({ kind: "given", plan })
const givenUp: PlanChange = { kind: "given up" }
const lapsed: PlanChange = { kind: "lapsed" }

const on = (plan: PaidPlan, facts: Partial<AccountRecord> = {}) =>
  changePlan(account(facts), paid(plan, "annual"))

describe("the account after a change of its plan", () => {
  it("decisions.upgrade.unlocks: a purchase sets plan and period, and settles the intent and a lapse", () => {
    const before = account({ intentPlan: "Growth", intentPeriod: "annual", lapsed: true })
    expect(changePlan(before, paid("Growth", "annual"))).toEqual({
      ...before,
      plan: "Growth",
      billingPeriod: "annual",
      lapsed: false,
      billingReference: REFERENCE,
      intentPlan: null,
      intentPeriod: null,
    })
  })

  it("a plan that is given up leaves Free, and what it was paid under", () => {
    const before = on("Growth")
    expect(changePlan(before, givenUp)).toEqual({ ...before, plan: "Free", billingPeriod: "monthly" })
    expect(changePlan({ ...before, lapsed: true }, givenUp).lapsed).toBe(false)
  })

  it("decisions.admin.plan: a given plan leaves the subscription, and settles the intent and a lapse", () => {
    const before = { ...on("Growth"), lapsed: true }
    expect(changePlan(before, given("Growth"))).toEqual({ ...before, lapsed: false, billingReference: null })
    expect(changePlan(before, given("Scale"))).toMatchObject({ plan: "Scale", billingPeriod: "monthly" })
    expect(changePlan(before, given("Free"))).toMatchObject({ plan: "Free", billingPeriod: "monthly" })
    expect(changePlan(account({ intentPlan: "Growth" }), given("Scale")).intentPlan).toBeNull()
  })

  it("decisions.upgrade.lapse: a lapse keeps the plan's name", () => {
    const before = on("Growth")
    expect(changePlan(before, lapsed)).toEqual({ ...before, lapsed: true })
  })

  it("decisions.upgrade.lapse: what was given up has nothing left to lapse", () => {
    const free = changePlan(on("Growth"), givenUp)
    expect(changePlan(free, lapsed)).toBe(free)
  })

  for (const change of [paid("Growth", "annual"), given("Growth"), givenUp, lapsed])
    it(`a change told twice is made once: ${change.kind}`, () => {
      const once = changePlan(on("Developer"), change)
      expect(changePlan(once, change)).toBe(once)
    })

  it("a suspension stays, whatever is paid", () => {
    expect(on("Scale", { suspendedAt: 0, suspendedReason: "spam" })).toMatchObject({
      suspendedAt: 0,
      suspendedReason: "spam",
    })
  })
})

describe("what the provider's subscription means", () => {
  it("is the plan it is live for", () => {
    const bought = { plan: "Scale", period: "monthly" } as const
    expect(subscriptionChange(account(), REFERENCE, { live: true, bought })).toEqual(paid("Scale"))
  })

  it("is a lapse when it is not live", () => {
    const bought = { plan: "Scale", period: "monthly" } as const
    expect(subscriptionChange(on("Scale"), REFERENCE, { live: false, bought })).toEqual(lapsed)
  })

  it("at an unknown price is the plan the account has, and none on Free", () => {
    const unknown = { live: true, bought: null }
    expect(subscriptionChange(on("Growth"), REFERENCE, unknown)).toEqual(paid("Growth", "annual"))
    expect(subscriptionChange(account(), REFERENCE, unknown)).toBeNull()
  })
})

describe("unlocking by a change", () => {
  const free = { plan: "Free", lapsed: false } as const

  for (const plan of PaidPlan.literals) {
    it(`states.inbound.upgrade: ${plan} unlocks what Free and a lapse gated`, () => {
      expect(unlocksGated(free, { plan, lapsed: false })).toBe(true)
      expect(unlocksGated({ plan, lapsed: true }, { plan, lapsed: false })).toBe(true)
    })

    it(`states.inbound.upgrade: neither giving ${plan} up nor its lapse unlocks`, () => {
      expect(unlocksGated({ plan, lapsed: false }, free)).toBe(false)
      expect(unlocksGated({ plan, lapsed: false }, { plan, lapsed: true })).toBe(false)
    })
  }

  it("states.inbound.upgrade: a larger plan unlocks, a smaller one and the same do not", () => {
    const plan = (name: Plan) => ({ plan: name, lapsed: false })
    expect(unlocksGated(plan("Developer"), plan("Growth"))).toBe(true)
    expect(unlocksGated(plan("Growth"), plan("Scale"))).toBe(true)
    expect(unlocksGated(plan("Scale"), plan("Growth"))).toBe(false)
    expect(unlocksGated(plan("Growth"), plan("Growth"))).toBe(false)
  })
})
