import { changePolicies, defaultPolicies, policyChangeOf, viewMailbox } from "@mailroom/domain"
import { describe, expect, it } from "vitest"
import { mailbox, mailboxId, signedUp } from "./support/records.js"

describe("policies of a mailbox", () => {
  it("mailboxes.policies.defaults: the defaults hide and hold nothing", () => {
    expect(defaultPolicies).toEqual({
      outboundPolicy: "open",
      reviewTtlHours: 72,
      receivePolicy: "open",
      onBlocked: "quarantine",
      quarantine: [],
    })
  })

  it("mailboxes.policies.change: a body changes the fields that it names", () => {
    const changed = changePolicies(defaultPolicies, { onBlocked: "refuse", quarantine: undefined })
    expect(changed).toEqual({ ...defaultPolicies, onBlocked: "refuse" })
    expect(changePolicies(changed, { reviewTtlHours: 168 })).toEqual({ ...changed, reviewTtlHours: 168 })
  })

  it("mailboxes.policies.change: the triggers of quarantine are a set, in one order", () => {
    expect(
      changePolicies(defaultPolicies, { quarantine: ["spam", "suspicious", "spam"] }).quarantine,
    ).toEqual(["suspicious", "spam"])
  })

  it("a body without policies changes none", () => {
    expect(policyChangeOf({})).toBeUndefined()
    expect(policyChangeOf({ quarantine: [] })).toMatchObject({ quarantine: [] })
  })

  it("mailboxes.policies.hidden: only callers with full access see the policies", () => {
    const shown = Object.keys(viewMailbox(mailbox(), "Free", signedUp, null))
    const toScopedKey = Object.keys(viewMailbox(mailbox(), "Free", signedUp, [mailboxId]))
    expect(shown.filter((field) => !toScopedKey.includes(field)).sort()).toEqual(
      Object.keys(defaultPolicies).sort(),
    )
  })
})
