import {
  admitMailbox,
  changeStatus,
  DomainId,
  type MailboxRecord,
  MailboxStatus,
  Plan,
  plans,
  type PlanUse,
  viewMailbox,
  withoutDomain,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { admitted, at, mailbox, refusal, refusedAs, uuid } from "./support/records.js"

const use = (plan: Plan, mailboxes: number, customDomains = 0): PlanUse => ({
  plan,
  mailboxes,
  customDomains,
})
const roomy = use("Scale", 0)

describe("plan limits", () => {
  for (const plan of Plan.literals) {
    const limit = plans[plan].mailboxes
    it(`mailboxes.create.403-plan: ${plan} has ${limit} mailboxes, and the next is refused`, () => {
      expect(refusedAs(admitMailbox(use(plan, limit - 1), false))).toBeNull()
      expect(refusal(admitMailbox(use(plan, limit), false))).toMatchObject({
        _tag: "MailboxLimitReached",
        plan,
        limit,
      })
    })
  }

  it("limits.plans.free-domains: Free has platform mail only", () => {
    expect(refusedAs(admitMailbox(use("Free", 0, 1), true))).toBe("CustomDomainLimitReached")
    expect(refusedAs(admitMailbox(use("Free", 0, 0), false))).toBeNull()
  })

  for (const [plan, domains] of [
    ["Developer", 1],
    ["Growth", 5],
  ] as const)
    it(`mailboxes.create.403-domains: ${plan} uses ${domains} custom domain(s), the wanted one included`, () => {
      expect(refusedAs(admitMailbox(use(plan, 0, domains), true))).toBeNull()
      expect(refusal(admitMailbox(use(plan, 0, domains + 1), true))).toMatchObject({
        _tag: "CustomDomainLimitReached",
        limit: domains,
      })
    })

  it("mailboxes.create.403-domains: Scale has custom domains without limit", () => {
    expect(refusedAs(admitMailbox(use("Scale", 0, 10_000), true))).toBeNull()
  })

  it("mailboxes.create.403-domains: a platform mailbox does not ask for custom domains", () => {
    expect(refusedAs(admitMailbox(use("Developer", 0, 9), false))).toBeNull()
  })
})

describe("the status field of a PATCH", () => {
  const paused = (facts: Partial<MailboxRecord> = {}) => mailbox({ status: "paused", ...facts })

  it("decisions.mailbox.status-case: written as the specification writes them", () => {
    expect([...MailboxStatus.literals]).toEqual(["ACTIVE", "paused", "suspended"])
  })

  it("states.mailbox.pause: ACTIVE becomes paused, whatever the plan", () => {
    expect(admitted(changeStatus(mailbox(), "paused", use("Free", 99))).status).toBe("paused")
  })

  it("states.mailbox.activate: paused becomes ACTIVE within the plan's limits", () => {
    expect(admitted(changeStatus(paused(), "ACTIVE", use("Free", 2))).status).toBe("ACTIVE")
  })

  it("states.mailbox.activate-limit: paused does not become ACTIVE above the mailbox limit", () => {
    expect(refusedAs(changeStatus(paused(), "ACTIVE", use("Free", 3)))).toBe("MailboxLimitReached")
  })

  it("states.mailbox.activate-limit: paused does not become ACTIVE above the custom-domain limit", () => {
    const custom = paused({ domainId: DomainId.make(uuid(9)) })
    expect(refusedAs(changeStatus(custom, "ACTIVE", use("Developer", 0, 2)))).toBe("CustomDomainLimitReached")
    expect(refusedAs(changeStatus(custom, "ACTIVE", use("Developer", 0, 1)))).toBeNull()
  })

  it("states.mailbox.suspended: a suspended mailbox cannot be reactivated here", () => {
    const suspended = mailbox({ status: "suspended", suspendedReason: "spam" })
    expect(refusal(changeStatus(suspended, "ACTIVE", roomy))).toMatchObject({
      _tag: "MailboxSuspended",
      reason: "spam",
    })
    expect(refusedAs(changeStatus(suspended, "paused", roomy))).toBe("MailboxSuspended")
  })

  it("states.mailbox.activate: asking for the status it has changes nothing and meets no limit", () => {
    expect(admitted(changeStatus(mailbox(), "ACTIVE", use("Free", 3)))).toEqual(mailbox())
    expect(admitted(changeStatus(paused(), "paused", use("Free", 3)))).toEqual(paused())
  })

  it("decisions.downgrade: who reactivates a mailbox that billing paused takes the mark away", () => {
    const outcome = changeStatus(paused({ pausedByBilling: true }), "ACTIVE", roomy)
    expect(admitted(outcome)).toMatchObject({ status: "ACTIVE", pausedByBilling: false })
  })

  it("decisions.downgrade: who pauses a mailbox does not mark it as paused by billing", () => {
    expect(admitted(changeStatus(mailbox(), "paused", roomy)).pausedByBilling).toBe(false)
    const byBilling = paused({ pausedByBilling: true })
    expect(admitted(changeStatus(byBilling, "paused", roomy)).pausedByBilling).toBe(false)
  })
})

describe("a mailbox whose domain another account has verified", () => {
  const lost = withoutDomain(
    mailbox({ domainId: DomainId.make(uuid(9)), fullAddress: "agent@acme.dev", pausedByBilling: true }),
    at("2026-03-05T00:00:00.000Z"),
  )

  it("decisions/0015: neither sends nor is on a domain any more, and says why", () => {
    expect(lost).toMatchObject({
      status: "suspended",
      suspendedReason: "another account has verified its domain",
      pausedByBilling: false,
      domainId: null,
      localPart: "agent",
      updatedAt: at("2026-03-05T00:00:00.000Z"),
    })
  })

  it("decisions/0015: has an address of its own that no mail can have (RFC 6761 §6.4)", () => {
    expect(lost.fullAddress).toBe(`agent@acme.dev.${lost.id}.invalid`)
  })
})

describe("the mailbox as it is shown", () => {
  const busy = mailbox({
    provisioned: false,
    sentDay: { window: "2026-03-02", count: 5 },
    sentMonth: { window: "2026-03", count: 40 },
    receivedMonth: { window: "2026-03", count: 8 },
  })

  it("decisions.mailbox.fields: a mailbox has exactly the fields decided", () => {
    expect(Object.keys(viewMailbox(busy, "Free", busy.createdAt, null)).sort()).toEqual(
      [
        "id domainId address fullAddress displayName status mailServerProvisioned dailySendCount dailySendLimit",
        "monthlySendCount monthlySendLimit receivedThisMonth pausedByBilling suspendedReason createdAt updatedAt",
        "outboundPolicy reviewTtlHours receivePolicy onBlocked quarantine",
      ]
        .join(" ")
        .split(" ")
        .sort(),
    )
  })

  it("limits.send.independent: counts are of the running day and month", () => {
    expect(viewMailbox(busy, "Developer", at("2026-03-02T23:59:59.999Z"), null)).toMatchObject({
      address: "agent",
      fullAddress: "agent@acme.mailroom.localhost",
      mailServerProvisioned: false,
      dailySendCount: 5,
      dailySendLimit: 500,
      monthlySendCount: 40,
      monthlySendLimit: 15_000,
      receivedThisMonth: 8,
    })
    expect(viewMailbox(busy, "Developer", at("2026-03-03T00:00:00.000Z"), null)).toMatchObject({
      dailySendCount: 0,
      monthlySendCount: 40,
      receivedThisMonth: 8,
    })
    expect(viewMailbox(busy, "Developer", at("2026-04-01T00:00:00.000Z"), null)).toMatchObject({
      monthlySendCount: 0,
      receivedThisMonth: 0,
    })
  })

  it("decisions.mailbox.fields: a monthly limit of null is unlimited", () => {
    expect(viewMailbox(busy, "Growth", busy.createdAt, null).monthlySendLimit).toBeNull()
  })
})
