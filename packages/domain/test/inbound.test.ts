import {
  type AccountRecord,
  type AccountState,
  countReceived,
  inboundGate,
  inboundQuota,
  inboundUsage,
  inboundWarning,
  monthOf,
  monthTurned,
  Plan,
  plans,
  quotaPercentage,
  reachedUsage,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { account, at, drawn } from "./support/records.js"

const now = at("2026-03-15T12:00:00.000Z")
const received = (count: number, facts: Partial<AccountRecord> = {}) =>
  account({ receivedMonth: { window: "2026-03", count }, ...facts })

/** Lets `n` messages arrive one after the other; what gated each. */
const arrivals = (start: AccountRecord, state: AccountState, n: number, when = now) => {
  const gates: Array<string | null> = []
  let current = start
  for (let i = 0; i < n; i++) {
    const gate = inboundGate(current, state, when)
    gates.push(gate)
    current = countReceived(current, state, gate, when)
  }
  return { gates, account: current }
}

describe("the monthly cap", () => {
  for (const plan of ["Free", "Developer", "Growth"] as const)
    it(`states.inbound.gated-event: the ${plan} plan shows messages below its cap and gates the rest`, () => {
      const cap = plans[plan].inboundPerMonth ?? 0
      const { gates } = arrivals(received(cap - 1, { plan }), "active", 3)
      expect(gates).toEqual([null, "INBOUND_LIMIT_EXCEEDED", "INBOUND_LIMIT_EXCEEDED"])
    })

  it("limits.plans.scale: Scale is unlimited", () => {
    expect(inboundGate(received(10_000_000, { plan: "Scale" }), "active", now)).toBeNull()
    expect(inboundQuota(received(7, { plan: "Scale" }), "active", now)).toEqual({ current: 7, limit: null })
  })

  it("decisions.quota.unverified: before verification it is Free's, n/100", () => {
    expect(inboundQuota(received(3), "unverified", now)).toEqual({ current: 3, limit: 100 })
    expect(inboundGate(received(99), "unverified", now)).toBeNull()
    expect(inboundGate(received(100), "unverified", now)).toBe("INBOUND_LIMIT_EXCEEDED")
  })

  it("limits.inbound.month: it resets at midnight UTC on the 1st", () => {
    const full = received(2000, { plan: "Developer" })
    expect(inboundGate(full, "active", at("2026-03-31T23:59:59.999Z"))).toBe("INBOUND_LIMIT_EXCEEDED")
    expect(inboundGate(full, "active", at("2026-04-01T00:00:00.000Z"))).toBeNull()
  })

  it.prop(
    "limits.inbound.gated: of any number of arrivals in a month exactly the cap is visible",
    [FastCheck.integer({ min: 0, max: 100 }), FastCheck.nat(130)],
    ([before, n]) => {
      const { gates, account: after } = arrivals(received(before), "unverified", n)
      const visible = gates.filter((gate) => gate === null).length
      expect(visible).toBe(Math.min(n, 100 - before))
      expect(after.overLimitCount).toBe(n - visible)
      expect(after.receivedMonth).toEqual({ window: "2026-03", count: before + n })
    },
    { fastCheck: { ...drawn.fastCheck, numRuns: 100 } },
  )
})

describe("the trial's cap", () => {
  it("decisions.trial.receives: 10 receives are visible, the 11th and later wait for a purchase", () => {
    const { gates, account: after } = arrivals(account({ emailVerifiedAt: now }), "trial", 12)
    expect(gates.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => null))
    expect(gates.slice(10)).toEqual(["INBOUND_TRIAL_LIMIT_EXCEEDED", "INBOUND_TRIAL_LIMIT_EXCEEDED"])
    expect(after.overLimitCount).toBe(2)
  })

  it("decisions.quota.trial: it counts from verification: what came before does not use it up", () => {
    const verified = received(60, { emailVerifiedAt: now })
    expect(inboundQuota(verified, "trial", now)).toEqual({ current: 0, limit: 10 })
    expect(inboundGate(verified, "trial", now)).toBeNull()
  })

  it("decisions.quota.trial: receives before verification are not the trial's", () => {
    expect(arrivals(account(), "unverified", 3).account.trialReceives).toBe(0)
    expect(arrivals(account(), "trial", 3).account.trialReceives).toBe(3)
  })

  it("states.inbound.trial: only an upgrade lifts it, so no month is remembered", () => {
    const { account: after } = arrivals(account({ trialReceives: 10 }), "trial", 1)
    expect(after.overLimitMonth).toBeNull()
    expect(monthTurned(after, at("2026-04-01T00:00:00.000Z"))).toBe(false)
  })

  it("decisions.quota.payment-required: in payment_required everything that arrives is gated with the trial's code", () => {
    for (const facts of [
      { trialReceives: 0 },
      { trialReceives: 12 },
      { plan: "Scale" as const, lapsed: true },
    ])
      expect(inboundGate(account(facts), "payment_required", now)).toBe("INBOUND_TRIAL_LIMIT_EXCEEDED")
  })
})

