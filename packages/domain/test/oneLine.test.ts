import {
  CLIENT_ID_MAX_LENGTH,
  DraftBody,
  InlineAttachment,
  Label,
  LIST_REASON_MAX_LENGTH,
  ListEntryReason,
  oneLine,
  RejectBody,
  REJECTION_REASON_MAX_LENGTH,
  RsvpBody,
} from "@mailroom/domain"
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

describe("a bounded text counts an emoji as one character", () => {
  const file = { contentType: "text/plain", content: "" }
  const texts: ReadonlyArray<readonly [string, number, (text: string) => boolean]> = [
    ["a label", 64, (text) => accepts(Label, text)],
    ["the reason of a list entry", LIST_REASON_MAX_LENGTH, (text) => accepts(ListEntryReason, text)],
    ["the reason of a rejection", REJECTION_REASON_MAX_LENGTH, (reason) => accepts(RejectBody, { reason })],
    ["the client's id of a draft", CLIENT_ID_MAX_LENGTH, (clientId) => accepts(DraftBody, { clientId })],
    ["the name of a file", 255, (filename) => accepts(InlineAttachment, { ...file, filename })],
    ["a comment", 2000, (comment) => accepts(RsvpBody, { status: "accepted", comment })],
  ]
  for (const [name, max, isAccepted] of texts)
    it(name, () => {
      expect(isAccepted("😀".repeat(max))).toBe(true)
      expect(isAccepted("😀".repeat(max + 1))).toBe(false)
    })
})
