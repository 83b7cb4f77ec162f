import {
  type AccountRecord,
  accountState,
  DomainId,
  lowestIdAt,
  type MailboxStatus,
  stateBehindSuspension,
  suspendAccount,
  suspendMailbox,
  unsuspendAccount,
  unsuspendMailbox,
  withoutDomain,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { account, at, mailbox, signedUp, uuid } from "./support/records.js"

const now = at("2026-03-15T12:00:00.000Z")

describe("a suspended account", () => {
  it("decisions.state.suspended: is suspended from any state, and then in the state it would be in", () => {
    const verified = { emailVerifiedAt: signedUp }
    const states: ReadonlyArray<readonly [Partial<AccountRecord>, string]> = [
      [{}, "unverified"],
      [{ emailVerifiedAt: now }, "trial"],
      [verified, "payment_required"],
      [{ plan: "Growth" }, "active"],
      [{ plan: "Growth", lapsed: true }, "payment_required"],
    ]
    for (const [facts, state] of states) {
      const before = account(facts)
      const suspended = suspendAccount(before, "spam", now)
      expect(accountState(suspended, "simulated", now)).toBe("suspended")
      expect(stateBehindSuspension(suspended, "simulated", now)).toBe(state)
      expect(unsuspendAccount(suspended)).toEqual(before)
    }
  })

  it("docs/decisions/0020: a second suspension keeps the beginning of the first", () => {
    const twice = suspendAccount(suspendAccount(account(), "spam", now), "phishing", now + 5)
    expect(twice).toMatchObject({ suspendedAt: now, suspendedReason: "phishing" })
  })
})

describe("a suspended mailbox", () => {
  const room = (mailboxes: number, customDomains = 0) => ({ plan: "Free", mailboxes, customDomains }) as const

  it("decisions.admin.mailbox: can be any mailbox, and becomes ACTIVE again", () => {
    for (const status of ["ACTIVE", "paused", "suspended"] satisfies ReadonlyArray<MailboxStatus>) {
      const suspended = suspendMailbox(mailbox({ status, pausedByBilling: status === "paused" }), "spam")
      expect(suspended).toMatchObject({
        status: "suspended",
        suspendedReason: "spam",
        pausedByBilling: false,
      })
      expect(unsuspendMailbox(suspended, room(2))).toEqual(mailbox())
    }
  })

  it("decisions.downgrade: is paused by billing where others fill the plan", () => {
    expect(unsuspendMailbox(suspendMailbox(mailbox(), null), room(3))).toEqual(
      mailbox({ status: "paused", pausedByBilling: true }),
    )
  })

  it("decisions.downgrade: is paused by billing where the plan has no room for its domain", () => {
    const custom = mailbox({ domainId: DomainId.make(uuid(9)) })
    const suspended = suspendMailbox(custom, null)
    expect(unsuspendMailbox(suspended, room(0, 1)).status).toBe("paused")
    expect(unsuspendMailbox(suspended, { ...room(0, 1), plan: "Developer" }).status).toBe("ACTIVE")
  })

  it("docs/decisions/0015: stays suspended where another account has its domain, and says so again", () => {
    const lost = withoutDomain(mailbox({ domainId: DomainId.make(uuid(9)) }), now)
    expect(unsuspendMailbox(lost, room(0))).toEqual(lost)
    expect(unsuspendMailbox(suspendMailbox(lost, "spam"), room(0))).toEqual(lost)
  })

  it("docs/decisions/0020: what is not suspended stays as it is, whether there is room or not", () => {
    for (const status of ["ACTIVE", "paused"] as const) {
      const one = mailbox({ status, pausedByBilling: status === "paused" })
      expect(unsuspendMailbox(one, room(0))).toEqual(one)
      expect(unsuspendMailbox(one, room(9))).toEqual(one)
    }
  })
})

describe("the lowest id of an instant", () => {
  it("decisions.values.ids: is a UUID, version 7, that sorts by time", () => {
    const id = lowestIdAt(now)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7000-8000-0{12}$/)
    expect(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toBe(now)
    expect(lowestIdAt(now + 1) > id && id > lowestIdAt(now - 1)).toBe(true)
  })
})
