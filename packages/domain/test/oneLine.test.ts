import { oneLine } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { accepts, read } from "./support/records.js"

const DisplayName = Schema.Lowercase.pipe(Schema.maxLength(20), oneLine)

describe("header text", () => {
  for (const character of ["\r", "\n", "\u0000", "\u0085", "\u2028", "\u2029"])
    it(`decisions.body.line-breaks: ${JSON.stringify(character)} is refused, wherever it stands`, () => {
      for (const text of [`a${character}b`, `${character}a`, `a${character}`, character])
        expect(accepts(DisplayName, text)).toBe(false)
    })

  it("all other text keeps what its schema makes of it", () => {
    expect(read(DisplayName, "Ada\tLovelace, 用户 😀")).toBe("ada\tlovelace, 用户 😀")
    expect(accepts(DisplayName, "")).toBe(true)
    expect(accepts(DisplayName, "a".repeat(21))).toBe(false)
  })
})
