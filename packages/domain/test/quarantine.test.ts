import { defaultPolicies, quarantineReasons, type Spam, type TrustLevel } from "@mailroom/domain"
import { describe, expect, it } from "vitest"

const spam: Spam = { score: 20, action: "reject", symbols: [] }
const stranger = { verdict: "none", isOwner: false } as const
const blocked = { verdict: "block", isOwner: false } as const
const allowed = { verdict: "allow", isOwner: false } as const
const owner = { verdict: "none", isOwner: true } as const
const trust = (level: TrustLevel) => ({ level, reasons: [] })

const open = defaultPolicies
const allowlisted = { ...defaultPolicies, receivePolicy: "allowlisted" } as const
const strict = { ...defaultPolicies, quarantine: ["suspicious", "unverified", "spam"] } as const

describe("why a mailbox quarantines a mail", () => {
  it.each([
    ["anything, by default", open, stranger, "suspicious", []],
    ["a blocked sender", open, blocked, "verified", ["blocked"]],
    ["a stranger to an allow list", allowlisted, stranger, "verified", ["not_allowed"]],
    ["a blocked one is not also not allowed", allowlisted, blocked, "verified", ["blocked"]],
    ["an allowed sender", allowlisted, allowed, "verified", []],
    ["the owner", allowlisted, owner, "owner", []],
    ["the owner, who is blocked", open, { ...owner, verdict: "block" }, "owner", ["blocked"]],
    ["suspicious mail", strict, stranger, "suspicious", ["suspicious", "spam"]],
    ["unverified mail", strict, stranger, "unverified", ["unverified", "spam"]],
    ["spam", strict, stranger, "verified", ["spam"]],
    ["spam of an allowed sender", strict, allowed, "known", []],
    ["suspicious mail of an allowed sender", strict, allowed, "suspicious", ["suspicious"]],
    ["spam of the owner", strict, owner, "owner", []],
  ] as const)("senders.quarantine.reasons: %s", (_, policies, sender, level, reasons) => {
    expect(quarantineReasons(policies, sender, trust(level), spam)).toEqual(reasons)
  })

  it("senders.quarantine.spam: mail that the filter does not call spam, or has not seen, is no spam", () => {
    const greylisted = { ...spam, action: "greylist" }
    for (const result of [greylisted, null])
      expect(quarantineReasons(strict, stranger, null, result)).toEqual([])
  })
})
