/** The tokens of a text: what search finds, however it is written (docs/decisions/0059). */
import { isCharacter, TOKEN_MAX_LENGTH, tokensOf } from "@mailroom/domain"
import { FastCheck } from "effect"
import { describe, expect, it } from "vitest"

/** Each text beside its tokens, separated by spaces. */
const cases: Readonly<Record<string, ReadonlyArray<readonly [text: string, tokens: string]>>> = {
  "letters and digits, split at everything else": [
    ["Invoice No. 42/2026", "invoice no 42 2026"],
    ["ada.lovelace+bills@acme-corp.example", "ada lovelace bills acme corp example"],
    ["snake_case, don't", "snake case don t"],
    ["!!! -- …", ""],
    ["", ""],
  ],
  "case, also where it is more than one letter": [
    ["STRASSE Straße", "strasse strasse"],
    ["ΟΔΟΣ οδος οδοσ", "οδοσ οδοσ οδοσ"],
    ["ﬁne ǅ", "fine dz"],
  ],
  "the Turkish i's": [["İstanbul istanbul ISTANBUL ıstanbul", "istanbul istanbul istanbul istanbul"]],
  "diacritics, composed or not": [
    ["Ärger a\u0308rger arger", "arger arger arger"],
    ["Łódź", "łodz"],
    ["Đặng Việt", "đang viet"],
    ["ёлка елка", "елка елка"],
  ],
  "Hebrew points and Arabic vowels": [
    ["שָׁלוֹם שלום", "שלום שלום"],
    ["مُحَمَّد محمد محـــمد", "محمد محمد محمد"],
    ["أحمد احمد", "احمد احمد"],
  ],
  "width and ligatures": [
    ["ＡＢＣ１２３", "abc123"],
    ["ｶﾞｽ ガス", "ガ ス ガ ス"],
    ["№ ™ ½", "no tm 1 2"],
  ],
  "scripts without spaces, one token a character": [
    ["北京大学", "北 京 大 学"],
    ["東京タワーへ", "東 京 タ ワ ー へ"],
    ["서울에서", "서 울 에 서"],
    ["สวัสดีครับ", "ส วั ส ดี ค รั บ"],
    ["GPT模型4号", "gpt 模 型 4 号"],
    ["你好，世界。", "你 好 世 界"],
  ],
  "Indic scripts, whose vowels are letters": [["हिन्दी भाषा", "हिन्दी भाषा"]],
  "emoji, of any colour": [
    ["party 🎉🎉", "party 🎉 🎉"],
    ["👍🏽 👍", "👍 👍"],
    ["👩‍💻", "👩 💻"],
    ["🇩🇪", "🇩 🇪"],
  ],
  "characters that nobody sees": [
    ["in\u00advoice in\u200dvoice in\ufeffvoice", "invoice invoice invoice"],
    ["\u202eabc\u202c", "abc"],
    ["a\u200bb", "a b"],
  ],
}

describe("the tokens of a text", () => {
  for (const [rule, examples] of Object.entries(cases))
    it(rule, () => {
      for (const [text, tokens] of examples) expect(tokensOf(text).join(" "), text).toBe(tokens)
    })

  it(`have at most ${TOKEN_MAX_LENGTH} UTF-16 units, and never half a character`, () => {
    expect(tokensOf("a".repeat(1000))).toEqual(["a".repeat(TOKEN_MAX_LENGTH)])
    expect(tokensOf(`b${"𐐷".repeat(100)}`)).toEqual([`b${"𐐏".repeat(31)}`.toLowerCase()])
  })

  it("are tokens of themselves, whatever the text", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.fullUnicodeString({ maxLength: 60 }), (text) => {
        const tokens = tokensOf(text)
        expect(tokensOf(tokens.join(" "))).toEqual(tokens)
      }),
      { numRuns: 2000 },
    )
  })

  it("do not depend on case, on normalization, or on how the text goes on", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.fullUnicodeString({ maxLength: 40 }),
        FastCheck.fullUnicodeString({ maxLength: 10 }),
        (text, more) => {
          const tokens = tokensOf(text)
          expect(tokensOf(text.normalize("NFD"))).toEqual(tokens)
          expect(tokensOf(text.normalize("NFC"))).toEqual(tokens)
          expect(tokensOf(`${text} ${more}`).slice(0, tokens.length)).toEqual(tokens)
        },
      ),
      { numRuns: 2000 },
    )
  })

  it("a character of a script without spaces is a token of its own, a letter is not", () => {
    expect(["京", "울", "วั", "🎉"].map(isCharacter)).toEqual([true, true, true, true])
    expect(["a", "я", "4", "हि"].map(isCharacter)).toEqual([false, false, false, false])
  })
})
