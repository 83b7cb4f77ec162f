import { DAY, type MailboxRecord, Plan, plans, returnSend, takeSend } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { at, drawn, mailbox, refusal, refusedAs } from "./support/records.js"

const noon = at("2026-03-15T12:00:00.000Z")
const unhurried = Number.MAX_SAFE_INTEGER

/** Tries `n` sends at one instant; how many were taken, and the mailbox after them. */
const tries = (start: MailboxRecord, plan: Plan, perMinute: number, n: number, now = noon) => {
  let [current, taken] = [start, 0]
  for (let i = 0; i < n; i++) {
    const outcome = takeSend(current, plan, perMinute, now)
    if (Either.isRight(outcome)) [current, taken] = [outcome.right, taken + 1]
  }
  return { mailbox: current, taken }
}

const daySpent = (plan: Plan, left: number, day = "2026-03-15") =>
  mailbox({ sentDay: { window: day, count: plans[plan].sendsPerDay - left } })
const monthSpent = (left: number, month = "2026-03") =>
  mailbox({ sentMonth: { window: month, count: 5000 - left } })

describe("taking", () => {
  for (const plan of Plan.literals)
    it(`limits.send.429-day: ${plan} sends ${plans[plan].sendsPerDay} a day from each mailbox`, () => {
      expect(tries(mailbox(), plan, unhurried, plans[plan].sendsPerDay + 5).taken).toBe(
        plans[plan].sendsPerDay,
      )
    })

  it.prop(
    "decisions.send.parallel: n sends at a daily limit of k left give exactly k sent",
    [FastCheck.nat(100), FastCheck.nat(150), FastCheck.constantFrom(...Plan.literals)],
    ([left, n, plan]) => {
      const { mailbox: after, taken } = tries(daySpent(plan, left), plan, unhurried, n)
      expect(taken).toBe(Math.min(left, n))
      expect(after.sentDay.count).toBe(plans[plan].sendsPerDay - left + taken)
    },
    { fastCheck: { ...drawn.fastCheck, numRuns: 100 } },
  )

  it.prop(
    "decisions.send.parallel: n sends at a monthly limit of k left give exactly k sent",
    [FastCheck.nat(100), FastCheck.nat(100)],
    ([left, n]) => {
      expect(tries(monthSpent(left), "Free", unhurried, n).taken).toBe(Math.min(left, n))
    },
    { fastCheck: { ...drawn.fastCheck, numRuns: 100 } },
  )

  it.prop(
    "limits.send.velocity: n sends in one minute are at most the velocity",
    [FastCheck.integer({ min: 1, max: 80 }), FastCheck.nat(90)],
    ([perMinute, n]) => {
      expect(tries(mailbox(), "Developer", perMinute, n).taken).toBe(Math.min(perMinute, n))
    },
    { fastCheck: { ...drawn.fastCheck, numRuns: 100 } },
  )

  it("limits.send.velocity: each send counts in the minute, the day and the month", () => {
    expect(tries(mailbox(), "Free", 60, 3).mailbox).toMatchObject({
      sentMinute: { count: 3 },
      sentDay: { window: "2026-03-15", count: 3 },
      sentMonth: { window: "2026-03", count: 3 },
    })
  })

  it("limits.plans.growth: Growth and Scale have no monthly limit", () => {
    const busy = mailbox({ sentMonth: { window: "2026-03", count: 1_000_000 } })
    expect(refusedAs(takeSend(busy, "Growth", 60, noon))).toBeNull()
    expect(refusedAs(takeSend(busy, "Scale", 60, noon))).toBeNull()
    expect(refusedAs(takeSend(busy, "Developer", 60, noon))).toBe("MonthlySendLimitReached")
  })

  it("decisions.send.velocity: velocity is answered before the daily limit, the daily before the monthly", () => {
    const spent = mailbox({
      sentMinute: tries(mailbox(), "Free", 60, 60).mailbox.sentMinute,
      sentDay: { window: "2026-03-15", count: 100 },
      sentMonth: { window: "2026-03", count: 5000 },
    })
    expect(refusedAs(takeSend(spent, "Free", 60, noon))).toBe("SendVelocityExceeded")
    expect(refusedAs(takeSend(spent, "Free", 61, noon))).toBe("DailySendLimitReached")
    expect(refusedAs(takeSend(spent, "Free", 61, at("2026-03-16T00:00:00.000Z")))).toBe(
      "MonthlySendLimitReached",
    )
  })
})

