import {
  type AccountRecord,
  accountState,
  type BillingMode,
  DAY,
  paymentReason,
  Plan,
  trialExpiresAt,
  trialSpent,
  viewAccount,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { account, at, drawn } from "./support/records.js"

const verified = at("2026-03-01T10:00:00.000Z")
const later = verified + DAY
const state = (facts: Partial<AccountRecord>, now = later, billing: BillingMode = "simulated") =>
  accountState(account(facts), billing, now)

describe("states", () => {
  it("decisions.state.flow: an account starts unverified", () => {
    expect(state({})).toBe("unverified")
  })

  it("decisions.trial.starts: verification starts the trial", () => {
    expect(state({ emailVerifiedAt: verified }, verified)).toBe("trial")
  })

  it("decisions.trial.spent-days: the trial lasts 3 days to the millisecond", () => {
    const end = trialExpiresAt(verified)
    expect(end).toBe(at("2026-03-04T10:00:00.000Z"))
    expect(state({ emailVerifiedAt: verified }, end - 1)).toBe("trial")
    expect(state({ emailVerifiedAt: verified }, end)).toBe("payment_required")
  })

  it("decisions.trial.spent-sends: the trial is spent with its 10th send", () => {
    expect(state({ emailVerifiedAt: verified, trialSends: 9 })).toBe("trial")
    expect(state({ emailVerifiedAt: verified, trialSends: 10 })).toBe("payment_required")
  })

  it("decisions.trial.receives: receives do not spend the trial", () => {
    expect(trialSpent({ emailVerifiedAt: verified, trialSends: 0, trialReceives: 25 }, later)).toBe(false)
    expect(state({ emailVerifiedAt: verified, trialReceives: 25 })).toBe("trial")
  })

  it("a trial that has not started does not expire", () => {
    expect(state({}, later + 365 * DAY)).toBe("unverified")
  })

  it("states.account.paid: a purchase makes the account active, and the trial's end no longer matters", () => {
    expect(state({ plan: "Developer", emailVerifiedAt: verified, trialSends: 10 }, later + 365 * DAY)).toBe(
      "active",
    )
  })

  it("decisions.upgrade.before-verification: paying before verification is allowed", () => {
    expect(state({ plan: "Growth" })).toBe("active")
  })

  it("decisions.upgrade.lapse: a lapse turns active into payment_required", () => {
    expect(state({ plan: "Developer", emailVerifiedAt: verified, lapsed: true })).toBe("payment_required")
    expect(state({ plan: "Free", emailVerifiedAt: verified, lapsed: true }, verified)).toBe(
      "payment_required",
    )
  })

  it("a lapsed plan, used sends and spent days are told apart, in this order", () => {
    const reasonOf = (facts: Partial<AccountRecord>) => paymentReason(account(facts))
    expect(reasonOf({ plan: "Free", emailVerifiedAt: verified })).toBe("the trial is over")
    expect(reasonOf({ plan: "Free", emailVerifiedAt: verified, trialSends: 10 })).toBe(
      "the trial's sends are used up",
    )
    expect(reasonOf({ plan: "Developer", trialSends: 10, lapsed: true })).toBe("the plan has lapsed")
  })

  it("decisions.state.no-billing: under BILLING=none verification leads to active, without a trial", () => {
    expect(state({}, later, "none")).toBe("unverified")
    expect(state({ emailVerifiedAt: verified, trialSends: 99 }, later + 365 * DAY, "none")).toBe("active")
  })

  it("decisions.state.no-billing: under `none` there is no payment gate: a lapse of before means nothing", () => {
    expect(state({ emailVerifiedAt: verified, lapsed: true }, later, "none")).toBe("active")
    expect(state({ emailVerifiedAt: verified, plan: "Growth", lapsed: true }, later, "none")).toBe("active")
    expect(state({ lapsed: true }, later, "none")).toBe("unverified")
  })

  it.prop(
    "decisions.state.suspended: suspended from any state, by the operator",
    [
      FastCheck.record({
        plan: FastCheck.constantFrom(...Plan.literals),
        lapsed: FastCheck.boolean(),
        emailVerifiedAt: FastCheck.constantFrom(null, verified),
        trialSends: FastCheck.nat(12),
      }),
      FastCheck.constantFrom<BillingMode>("simulated", "stripe", "none"),
    ],
    ([facts, billing]) => {
      expect(state({ ...facts, suspendedAt: later }, later, billing)).toBe("suspended")
    },
    drawn,
  )
})

describe("the account as it is shown", () => {
  const view = (facts: Partial<AccountRecord>, now = later, billing: BillingMode = "simulated") =>
    viewAccount(account(facts), { total: 4, unpaused: 4, active: 3 }, billing, now)

  it("decisions.account.fields: the account has exactly the fields decided", () => {
    expect(Object.keys(view({})).sort()).toEqual(
      [
        "id email emailVerified name slug plan billingPeriod state sendingPaused suspended suspendedAt suspendedReason storageUsedBytes",
        "storageLimitBytes mailboxCount activeMailboxCount mailboxLimit sentToday sentThisMonth receivedToday",
        "bouncedToday monthlyInboundCount monthlyInboundLimit monthlyInboundPercentage monthlyInboundResetAt",
        "overLimitMessageCount billingLinked trial createdAt",
      ]
        .join(" ")
        .split(" ")
        .sort(),
    )
  })

  it("decisions.plan.free: `plan` stays Free in the trial", () => {
    expect(view({ emailVerifiedAt: verified })).toMatchObject({
      plan: "Free",
      state: "trial",
      emailVerified: true,
    })
  })

  it("decisions.state.no-billing: there is no trial before verification, on a paid plan and under BILLING=none", () => {
    expect(view({}).trial).toBeNull()
    expect(view({ emailVerifiedAt: verified, plan: "Developer" }).trial).toBeNull()
    expect(view({ emailVerifiedAt: verified }, later, "none").trial).toBeNull()
  })

  it("decisions.account.trial: the trial shows what is used and what is left", () => {
    expect(view({ emailVerifiedAt: verified, trialSends: 4, trialReceives: 7 }).trial).toEqual({
      active: true,
      expired: false,
      exhausted: false,
      sendsUsed: 4,
      sendsRemaining: 6,
      sendCap: 10,
      receivesUsed: 7,
      receivesRemaining: 3,
      receiveCap: 10,
      startedAt: "2026-03-01T10:00:00.000Z",
      expiresAt: "2026-03-04T10:00:00.000Z",
    })
  })

  it("decisions.account.trial: a trial that ran out is expired, one whose sends are used exhausted; neither is active", () => {
    expect(view({ emailVerifiedAt: verified }, later + 3 * DAY).trial).toMatchObject({
      active: false,
      expired: true,
      exhausted: false,
    })
    expect(view({ emailVerifiedAt: verified, trialSends: 10 }).trial).toMatchObject({
      active: false,
      expired: false,
      exhausted: true,
      sendsRemaining: 0,
    })
  })

  it("decisions.account.trial: receives beyond the trial's 10 leave nothing, never less", () => {
    expect(view({ emailVerifiedAt: verified, trialReceives: 13 }).trial).toMatchObject({
      active: true,
      receivesUsed: 13,
      receivesRemaining: 0,
    })
  })

  it("decisions.account.trial: a suspended account's trial is not active", () => {
    const seen = view({ emailVerifiedAt: verified, suspendedAt: later, suspendedReason: "abuse" })
    expect(seen).toMatchObject({
      state: "suspended",
      suspended: true,
      suspendedAt: expect.any(String),
      suspendedReason: "abuse",
    })
    expect(seen.trial).toMatchObject({ active: false })
  })

  it("limits.send.day: today's and this month's numbers are of the running windows", () => {
    const facts = {
      sentDay: { window: "2026-03-02", count: 5 },
      sentMonth: { window: "2026-03", count: 40 },
      receivedDay: { window: "2026-03-02", count: 6 },
      bouncedDay: { window: "2026-03-02", count: 2 },
    }
    expect(view(facts, at("2026-03-02T23:59:59.999Z"))).toMatchObject({
      sentToday: 5,
      sentThisMonth: 40,
      receivedToday: 6,
      bouncedToday: 2,
    })
    expect(view(facts, at("2026-03-03T00:00:00.000Z"))).toMatchObject({
      sentToday: 0,
      sentThisMonth: 40,
      receivedToday: 0,
      bouncedToday: 0,
    })
    expect(view(facts, at("2026-04-01T00:00:00.000Z"))).toMatchObject({ sentToday: 0, sentThisMonth: 0 })
  })

  it("resources.account.more: limits are the plan's, and `null` inbound is unlimited", () => {
    expect(view({ plan: "Scale" })).toMatchObject({
      mailboxCount: 4,
      activeMailboxCount: 3,
      mailboxLimit: 200,
      storageLimitBytes: 100 * 1_073_741_824,
      monthlyInboundLimit: null,
      monthlyInboundPercentage: 0,
    })
    expect(view({}).storageLimitBytes).toBe(1_073_741_824)
  })

  it("limits.inbound.month: the reset is midnight UTC on the 1st", () => {
    expect(view({}, at("2028-02-29T23:59:59.999Z")).monthlyInboundResetAt).toBe("2028-03-01T00:00:00.000Z")
  })

  it("`billingLinked` says whether there is a subscription", () => {
    expect(view({}).billingLinked).toBe(false)
    expect(view({ plan: "Developer", billingReference: "sub_1" }).billingLinked).toBe(true)
  })

  it("the password and the intent are not shown", () => {
    const text = JSON.stringify(view({ passwordHash: "very-secret", intentPlan: "Growth" }))
    expect(text).not.toContain("very-secret")
    expect(text).not.toContain("Growth")
  })
})
