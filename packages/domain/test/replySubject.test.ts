import { replySubject, forwardSubject, Subject } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { accepts, drawn } from "./support/records.js"

describe("the subject of an answer", () => {
  it("is the subject behind `Re: `", () => {
    expect(replySubject("Lunch")).toBe("Re: Lunch")
    expect(replySubject("Regarding: lunch")).toBe("Re: Regarding: lunch")
  })

  for (const subject of [
    "Re: Lunch",
    "RE:Lunch",
    "re[2]: Lunch",
    "AW: Lunch",
    "SV: Lunch",
    "回复：午餐",
    "[team] Re: Lunch",
  ])
    it(`does not pile up on \`${subject}\``, () => {
      expect(replySubject(subject)).toBe(subject)
    })

  for (const subject of ["Fwd: Lunch", "WG: Lunch", "[team] Lunch"])
    it(`of \`${subject}\`, which is no answer, is one`, () => {
      expect(replySubject(subject)).toBe(`Re: ${subject}`)
    })
})

describe("the subject of a forwarded mail", () => {
  it("is the subject behind `Fwd: `", () => {
    expect(forwardSubject("Lunch")).toBe("Fwd: Lunch")
    expect(forwardSubject("Re: Lunch")).toBe("Fwd: Re: Lunch")
  })

  for (const subject of [
    "Fwd: Lunch",
    "FW:Lunch",
    "WG: Lunch",
    "TR: Lunch",
    "RV: Lunch",
    "转发：午餐",
    "[team] Fwd: Lunch",
  ])
    it(`does not pile up on \`${subject}\``, () => {
      expect(forwardSubject(subject)).toBe(subject)
    })
})

describe("either", () => {
  it("of a mail without a subject is the prefix", () => {
    for (const subject of ["", "  ", "\u2028"]) {
      expect(replySubject(subject)).toBe("Re:")
      expect(forwardSubject(subject)).toBe("Fwd:")
    }
    expect(replySubject("Re:")).toBe("Re:")
  })

  it("is on one line, whatever the mail's is", () => {
    expect(replySubject("Lunch\r\n\u2028\u0085today\0")).toBe("Re: Lunch today")
  })

  it("has 998 characters at most, and none of them halved", () => {
    expect(replySubject("s".repeat(994))).toBe(`Re: ${"s".repeat(994)}`)
    expect(replySubject("s".repeat(995))).toBe(`Re: ${"s".repeat(994)}`)
    expect(replySubject("Re: ".padEnd(2000, "s"))).toBe("Re: ".padEnd(998, "s"))
    expect(replySubject(`${"s".repeat(993)}😀`)).toBe(`Re: ${"s".repeat(993)}`)
    expect(forwardSubject(`${"s".repeat(992)}😀`)).toBe(`Fwd: ${"s".repeat(992)}`)
  })

  it.prop(
    "is a subject that can be sent, and answers to it keep it",
    [
      FastCheck.oneof(
        FastCheck.string({ unit: "grapheme", maxLength: 1100 }),
        FastCheck.string({ unit: "binary", maxLength: 50 }),
      ),
    ],
    ([subject]) => {
      for (const prefixed of [replySubject, forwardSubject]) {
        const once = prefixed(subject)
        expect(accepts(Subject, once)).toBe(true)
        expect(prefixed(once)).toBe(once)
      }
    },
    drawn,
  )
})