describe("turning", () => {
  const days = [
    ["midnight", "2026-03-15T23:59:59.999Z"],
    ["29 February 2028", "2028-02-29T23:59:59.999Z"],
    ["New Year", "2026-12-31T23:59:59.999Z"],
  ] as const
  for (const [name, last] of days)
    it(`limits.send.day: the daily counter resets once, at ${name}`, () => {
      const spent = daySpent("Free", 0, last.slice(0, 10))
      expect(refusedAs(takeSend(spent, "Free", 60, at(last)))).toBe("DailySendLimitReached")
      expect(tries(spent, "Free", unhurried, 150, at(last) + 1).taken).toBe(100)
    })

  const months = [
    ["30 April", "2026-04-30T23:59:59.999Z"],
    ["29 February 2028", "2028-02-29T23:59:59.999Z"],
    ["New Year", "2026-12-31T23:59:59.999Z"],
  ] as const
  for (const [name, last] of months)
    it(`limits.send.month: the monthly counter resets at midnight UTC after ${name}`, () => {
      const spent = monthSpent(0, last.slice(0, 7))
      expect(refusedAs(takeSend(spent, "Free", 60, at(last)))).toBe("MonthlySendLimitReached")
      expect(refusedAs(takeSend(spent, "Free", 60, at(last) + 1))).toBeNull()
    })

  it("limits.send.month: a new day does not reset the month", () => {
    expect(refusedAs(takeSend(monthSpent(0), "Free", 60, at("2026-03-16T00:00:00.000Z")))).toBe(
      "MonthlySendLimitReached",
    )
  })

  it("limits.send.velocity: velocity is of the running minute", () => {
    const hurried = tries(mailbox(), "Free", 5, 5, at("2026-03-15T12:00:59.999Z")).mailbox
    expect(refusedAs(takeSend(hurried, "Free", 5, at("2026-03-15T12:00:59.999Z")))).toBe(
      "SendVelocityExceeded",
    )
    expect(refusedAs(takeSend(hurried, "Free", 5, at("2026-03-15T12:01:00.000Z")))).toBeNull()
  })

  it("limits.send.velocity: the same minute of another hour or day is another minute", () => {
    const hurried = tries(mailbox(), "Free", 5, 5).mailbox
    expect(refusedAs(takeSend(hurried, "Free", 5, at("2026-03-15T13:00:00.000Z")))).toBeNull()
    expect(refusedAs(takeSend(hurried, "Free", 5, at("2026-03-16T12:00:00.000Z")))).toBeNull()
  })
})

describe("a clock that goes back an hour over midnight", () => {
  const [before, after] = [at("2026-02-28T23:30:00.000Z"), at("2026-03-01T00:30:00.000Z")]

  it("limits.send.day: turns the day once", () => {
    const full = tries(mailbox(), "Free", unhurried, 100, after).mailbox
    expect(refusedAs(takeSend(full, "Free", unhurried, before))).toBe("DailySendLimitReached")
    expect(refusedAs(takeSend(full, "Free", unhurried, after))).toBe("DailySendLimitReached")
    expect(refusedAs(takeSend(full, "Free", unhurried, after + DAY))).toBeNull()
  })

  it("limits.send.month: counts the sends of both hours in the later day and month", () => {
    const busy = tries(tries(mailbox(), "Free", 60, 2, after).mailbox, "Free", 60, 3, before).mailbox
    expect(busy).toMatchObject({
      sentDay: { window: "2026-03-01", count: 5 },
      sentMonth: { window: "2026-03", count: 5 },
    })
  })

  it("is waited for until the later window ends", () => {
    const day = tries(mailbox(), "Free", unhurried, 100, after).mailbox
    expect(refusal(takeSend(day, "Free", unhurried, before))).toMatchObject({ retryAfter: 24.5 * 3600 })
    const month = mailbox({ sentMonth: { window: "2026-03", count: 5000 } })
    expect(refusal(takeSend(month, "Free", unhurried, before))).toMatchObject({
      _tag: "MonthlySendLimitReached",
      retryAfter: (31 * 24 + 0.5) * 3600,
    })
    const minute = tries(mailbox(), "Free", 1, 1, after).mailbox
    expect(refusal(takeSend(minute, "Free", 1, after - 1000))).toMatchObject({ retryAfter: 61 })
  })

  it("decisions.send.refused: gives back what was taken before, and keeps what was taken since", () => {
    const taken = tries(mailbox(), "Free", 60, 2, after).mailbox
    expect(returnSend(taken, after)).toMatchObject({ sentDay: { count: 1 }, sentMonth: { count: 1 } })
    expect(returnSend(tries(taken, "Free", 60, 1, before).mailbox, before)).toMatchObject({
      sentDay: { window: "2026-03-01", count: 3 },
      sentMonth: { window: "2026-03", count: 3 },
    })
  })
})

