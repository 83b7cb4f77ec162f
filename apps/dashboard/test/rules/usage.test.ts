/** The rules of usage, billing, export and the operator's pages. */
import type { MetricPoint, Plan } from "@mailroom/client"
import { ageText, byLabel, parseCounters, rate, total } from "@mailroom/dashboard/rules/counters"
import { deletionLosses } from "@mailroom/dashboard/rules/deletion"
import { COMPLAINTS_MAX, shareWords } from "@mailroom/dashboard/rules/health"
import { mboxEntry } from "@mailroom/dashboard/rules/mbox"
import { changesPlan, invitationState } from "@mailroom/dashboard/rules/operator"
import { lossesOf, planLines, type PlanOffer, planStep } from "@mailroom/dashboard/rules/plans"
import { chartText, columnsOf, quota } from "@mailroom/dashboard/rules/series"
import { describe, expect, it } from "vitest"

const offer = (facts: Partial<PlanOffer>): PlanOffer => ({
  priceUsd: 19,
  mailboxes: 10,
  sendsPerDay: 500,
  sendsPerMonth: 15_000,
  inboundPerMonth: 2000,
  customDomains: 1,
  storageBytes: 1024 ** 3,
  annual: true,
  ...facts,
})

const offers: Readonly<Record<Plan, PlanOffer>> = {
  Free: offer({ customDomains: 0, mailboxes: 3, annual: false }),
  Developer: offer({}),
  Growth: offer({}),
  Scale: offer({ annual: false }),
}

describe("plans", () => {
  const trial = { plan: "Free", state: "trial", billingPeriod: "monthly", billingLinked: false } as const
  const paid = { plan: "Developer", state: "active", billingPeriod: "monthly", billingLinked: true } as const
  const given = { ...paid, billingLinked: false } as const
  it.each([
    [trial, "Developer", "monthly", "buy"],
    [trial, "Free", "monthly", "current"],
    [paid, "Developer", "monthly", "current"],
    [paid, "Developer", "annual", "upgrade"],
    [paid, "Growth", "monthly", "upgrade"],
    [{ ...paid, plan: "Growth" }, "Developer", "monthly", "downgrade"],
    [{ ...paid, plan: "Scale" }, "Scale", "annual", "current"],
    [paid, "Free", "monthly", "give up"],
    [{ ...paid, state: "payment_required" }, "Developer", "monthly", "buy"],
    [given, "Developer", "monthly", "buy"],
    [given, "Growth", "monthly", "buy"],
    [given, "Free", "monthly", "current"],
  ] as const)("from %j to %s %s is: %s", (account, plan, period, step) =>
    expect(planStep(account, plan, period, offers)).toBe(step),
  )

  it("what a plan does not include is listed as such", () => {
    expect(planLines(offers.Free).at(-1)).toEqual({ text: "No custom domain", isIncluded: false })
    expect(planLines(offer({ customDomains: null })).every(({ isIncluded }) => isIncluded)).toBe(true)
  })

  it("a smaller plan tells what is above its limits, and nothing else", () => {
    const usage = { activeMailboxCount: 12, monthlyInboundCount: 10, storageUsedBytes: 0 }
    expect(lossesOf(usage, offers.Developer)).toEqual([
      "The newest 2 mailboxes will be paused: they receive and cannot send.",
    ])
    expect(lossesOf({ ...usage, activeMailboxCount: 1 }, offers.Developer)).toEqual([])
    expect(lossesOf({ ...usage, monthlyInboundCount: 3000 }, offer({ mailboxes: 20 }))).toHaveLength(1)
  })
})

describe("deleting the account", () => {
  const account = {
    mailboxCount: 2,
    storageUsedBytes: 2048,
    plan: "Developer",
    billingLinked: true,
    slug: "acme",
    email: "ada@acme.dev",
  } as const
  it("names the mailboxes, the plan and what stays reserved", () => {
    const text = deletionLosses(account, "mail.example.com").join(" ")
    expect(text).toContain("2 mailboxes")
    expect(text).toContain("The Developer plan ends")
    expect(text).toContain("acme.mail.example.com for 30 days")
  })
  it("speaks of no plan when none is paid", () => {
    expect(deletionLosses({ ...account, billingLinked: false }, "x").join(" ")).not.toContain("plan ends")
  })
})

