/** The words for trust, spam and quarantine. */
import { isSpam, provenSender, spamWords, trustWords } from "@mailroom/dashboard/rules/trust"
import { describe, expect, it } from "vitest"

const authentication = { spf: "pass", dkim: "pass", dmarc: "pass", verifiedDomain: "example.com" }

const received = {
  direction: "INBOUND",
  fromAddress: "ada@example.com",
  authentication,
  spam: null,
  trust: { level: "verified", reasons: [] },
} as const

describe("trust in words", () => {
  it("each level has a tone of its own, from good to bad", () => {
    const tones = (["owner", "known", "verified", "unverified", "suspicious"] as const).map(
      (level) => trustWords({ ...received, trust: { level, reasons: [] } })?.tone,
    )
    expect(tones).toEqual(["good", "good", "neutral", "warn", "bad"])
  })

  it("names the domain that is proven, and what was noticed", () => {
    expect(trustWords(received)?.text).toContain("really comes from example.com")
    const words = trustWords({ ...received, trust: { level: "suspicious", reasons: ["hidden_text"] } })
    expect(words?.reasons).toEqual(["The mail has text that people cannot see, and programs read."])
  })

  it("has no words for sent mail", () => {
    expect(trustWords({ ...received, direction: "OUTBOUND" })).toBeNull()
  })

  it("only a sender whose own domain is proven, and who is not suspicious, may be given rights", () => {
    expect(provenSender(received)).toBe("ada@example.com")
    expect(provenSender({ ...received, authentication: null })).toBeNull()
    expect(
      provenSender({ ...received, authentication: { ...authentication, verifiedDomain: null } }),
    ).toBeNull()
    expect(provenSender({ ...received, fromAddress: "ada@example.org" })).toBeNull()
    expect(provenSender({ ...received, trust: { level: "suspicious", reasons: [] } })).toBeNull()
  })

  it("spam is what the filter would mark or refuse", () => {
    const spam = { score: 3.14159, action: "no action", symbols: [] }
    expect(isSpam({ spam })).toBe(false)
    expect(spamWords({ spam })).toContain("nothing wrong (3.1 points)")
    expect(isSpam({ spam: { ...spam, action: "add header" } })).toBe(true)
    expect(spamWords({ spam: null })).toBeNull()
  })
})
