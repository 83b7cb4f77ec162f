import { baseSubject, isReplySubject } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { drawn } from "./support/records.js"

const prefixes = [
  "Re:",
  "RE:",
  "re:",
  "RE :",
  "Re :",
  "Re[2]:",
  "Re [2]:",
  "Re(3):",
  "RE^4:",
  "Fwd:",
  "FW:",
  "Fwd[2]:",
  "AW:",
  "WG:",
  "Antw:",
  "Antwort:",
  "RV:",
  "Res:",
  "Enc:",
  "TR:",
  "TR :",
  "Rif:",
  "Réf :",
  "İLT:",
  "Va\u0301:",
  "Sv:",
  "SV:",
  "Vs:",
  "VB:",
  "VL:",
  "Vá:",
  "Továbbítás:",
  "Odp:",
  "PD:",
  "YNT:",
  "Doorst:",
  "BLS:",
  "TRS:",
  "回复:",
  "回复：",
  "转发：",
  "答复：",
  "返信：",
  "転送：",
  "Отв:",
  "ОТВ:",
  "Απ:",
  "ΣΧΕΤ:",
  "ΠΡΘ:",
  "回信：",
  "轉發：",
  "轉寄：",
  "השב:",
  "תגובה:",
  "הועבר:",
  "رد:",
]

describe("reply prefixes", () => {
  for (const prefix of prefixes)
    it(`decisions §5: \`${prefix}\` makes a subject an answer and is not part of the base subject`, () => {
      for (const subject of [
        `${prefix} Quarterly Report`,
        `${prefix}Quarterly Report`,
        `  ${prefix}  Quarterly Report`,
      ]) {
        expect(isReplySubject(subject), subject).toBe(true)
        expect(baseSubject(subject), subject).toBe("quarterly report")
      }
    })

  it("decisions §5: prefixes of several languages and clients pile up", () => {
    for (const subject of [
      "Re: Fwd: AW: Plan",
      "RE:FW:RE:Plan",
      "Re: Re[3]: SV: 回复：Plan",
      "AW: [team] Re: Plan",
      "[team] Re: Plan",
      "Re: [team] [ext] Plan",
    ])
      expect(baseSubject(subject), subject).toBe("plan")
  })

  for (const subject of [
    "Quarterly Report",
    "Report: the quarter",
    "Regarding: the quarter",
    "Response: yes",
    "Forward: march",
    "Re the quarter",
    "Reply",
    "Re",
    "[Re] the quarter",
    "[Re: the quarter] done",
    "R: the language",
    "I: claudius",
    "Ref: 4711",
    "Ha: funny",
    "Na: sodium",
    "[team] Plan",
    "Ares: god of war",
    "12:30 lunch",
    "",
  ])
    it(`decisions §5: \`${subject}\` is no answer`, () => {
      expect(isReplySubject(subject)).toBe(false)
    })
})

describe("list tags", () => {
  for (const subject of [
    "[team] Re: Plan",
    "[team]Re: Plan",
    "[team] [ext] RE: [team] Plan",
    "  [team]  Fwd: Plan",
  ])
    it(`decisions §5: \`${subject}\` is an answer behind its list tags`, () => {
      expect(isReplySubject(subject)).toBe(true)
      expect(baseSubject(subject)).toBe("plan")
    })
})

describe("the base subject", () => {
  it("decisions §5: case and spaces do not distinguish subjects", () => {
    expect(baseSubject("  Quarterly \t  REPORT ")).toBe("quarterly report")
    expect(baseSubject("Quarterly\u00a0Report")).toBe("quarterly report")
    expect(baseSubject("Re:ΣΑΣ")).toBe(baseSubject("σας"))
  })

  it("decisions §5: neither does how an accent is composed", () => {
    expect(baseSubject("Re: Cafe\u0301")).toBe(baseSubject("Caf\u00e9"))
  })

  it("decisions §5: a prefix inside the subject stays", () => {
    expect(baseSubject("Question re: the plan")).toBe("question re: the plan")
  })

  it("decisions §5: a list tag is not part of it, a bracket that is all of it is", () => {
    expect(baseSubject("[acme-dev] Release")).toBe("release")
    expect(baseSubject("[acme-dev]")).toBe("[acme-dev]")
    expect(baseSubject("Release [urgent]")).toBe("release [urgent]")
  })

  it("decisions §5: a subject of prefixes only has an empty one", () => {
    expect(baseSubject("Re: Re: Fwd:")).toBe("")
    expect(baseSubject("")).toBe("")
  })

  it.prop(
    "decisions §5: any pile of prefixes on any subject leaves the same base subject",
    [
      FastCheck.array(FastCheck.constantFrom(...prefixes), { minLength: 1, maxLength: 6 }),
      FastCheck.string({ unit: "grapheme" }),
      FastCheck.constantFrom("", " ", "  "),
    ],
    ([pile, subject, gap]) => {
      const answer = `${pile.join(gap)}${gap}${subject}`
      expect(isReplySubject(answer)).toBe(true)
      expect(baseSubject(answer)).toBe(baseSubject(subject))
    },
    drawn,
  )

  it.prop(
    "decisions §5: the base subject of a base subject is itself, without outer or doubled spaces",
    [FastCheck.string({ unit: "grapheme" })],
    ([subject]) => {
      const base = baseSubject(subject)
      expect(baseSubject(base)).toBe(base)
      expect(base).toBe(base.trim())
      expect(base).not.toMatch(/\s\s/)
    },
    drawn,
  )
})
