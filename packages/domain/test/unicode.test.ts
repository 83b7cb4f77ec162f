/** Normal forms of text that a stranger wrote. */
import {
  baseSubject,
  domainSkeleton,
  foldSubject,
  hasSubjectPrefix,
  normalizeAddress,
  safeFilename,
  tokensOf,
  TOKEN_MAX_LENGTH,
} from "@mailroom/domain"
import { normalForm } from "@mailroom/domain/unicode"
import { describe, expect, it } from "vitest"

/** In quadratic time, each takes minutes to normalize. */
const hostile = {
  "accents above and below": `a${"\u0301\u0316".repeat(500_000)}`,
  "accents and halfwidth voiced marks": `a${"\u0301\uff9e".repeat(500_000)}`,
  "Thai vowels and tones between joiners": `ก${"\u0e48\u0e38\u200c".repeat(400_000)}`,
  "vowels of Kirat Rai": "\u{16d67}".repeat(2_000_000),
}

describe("a normal form", () => {
  it("is that of UAX #15 for all text with up to 30 marks in a row", () => {
    for (const text of ["Ärger", "A\u0308rger", "각", "ｶﾞ", "ﬁ", "เก่ง", "e\u0323\u0302", "\ud800x", ""])
      for (const form of ["NFC", "NFD", "NFKC", "NFKD"] as const)
        expect(normalForm(text, form)).toBe(text.normalize(form))
    const most = `a${"\u0301\u0316".repeat(15)}`
    expect(normalForm(`${most} ${most}`, "NFC")).toBe(`${most} ${most}`.normalize("NFC"))
  })

  it("leaves out the marks after the first 30 in a row", () => {
    const marks = "\u0316".repeat(30)
    expect(normalForm(`x${marks}\u0316y${marks}z`, "NFC")).toBe(`x${marks}y${marks}z`)
  })

  for (const [what, text] of Object.entries(hostile)) {
    it(`takes linear time for ${what}`, () => {
      for (const form of ["NFC", "NFD", "NFKC", "NFKD"] as const)
        expect(normalForm(text, form).length).toBeLessThanOrEqual(text.length)
    })

    it(`is computed in linear time of words, subjects, addresses and names with ${what}`, () => {
      expect(tokensOf(text).every(({ length }) => length <= TOKEN_MAX_LENGTH)).toBe(true)
      expect(foldSubject(text)).not.toBe("")
      expect(baseSubject(`Re: ${text}`)).not.toBe("")
      expect(hasSubjectPrefix(`Re: ${text}`)).toBe(true)
      expect(normalizeAddress(`${text}@acme.example`)).toContain("@acme.example")
      expect(normalizeAddress(`ada@${text}.example`)).toContain("ada@")
      expect(domainSkeleton(`${text}.example`)).toContain(".exarnple")
      expect(safeFilename(`${text}.pdf`, "file")).toContain(".pdf")
    })
  }
})
