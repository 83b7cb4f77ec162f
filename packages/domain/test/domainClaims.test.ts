/** Which domains an account may claim, and how many. */
import { admitDomain, claimableDomain, Plan, plans } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { admitted, refusal, refusedAs } from "./support/records.js"

const claim = (text: string) => claimableDomain(text, "mailroom.localhost")

describe("a domain that can be claimed", () => {
  for (const [given, stored] of [
    ["acme.dev", "acme.dev"],
    ["agents.acme.co.uk", "agents.acme.co.uk"],
    ["Agents.ACME.Dev", "agents.acme.dev"],
    ["münchen.de", "xn--mnchen-3ya.de"],
    ["MÜNCHEN.de", "xn--mnchen-3ya.de"],
    ["xn--mnchen-3ya.de", "xn--mnchen-3ya.de"],
    ["почта.рф", "xn--80a1acny.xn--p1ai"],
    ["a-b.1x.dev", "a-b.1x.dev"],
    ["notmailroom.dev", "notmailroom.dev"],
    ["test.dev", "test.dev"],
    [`${"a".repeat(63)}.dev`, `${"a".repeat(63)}.dev`],
  ] as const)
    it(`${given.slice(0, 30)} is stored as ${stored.slice(0, 30)}`, () => {
      expect(admitted(claim(given))).toBe(stored)
    })

  it("RFC 1035 §2.3.4: leaves room for the name of its DKIM key", () => {
    const labels = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}`
    const longest = `${labels}.${"d".repeat(35)}.dev`
    expect(`mr00000000._domainkey.${longest}`).toHaveLength(253)
    expect(admitted(claim(longest))).toBe(longest)
    expect(refusal(claim(`d${longest}`))).not.toBeNull()
    expect(refusal(claim(`${labels}.${"d".repeat(36)}.dev`))).toContain("231 characters")
  })
})

describe("a domain that cannot be claimed", () => {
  for (const [what, texts, problem] of [
    [
      "no domain name",
      ["", " ", "acme..dev", ".acme.dev", "-acme.dev", "acme-.dev", "a_b.dev"],
      "domain name",
    ],
    [
      "not a domain name alone",
      ["https://acme.dev", "acme.dev/x", "ada@acme.dev", "acme.dev:25"],
      "domain name",
    ],
    ["text around it", [" acme.dev", "acme.dev\n", "acme.dev.", "*.acme.dev"], "domain name"],
    ["an IP address", ["192.0.2.1", "[2001:db8::1]", "2001:db8::1", "0x7f.1", "acme.1"], "domain name"],
    ["what only looks like a name", ["xn--a.dev", "ac\u200bme.dev", "ａcme.dev"], "domain name"],
    ["too long a label", [`${"a".repeat(64)}.dev`], "domain name"],
    ["one label", ["dev", "localhost", "münchen"], "two labels"],
    ["the platform's", ["mailroom.localhost", "acme.Mailroom.localhost"], "platform"],
    ["for tests", ["example.com", "acme.test", "a.example", "acme.invalid", "acme.localhost"], "tests"],
  ] as const)
    it(what, () => {
      for (const text of texts) expect(refusal(claim(text)), JSON.stringify(text)).toContain(problem)
    })
})

describe("the number of domains", () => {
  for (const plan of Plan.literals) {
    const limit = plans[plan].customDomains
    if (limit === null)
      it(`mailboxes.create.403-domains: ${plan} has domains without limit`, () => {
        expect(refusedAs(admitDomain(plan, 10_000))).toBeNull()
      })
    else
      it(`mailboxes.create.403-domains: ${plan} has ${limit}, and the next is refused`, () => {
        expect(refusal(admitDomain(plan, limit))).toMatchObject({
          _tag: "CustomDomainLimitReached",
          plan,
          limit,
        })
        if (limit > 0) expect(refusedAs(admitDomain(plan, limit - 1))).toBeNull()
      })
  }
})