describe("what an arrival counts", () => {
  it("limits.inbound.account: day, month and hidden messages, over all mailboxes of the account", () => {
    const before = received(100, { receivedDay: { window: "2026-03-15", count: 4 } })
    const after = countReceived(before, "active", "INBOUND_LIMIT_EXCEEDED", now)
    expect(after).toMatchObject({
      receivedDay: { window: "2026-03-15", count: 5 },
      receivedMonth: { window: "2026-03", count: 101 },
      overLimitCount: 1,
      overLimitMonth: "2026-03",
    })
  })

  it("states.inbound.visible: a visible message adds nothing to the hidden ones", () => {
    expect(countReceived(received(1), "active", null, now)).toMatchObject({
      overLimitCount: 0,
      overLimitMonth: null,
    })
  })
})

describe("the monthly reset", () => {
  for (const [last, first] of [
    ["2026-03-31T23:59:59.999Z", "2026-04-01T00:00:00.000Z"],
    ["2028-02-29T23:59:59.999Z", "2028-03-01T00:00:00.000Z"],
    ["2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00.000Z"],
  ] as const)
    it(`states.inbound.month: gated messages unlock at ${first}, not before`, () => {
      const gated = account({ overLimitCount: 3, overLimitMonth: monthOf(at(last)) })
      expect(monthTurned(gated, at(last))).toBe(false)
      expect(monthTurned(gated, at(first))).toBe(true)
    })

  it("states.inbound.month: a clock that goes back over the 1st unlocks nothing, then or after", () => {
    const [before, after] = [at("2026-02-28T23:30:00.000Z"), at("2026-03-01T00:30:00.000Z")]
    const full = account({ receivedMonth: { window: "2026-03", count: 100 } })
    const gated = arrivals(full, "unverified", 1, after).account
    expect(monthTurned(gated, before)).toBe(false)
    const back = arrivals(gated, "unverified", 1, before)
    expect(back.gates).toEqual(["INBOUND_LIMIT_EXCEEDED"])
    expect(back.account).toMatchObject({ overLimitCount: 2, overLimitMonth: "2026-03" })
    expect(monthTurned(back.account, after)).toBe(false)
  })

  it("states.inbound.month: nothing unlocks where the month gated nothing", () => {
    expect(monthTurned({ overLimitMonth: null }, now)).toBe(false)
  })
})

describe("the quota headers", () => {
  const warnings = [
    [0, null],
    [49, null],
    [50, "approaching"],
    [79, "approaching"],
    [80, "near"],
    [99, "near"],
    [100, "reached"],
    [140, "reached"],
  ] as const
  for (const [current, warning] of warnings)
    it(`errors.quota.near: ${current} of 100 is ${warning ?? "no warning"}`, () => {
      expect(inboundWarning({ current, limit: 100 })).toBe(warning)
    })

  it.prop(
    "errors.quota.near: the warning follows the exact share on every plan",
    [FastCheck.nat(25_000), FastCheck.constantFrom(...Plan.literals)],
    ([current, plan]) => {
      const limit = plans[plan].inboundPerMonth
      const expected =
        limit === null || current * 2 < limit
          ? null
          : current * 5 < limit * 4
            ? "approaching"
            : current < limit
              ? "near"
              : "reached"
      expect(inboundWarning({ current, limit })).toBe(expected)
    },
    drawn,
  )

  it.prop(
    "the percentage has one decimal, and is 100 only from the cap on",
    [FastCheck.nat(25_000), FastCheck.constantFrom(10, 100, 2000, 20_000)],
    ([current, limit]) => {
      const percentage = quotaPercentage({ current, limit })
      expect(percentage >= 100).toBe(current >= limit)
      expect(Number(percentage.toFixed(1))).toBe(percentage)
      expect(percentage).toBeLessThanOrEqual((current * 100) / limit)
      expect(percentage).toBeGreaterThan((current * 100) / limit - 0.1 - 1e-9)
    },
    drawn,
  )

  it("the percentage is exact where one decimal is enough", () => {
    expect(quotaPercentage({ current: 57, limit: 100 })).toBe(57)
    expect(quotaPercentage({ current: 1999, limit: 2000 })).toBe(99.9)
    expect(quotaPercentage({ current: 19_999, limit: 20_000 })).toBe(99.9)
  })

  it("errors.quota.unlimited: none on unlimited plans", () => {
    expect(inboundWarning({ current: 10_000_000, limit: null })).toBeNull()
    expect(quotaPercentage({ current: 10_000_000, limit: null })).toBe(0)
  })
})

describe("account.inbound_usage", () => {
  it("events.rule-3: is absent below 50 %", () => {
    expect(inboundUsage({ current: 49, limit: 100 }, now)).toBeNull()
  })

  it("events.rule-3: is present from 50 %", () => {
    expect(inboundUsage({ current: 50, limit: 100 }, now)).toEqual({
      current: 50,
      limit: 100,
      percentage: 50,
      reset_date: "2026-04-01T00:00:00.000Z",
      status: "approaching",
    })
    expect(inboundUsage({ current: 1700, limit: 2000 }, now)).toMatchObject({
      percentage: 85,
      status: "near",
    })
  })

  it("events.rule-2: its status is `limit_reached` at the cap", () => {
    expect(inboundUsage({ current: 101, limit: 100 }, now)).toMatchObject({
      percentage: 101,
      status: "limit_reached",
    })
  })

  it("events.rule-2: on a stub it is `limit_reached`, however few messages the trial received", () => {
    const late = inboundQuota(account({ trialReceives: 2 }), "payment_required", now)
    expect(reachedUsage(late, now)).toEqual({
      current: 2,
      limit: 10,
      percentage: 20,
      reset_date: "2026-04-01T00:00:00.000Z",
      status: "limit_reached",
    })
  })
})
