import {
  BillingPeriod,
  checkoutState,
  type CheckoutRecord,
  HOUR,
  PaidPlan,
  Plan,
  plans,
  soldPeriod,
  UPGRADE_HINT,
  upgradeAt,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { accepts, accountId, signedUp } from "./support/records.js"

const GB = 1_073_741_824

const table = [
  ["Free", 0, 3, 100, 5000, 100, 0, 1],
  ["Developer", 19, 10, 500, 15_000, 2000, 1, 10],
  ["Growth", 79, 50, 1000, null, 20_000, 5, 25],
  ["Scale", 199, 200, 2000, null, null, null, 100],
] as const

describe("plans", () => {
  for (const [
    plan,
    priceUsd,
    mailboxes,
    sendsPerDay,
    sendsPerMonth,
    inboundPerMonth,
    customDomains,
    gb,
  ] of table)
    it(`limits.plans.free: ${plan}`, () => {
      expect(plans[plan]).toMatchObject({
        priceUsd,
        mailboxes,
        sendsPerDay,
        sendsPerMonth,
        inboundPerMonth,
        customDomains,
        storageBytes: gb * GB,
      })
    })

  it("service.plans: there are four, and Free is not bought", () => {
    expect([...Plan.literals]).toEqual(["Free", "Developer", "Growth", "Scale"])
    expect([...PaidPlan.literals]).toEqual(["Developer", "Growth", "Scale"])
    expect(accepts(Plan, "free")).toBe(false)
  })

  it("decisions.upgrade.annual: annual prices exist for Developer and Growth", () => {
    expect([...BillingPeriod.literals]).toEqual(["monthly", "annual"])
    expect(soldPeriod("Developer", "annual")).toBe("annual")
    expect(soldPeriod("Growth", "annual")).toBe("annual")
  })

  it("decisions.upgrade.annual: an annual intent for Scale falls back to monthly", () => {
    expect(soldPeriod("Scale", "annual")).toBe("monthly")
  })

  it("monthly is monthly on every plan", () => {
    for (const plan of PaidPlan.literals) expect(soldPeriod(plan, "monthly")).toBe("monthly")
  })
})

describe("a checkout", () => {
  const checkout: CheckoutRecord = {
    tokenHash: "hash",
    accountId,
    plan: "Developer",
    period: "monthly",
    expiresAt: signedUp + 24 * HOUR,
    completedAt: null,
  }

  it("limits.size.checkout: is open for 24 hours", () => {
    expect(checkoutState(checkout, signedUp)).toBe("open")
    expect(checkoutState(checkout, signedUp + 24 * HOUR - 1)).toBe("open")
    expect(checkoutState(checkout, signedUp + 24 * HOUR)).toBe("expired")
  })

  it("decisions.upgrade.once: completes once, and a used one says so also after its end", () => {
    const used = { ...checkout, completedAt: signedUp + 1 }
    expect(checkoutState(used, signedUp + 2)).toBe("completed")
    expect(checkoutState(used, signedUp + 48 * HOUR)).toBe("completed")
  })
})

describe("how a refusal points to the upgrade", () => {
  it("errors.format.upgrade-text: a string hint on plan limits names the route", () => {
    expect(UPGRADE_HINT).toContain("POST /v1/billing/upgrade")
  })

  it("errors.format.upgrade-object-payment: an object on payment and inbound gates", () => {
    const upgrade = upgradeAt("https://mail.acme.dev", "stripe")
    expect(Object.keys(upgrade).sort()).toEqual(["apiEndpoint", "browserUrl", "hint"])
    expect(upgrade.apiEndpoint).toEqual({ method: "POST", path: "/v1/billing/upgrade" })
    expect(upgrade.browserUrl.startsWith("https://mail.acme.dev/")).toBe(true)
    expect(upgrade.hint).not.toBe("")
  })
})