describe("figures", () => {
  const point = (hour: string, counts: Partial<MetricPoint>): MetricPoint => ({
    at: `2026-05-20T${hour}:00:00.000Z`,
    received: 0,
    sent: 0,
    delivered: 0,
    bounced: 0,
    complained: 0,
    gated: 0,
    quarantined: 0,
    ...counts,
  })
  const series = [point("10", { sent: 2 }), point("11", { sent: 5, bounced: 1 })]

  it("become columns of a chart", () => {
    expect(columnsOf(series, ["sent", "bounced"])).toEqual({
      times: [Date.parse("2026-05-20T10:00:00Z") / 1000, Date.parse("2026-05-20T11:00:00Z") / 1000],
      values: [
        [2, 5],
        [0, 1],
      ],
    })
  })

  it("are told in a sentence", () => {
    expect(chartText(series, ["sent", "complained"], "hour")).toMatch(
      /^By the hour: sent 7, most at .+ with 5; complained 0\.$/,
    )
  })

  it("a quota warns from 80 percent on, and never shows more than all of it", () => {
    expect([quota(79, 100).tone, quota(80, 100).tone, quota(120, 100)]).toEqual([
      "accent",
      "warn",
      { share: 1, tone: "bad" },
    ])
    expect(quota(5, null).share).toBeNull()
  })

  it.each([
    [0, 0, "Nothing sent"],
    [1, 20, "Too few to judge"],
    [1, 1000, "Healthy"],
    [3, 1000, "Near the limit"],
    [6, 1000, "Too many"],
  ])("%i complaints about %i sends: %s", (count, sends, label) =>
    expect(shareWords(count, sends, COMPLAINTS_MAX, "en").label).toBe(label),
  )
})

describe("an mbox file", () => {
  const entry = (mail: string) =>
    new TextDecoder().decode(
      mboxEntry(new TextEncoder().encode(mail), "ada@acme.dev", new Date("2026-05-02T03:04:05Z")),
    )

  it("begins each mail with its sender and time, and ends it with an empty line", () => {
    expect(entry("Subject: Hi\r\n\r\nHello\r\n")).toBe(
      "From ada@acme.dev Sat May  2 03:04:05 2026\nSubject: Hi\n\nHello\n\n",
    )
    expect(entry("no end")).toMatch(/\nno end\n\n$/)
  })

  it("quotes lines that would begin another mail, once more each time", () => {
    expect(entry("A: b\r\n\r\nFrom here\r\n>From there\r\nFromage\r\n a From b")).toContain(
      "\n\n>From here\n>>From there\nFromage\n a From b\n\n",
    )
  })

  it("a sender with spaces or none does not break the line", () => {
    const bytes = new TextEncoder().encode("A: b\n\n")
    const head = (from: string) =>
      new TextDecoder().decode(mboxEntry(bytes, from, new Date(0))).split("\n", 1)[0]
    expect([head("a b"), head("")]).toEqual([
      "From ab Thu Jan  1 00:00:00 1970",
      "From MAILER-DAEMON Thu Jan  1 00:00:00 1970",
    ])
  })
})

describe("counters of the service", () => {
  const samples = parseCounters(
    [
      "# HELP mailroom_x_total things",
      `mailroom_x_total{outcome="sent",code="250"} 3`,
      `mailroom_x_total{outcome="sent",code="251"} 1`,
      `mailroom_x_total{outcome="a \\"quoted\\" one",code="none"} 9`,
      "mailroom_y 1.5",
      "not a sample",
    ].join("\n"),
  )

  it("are read with their labels, summed, and ordered by size", () => {
    expect(samples).toHaveLength(4)
    expect([
      total(samples, "mailroom_x_total"),
      total(samples, "mailroom_y"),
      total(samples, "none"),
    ]).toEqual([13, 1.5, 0])
    expect(byLabel(samples, "mailroom_x_total", "outcome")).toEqual([
      { label: `a "quoted" one`, value: 9 },
      { label: "sent", value: 4 },
    ])
  })

  it("have a rate after two readings, and none after a restart", () => {
    expect([rate(10, 20, 5), rate(undefined, 20, 5), rate(30, 20, 5), rate(10, 20, 0)]).toEqual([
      2,
      null,
      null,
      null,
    ])
  })

  it.each([
    [0.2, "under a second"],
    [61, "61 seconds"],
    [600, "10 minutes"],
    [9000, "3 hours"],
  ])("%d seconds read %s", (seconds, text) => expect(ageText(seconds)).toBe(text))
})

describe("the plan that the operator sets", () => {
  it("changes an account that is on another plan", () => {
    expect(changesPlan({ plan: "Free", state: "active" }, "Growth")).toBe(true)
    expect(changesPlan({ plan: "Growth", state: "active" }, "Growth")).toBe(false)
  })

  it("can be the paid plan of an account that has to pay, and not Free again after its trial", () => {
    expect(changesPlan({ plan: "Growth", state: "payment_required" }, "Growth")).toBe(true)
    expect(changesPlan({ plan: "Free", state: "payment_required" }, "Free")).toBe(false)
  })
})

describe("invitations", () => {
  const now = new Date("2026-05-20T12:00:00Z")
  it.each([
    [{ usedAt: "2026-05-19T00:00:00Z", expiresAt: "2026-05-19T00:00:00Z" }, "used"],
    [{ usedAt: null, expiresAt: "2026-05-20T12:00:00Z" }, "expired"],
    [{ usedAt: null, expiresAt: "2026-05-20T12:00:01Z" }, "open"],
  ] as const)("%j is %s", (invitation, state) => expect(invitationState(invitation, now)).toBe(state))
})