describe("Retry-After", () => {
  const waits = [
    ["velocity", tries(mailbox(), "Free", 1, 1).mailbox, "2026-03-15T12:00:00.000Z", 60],
    ["velocity", tries(mailbox(), "Free", 1, 1).mailbox, "2026-03-15T12:00:59.001Z", 1],
    ["the day", daySpent("Free", 0), "2026-03-15T00:00:00.000Z", 86_400],
    ["the day", daySpent("Free", 0), "2026-03-15T23:59:59.999Z", 1],
    ["the day", daySpent("Free", 0), "2026-03-15T23:59:58.500Z", 2],
    ["a leap day", daySpent("Free", 0, "2028-02-29"), "2028-02-29T12:00:00.000Z", 43_200],
    ["February 2028", monthSpent(0, "2028-02"), "2028-02-29T00:00:00.000Z", 86_400],
    ["February 2027", monthSpent(0, "2027-02"), "2027-02-01T00:00:00.000Z", 28 * 86_400],
    ["December", monthSpent(0, "2026-12"), "2026-12-31T23:59:59.999Z", 1],
  ] as const
  for (const [name, spent, now, seconds] of waits)
    it(`${name} at ${now} frees in ${seconds} s`, () => {
      expect(refusal(takeSend(spent, "Free", 1, at(now)))).toMatchObject({ retryAfter: seconds })
    })

  it.prop(
    "a send is free again after the seconds told, and not a second before",
    [FastCheck.integer({ min: at("2026-01-01T00:00:00Z"), max: at("2030-12-31T23:59:59.999Z") })],
    ([now]) => {
      const spent = tries(mailbox(), "Free", unhurried, 100, now).mailbox
      const refused = refusal(takeSend(spent, "Free", unhurried, now))
      const freeAt = now + (refused?.retryAfter ?? 0) * 1000
      expect(refused).toMatchObject({ _tag: "DailySendLimitReached" })
      expect(refusedAs(takeSend(spent, "Free", unhurried, freeAt))).toBeNull()
      expect(refusedAs(takeSend(spent, "Free", unhurried, Math.max(now, freeAt - 1000)))).not.toBeNull()
    },
    { fastCheck: { ...drawn.fastCheck, numRuns: 100 } },
  )
})

describe("giving back", () => {
  it("decisions.send.refused: a refusal by the relay gives the unit of the day and the month back", () => {
    const full = tries(mailbox(), "Free", unhurried, 100).mailbox
    const after = returnSend(full, noon)
    expect(after.sentDay.count).toBe(99)
    expect(after.sentMonth.count).toBe(99)
    expect(tries(after, "Free", unhurried, 5).taken).toBe(1)
  })

  it.prop(
    "decisions.send.refused: taking and giving back n times leaves the day and the month as they were",
    [FastCheck.integer({ min: 1, max: 60 }), FastCheck.nat(40)],
    ([n, before]) => {
      const start = tries(mailbox(), "Free", unhurried, before).mailbox
      let current = tries(start, "Free", unhurried, n).mailbox
      for (let i = 0; i < n; i++) current = returnSend(current, noon)
      expect([current.sentDay.count, current.sentMonth.count]).toEqual([before, before])
    },
    { fastCheck: { ...drawn.fastCheck, numRuns: 100 } },
  )

  it("decisions.send.refused: a refusal that comes after midnight does not credit the new day", () => {
    const [evening, morning] = [at("2026-03-15T23:59:59.999Z"), at("2026-03-16T00:00:01.000Z")]
    const taken = tries(mailbox(), "Free", unhurried, 1, evening).mailbox
    const nextDay = tries(taken, "Free", unhurried, 2, morning).mailbox
    expect(returnSend(nextDay, evening)).toMatchObject({
      sentDay: { window: "2026-03-16", count: 2 },
      sentMonth: { window: "2026-03", count: 2 },
    })
  })

  it("decisions.send.refused: a refusal that comes after New Year credits neither the new day nor the new month", () => {
    const [evening, morning] = [at("2026-12-31T23:59:59.999Z"), at("2027-01-01T00:00:00.000Z")]
    const nextYear = tries(tries(mailbox(), "Free", 60, 1, evening).mailbox, "Free", 60, 1, morning).mailbox
    expect(returnSend(nextYear, evening)).toMatchObject({
      sentDay: { window: "2027-01-01", count: 1 },
      sentMonth: { window: "2027-01", count: 1 },
    })
  })
})
