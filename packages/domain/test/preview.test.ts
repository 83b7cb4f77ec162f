import { PREVIEW_MAX_LENGTH, previewOfDraft, previewOfMessage, previewText } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"

const message = {
  id: "1",
  bodyText: "New\n\n> Old",
  bodyHtml: "<p>New</p>",
  extractedText: "New",
  links: [{ url: "https://corp.org", text: "Corp" }],
  references: ["<a@corp.org>"],
}

describe("previews", () => {
  it("lists.previews: the text of the author, without what it quotes", () => {
    expect(previewOfMessage(message)).toEqual({
      id: "1",
      bodyText: "New",
      bodyHtml: null,
      extractedText: null,
      links: [],
      references: [],
      truncated: true,
    })
  })

  it("lists.previews: the whole text where none of it is new", () => {
    expect(previewOfMessage({ ...message, extractedText: " \n" }).bodyText).toBe("New > Old")
    expect(previewOfMessage({ ...message, extractedText: null }).bodyText).toBe("New > Old")
  })

  it("lists.previews: the text of the HTML of a mail that is HTML alone", () => {
    const html = { bodyText: null, bodyHtml: "<p>Hello <b>Bob</b>!</p><p>Tea?</p>" }
    expect(previewOfDraft(html)).toEqual({ bodyText: "Hello Bob! Tea?", bodyHtml: null, truncated: true })
    expect(previewOfMessage({ ...message, ...html, extractedText: null }).bodyText).toBe("Hello Bob! Tea?")
  })

  it("lists.previews: null for a mail without text", () => {
    expect(previewOfDraft({ bodyText: null, bodyHtml: null }).bodyText).toBeNull()
  })

  it("lists.previews: one line that begins with the text, in whole characters", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: "grapheme", maxLength: 1000 }), (text) => {
        const preview = previewText(text)
        expect(preview.length).toBeLessThanOrEqual(PREVIEW_MAX_LENGTH)
        expect(preview).not.toMatch(/[\r\n\t]|^\s|\s$/)
        expect(text.trim().replace(/\s+/g, " ").startsWith(preview)).toBe(true)
        expect(preview.isWellFormed?.() ?? encodeURIComponent(preview) !== "").toBe(true)
      }),
    )
    expect(previewText(`${" ".repeat(100_000)}Hello`)).toBe("Hello")
  })
})
