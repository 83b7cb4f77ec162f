import { baseSubject, isAnswerSubject, isForwardSubject, hasSubjectPrefix } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { drawn } from "./support/records.js"

/** What clients write for an answer and for a forwarded mail, by language. */
const languages: Readonly<Record<string, readonly [ReadonlyArray<string>, ReadonlyArray<string>]>> = {
  "any client": [
    ["Re:", "RE:", "re:", "RE :", "Re[2]:", "Re [2]:", "Re(3):", "RE^4:"],
    ["Fwd:", "FW:", "Fwd[2]:"],
  ],
  Arabic: [["رد:"], ["إعادة توجيه:"]],
  Bulgarian: [["Отг:", "Отговор:"], ["Препр:"]],
  "Chinese, simplified": [
    ["回复:", "回复：", "答复：", "回信："],
    ["转发：", "转寄:"],
  ],
  "Chinese, traditional": [
    ["回覆:", "答覆:"],
    ["轉寄：", "轉發："],
  ],
  Croatian: [
    ["Odg:", "Odgovor:"],
    ["Prosl:", "Proslijeđeno:"],
  ],
  Czech: [["Odp:"], ["Předáno:", "Přeposláno:"]],
  Danish: [["SV:"], ["VS:", "Videresend:"]],
  Dutch: [["Antw:", "Antwoord:"], ["Doorst:"]],
  Estonian: [["VS:"], ["Edasi:"]],
  Finnish: [["Vs:"], ["VL:"]],
  French: [
    ["RE :", "Réf :", "Rép :"],
    ["TR :", "TR:"],
  ],
  German: [["AW:", "Antwort:"], ["WG:"]],
  Greek: [
    ["Απ:", "ΣΧΕΤ:", "Απάντηση:"],
    ["ΠΡΘ:", "Προθ:", "Προώθηση:"],
  ],
  Hebrew: [
    ["השב:", "תגובה:", "תשובה:"],
    ["הועבר:", "העבר:"],
  ],
  Hungarian: [
    ["Vá:", "Va\u0301:", "Válasz:"],
    ["Továbbítás:", "Tov:"],
  ],
  Icelandic: [["Sv:"], ["Fs:"]],
  Indonesian: [
    ["BLS:", "Balas:", "Balasan:"],
    ["TRS:", "Terusan:"],
  ],
  Italian: [["Rif:"], ["Fwd:"]],
  Japanese: [
    ["返信：", "ＲＥ："],
    ["転送：", "ＦＷ："],
  ],
  Korean: [["회신:", "답장:"], ["전달:"]],
  Latvian: [["Atb:"], ["Pārs:"]],
  Lithuanian: [["Ats:"], ["Persiųsta:"]],
  Norwegian: [["Sv:"], ["VS:", "Videresendt:"]],
  Polish: [["Odp:"], ["PD:"]],
  Portuguese: [
    ["RES:", "Res:"],
    ["ENC:", "Enc:"],
  ],
  Romanian: [["Răsp:", "Răspuns:"], ["FW:"]],
  Russian: [
    ["Отв:", "ОТВ:", "Ответ:", "НА:"],
    ["Пересл:", "Переслано:"],
  ],
  Serbian: [["Одг:", "Одговор:"], ["Прослеђено:"]],
  Slovak: [["Odp:"], ["Preposlané:"]],
  Slovenian: [["Odg:"], ["Posr:", "Posredovano:"]],
  "Spanish, Catalan, Basque": [["Resp:"], ["RV:", "Reenv:"]],
  Swedish: [["SV:"], ["VB:"]],
  Thai: [["ตอบกลับ:"], ["ส่งต่อ:"]],
  Turkish: [["YNT:", "Yanıt:"], ["İLT:"]],
  Ukrainian: [["Відп:", "Відповідь:"], ["Пересл:"]],
  Vietnamese: [["Trả lời:"], ["Chuyển tiếp:"]],
  Welsh: [["ATB:"], ["YML:"]],
}
const prefixes = Object.values(languages).flat(2)

describe("reply prefixes", () => {
  for (const [language, kinds] of Object.entries(languages))
    it(`decisions.threading.subject: ${language}: prefixes make a subject an answer and are not part of the base subject`, () => {
      for (const [kind, written] of kinds.entries())
        for (const prefix of written) {
          for (const gap of [" ", "", "  "]) {
            const subject = `${gap}${prefix}${gap}Quarterly Report`
            expect(hasSubjectPrefix(subject), subject).toBe(true)
            expect(baseSubject(subject), subject).toBe("quarterly report")
          }
          expect(kind === 0 ? isAnswerSubject(prefix) : isForwardSubject(prefix), prefix).toBe(true)
        }
    })

  it("decisions.threading.subject: prefixes of several languages and clients pile up", () => {
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
    "Resources: water",
    "Tr. 5: the bridge",
    "Настройка: всё",
    "[team] Plan",
    "Ares: god of war",
    "12:30 lunch",
    "",
  ])
    it(`decisions.threading.subject: \`${subject}\` is no answer`, () => {
      expect(hasSubjectPrefix(subject)).toBe(false)
    })
})

describe("list tags", () => {
  for (const subject of [
    "[team] Re: Plan",
    "[team]Re: Plan",
    "[team] [ext] RE: [team] Plan",
    "  [team]  Fwd: Plan",
  ])
    it(`decisions.threading.subject: \`${subject}\` is an answer behind its list tags`, () => {
      expect(hasSubjectPrefix(subject)).toBe(true)
      expect(baseSubject(subject)).toBe("plan")
    })
})

describe("the base subject", () => {
  it("decisions.threading.subject: case and spaces do not distinguish subjects", () => {
    expect(baseSubject("  Quarterly \t  REPORT ")).toBe("quarterly report")
    expect(baseSubject("Quarterly\u00a0Report")).toBe("quarterly report")
    expect(baseSubject("Re:ΣΑΣ")).toBe(baseSubject("σας"))
  })

  it("decisions.threading.subject: neither does how an accent is composed", () => {
    expect(baseSubject("Re: Cafe\u0301")).toBe(baseSubject("Caf\u00e9"))
  })

  it("decisions.threading.subject: a prefix inside the subject stays", () => {
    expect(baseSubject("Question re: the plan")).toBe("question re: the plan")
  })

  it("decisions.threading.subject: a list tag is not part of it, a bracket that is all of it is", () => {
    expect(baseSubject("[acme-dev] Release")).toBe("release")
    expect(baseSubject("[acme-dev]")).toBe("[acme-dev]")
    expect(baseSubject("Release [urgent]")).toBe("release [urgent]")
  })

  it("decisions.threading.subject: a subject of prefixes only has an empty one", () => {
    expect(baseSubject("Re: Re: Fwd:")).toBe("")
    expect(baseSubject("")).toBe("")
  })

  it.prop(
    "decisions.threading.subject: any pile of prefixes on any subject leaves the same base subject",
    [
      FastCheck.array(FastCheck.constantFrom(...prefixes), { minLength: 1, maxLength: 6 }),
      FastCheck.string({ unit: "grapheme" }),
      FastCheck.constantFrom("", " ", "  "),
    ],
    ([pile, subject, gap]) => {
      const answer = `${pile.join(gap)}${gap}${subject}`
      expect(hasSubjectPrefix(answer)).toBe(true)
      expect(baseSubject(answer)).toBe(baseSubject(subject))
    },
    drawn,
  )

  it.prop(
    "decisions.threading.subject: the base subject of a base subject is itself, without outer or doubled spaces",
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
