/** The rule of trust and its parts: look-alike domains, Punycode, organizations. Whole mails are in the mail package. */
import { describe, expect, it } from "@effect/vitest"
import {
  type Authentication,
  decodePunycode,
  domainSkeleton,
  endingsOf,
  isLookalike,
  isSameOrganization,
  isSpam,
  type TrustContent,
  trustOf,
  type TrustRelations,
} from "@mailroom/domain"

describe("the skeleton of a domain", () => {
  it.each([
    ["paypal.com", "paypa1.com"],
    ["paypal.com", "раураl.com"],
    ["paypal.com", "xn--l-7sba6dbr.com"],
    ["apple.com", "xn--80ak6aa92e.com"],
    ["modern.io", "modem.io"],
    ["google.com", "g00gle.com"],
    ["water.org", "vvater.org"],
    ["PayPal.com", "paypal.COM"],
  ])("is the same for %s and %s", (one, other) => {
    expect(domainSkeleton(other)).toBe(domainSkeleton(one))
  })

  it.each([
    ["paypal.com", "paypals.com"],
    ["acme.com", "acne.com"],
    ["owner.dev", "owner.de"],
    ["cafe.com", "café.com"],
    ["bücher.de", "bucher.de"],
  ])("differs for %s and %s", (one, other) => {
    expect(domainSkeleton(other)).not.toBe(domainSkeleton(one))
  })
})

describe("a look-alike", () => {
  it("is another domain than all known ones with the skeleton of one of them, or below such a domain", () => {
    expect(isLookalike("mail.paypa1.com", ["paypal.com"])).toBe(true)
    expect(isLookalike("mail.paypal.com", ["paypal.com"])).toBe(false)
    expect(isLookalike("paypa1.com", ["paypal.com", "paypa1.com"])).toBe(false)
    expect(isLookalike("acrne.mailroom.dev", ["mailroom.dev", "acme.mailroom.dev"])).toBe(true)
    expect(isLookalike("", [""])).toBe(false)
  })

  it("is looked for in the last two to four labels", () => {
    expect(endingsOf("a.b.c.d.e")).toEqual(["b.c.d.e", "c.d.e", "d.e"])
    expect(endingsOf("d.e")).toEqual(["d.e"])
    expect(endingsOf("localhost")).toEqual(["localhost"])
  })
})

describe("Punycode", () => {
  it.each([
    ["bcher-kva", "bücher"],
    ["80ak6aa92e", "аррӏе"],
    ["wgv71a119e", "日本語"],
    ["ls8h", "💩"],
    ["", ""],
  ])("%s is %s", (encoded, text) => {
    expect(decodePunycode(encoded)).toBe(text)
  })

  it.each(["a-é", "bcher-kv", "99999999999999", "z".repeat(64)])("%s is none", (encoded) => {
    expect(decodePunycode(encoded)).toBe(null)
  })
})

describe("an organization", () => {
  it.each([
    ["acme.com", "mail.acme.com", true],
    ["em.acme.com", "mail.acme.com", true],
    ["bank.co.uk", "scam.co.uk", false],
    ["a.bank.co.uk", "b.bank.co.uk", true],
    ["acme.com", "acme.org", false],
    ["evilacme.com", "acme.com", false],
  ])("%s and %s: %s", (one, other, same) => {
    expect(isSameOrganization(one, other)).toBe(same)
    expect(isSameOrganization(other, one)).toBe(same)
  })
})

const proven: Authentication = { spf: "pass", dkim: "pass", dmarc: "pass", verifiedDomain: "acme.dev" }
const relations: TrustRelations = {
  owner: null,
  knownDomains: ["mailroom.dev"],
  isWrittenTo: false,
  isAllowListed: false,
}
const content: TrustContent = {
  fromAddress: "ada@acme.dev",
  fromName: null,
  replyTo: [],
  headers: {},
  contentReasons: [],
}

describe("trust", () => {
  it("an owner whose address is not verified is no owner", () => {
    expect(trustOf(proven, relations, content).level).toBe("verified")
    expect(trustOf(proven, { ...relations, owner: "ada@acme.dev" }, content).level).toBe("owner")
  })

  it("a proof of another domain than that of the author proves nothing", () => {
    const known = { ...relations, owner: "ada@acme.dev", isWrittenTo: true, isAllowListed: true }
    expect(trustOf({ ...proven, verifiedDomain: "evil.dev" }, known, content)).toEqual({
      level: "unverified",
      reasons: [],
    })
  })

  it("a reason for suspicion outweighs the owner, familiarity and proof, and reasons have a fixed order", () => {
    const trust = trustOf(
      { ...proven, dmarc: "fail", dmarcPolicy: "reject" },
      { ...relations, owner: "ada@acme.dev", isWrittenTo: true, isAllowListed: true },
      { ...content, contentReasons: ["text_differs", "hidden_text"] },
    )
    expect(trust).toEqual({ level: "suspicious", reasons: ["dmarc_fail", "hidden_text", "text_differs"] })
  })

  it("a display name of hostile length is read up to a limit", () => {
    const fromName = `${"a@".repeat(100_000)}b.example`
    expect(trustOf(proven, relations, { ...content, fromName }).level).toBe("verified")
  })
})

describe("spam", () => {
  it("is what the filter proposes to mark or to reject, and not what it only delays", () => {
    const spam = (action: string) => isSpam({ score: 7, action, symbols: [] })
    expect(["add header", "rewrite subject", "reject"].map(spam)).toEqual([true, true, true])
    expect(["no action", "greylist", "soft reject"].map(spam)).toEqual([false, false, false])
    expect(isSpam(null)).toBe(false)
  })
})
