import { readingOf } from "../src/reading/readingOf.js"
import { describe, expect, it } from "@effect/vitest"

const reading = (body: { readonly text?: string; readonly html?: string }) =>
  readingOf({ text: null, html: null, subject: "Your code", isReply: true, ...body })

/**
 * A quadratic reader would take minutes for these mails. The tests show that each ends within the time limit of a test, and
 * compare only sizes.
 */
describe("hostile mail", () => {
  it.each([
    ["elements that never close", "<b>".repeat(100_000)],
    ["a hundred thousand nested elements", `${"<div>".repeat(100_000)}x${"</div>".repeat(100_000)}`],
    ["ends without beginnings", `${"<b>".repeat(50_000)}${"</i>".repeat(50_000)}`],
    ["nested quotes", "<blockquote>".repeat(50_000)],
    ["an attribute as long as the mail", `<div class="${"a ".repeat(200_000)}">`],
    ["comments that never close", "<!-- -".repeat(50_000)],
    ["comments of a style that never close", `<p style="${"/*a".repeat(100_000)}">x</p>`],
    ["blocks of a sheet that never close", `<style>${'a{"'.repeat(33_000)}</style><p>x</p>`],
    ["ten thousand sheets", `${"<style>.a{color:red}</style>".repeat(10_000)}<p>x</p>`],
    [
      "ends of sheets without a beginning",
      `<style>.a{color:red}</style>${"</style>".repeat(50_000)}<p>x</p>`,
    ],
    [
      "a sheet with as many selectors as declarations",
      `<style>${"a,.b,".repeat(10_000)}c{${"color:red;x:y;".repeat(3_500)}}</style><p>x</p>`,
    ],
    [
      "sizes of fonts with as many digits as a sheet has",
      `<style>.a{font-size:${"1".repeat(40_000)}x}.b{font:${"1".repeat(40_000)}x}</style>${Array.from({ length: 500 }, (_, n) => `<p class="a" style="top:${n}px">x</p><p class="b" style="left:${n}px">x</p>`).join("")}`,
    ],
  ])("HTML of %s", (_what, html) => {
    expect(reading({ html: `Hello ${html}` }).extractedText).toMatch(/^Hello/)
  })

  it.each([
    ["dashes around words", `${"-".repeat(95)} _ ${"-".repeat(95)}x\n`],
    ["attributions that never end", "On 1/1/24 12:00, Ann <\n"],
    ["headers without an end", "From: a@a.example\n\nx\n"],
    ["codes", "code 12345 ".repeat(180)],
    ["brackets in links", `http://a.example/${"(".repeat(500)} `],
    ["signs of addresses", "a@"],
    ["quotes behind bars", "| x\n"],
    ["initials", "AB>>>> x\n"],
    ["digits in boxes", "1\n"],
    ["who and when, above quotes", "Ann Lee <ann@a.example> (2024-01-01 12:00) Ann Lee:\n> x\n"],
    ["headers above quotes", "Temat: x\nOd: a@a.example\nDo: b\nData: 1\n\n> x\n\n"],
    ["footers", "You are receiving this because of https://a.example\n"],
  ])("a text of %s", (_what, line) => {
    const text = line.repeat(Math.ceil(200_000 / line.length))
    expect(reading({ text }).extractedText?.length).toBeGreaterThan(0)
  })

  it("a text beyond the limit continues unchanged, and below history it is history", () => {
    const long = `Hello\n${"line\n".repeat(30_000)}end`
    expect(reading({ text: long }).extractedText).toBe(long)
    expect(
      reading({ text: `Hello\n\nOn 1/1/24 12:00, Ann Lee <a@a.example> wrote:\n\n${long}` }).extractedText,
    ).toBe("Hello")
  })

  it("a lone surrogate and NUL are no error", () => {
    expect(reading({ text: "a\ud800\0 code 123456" }).codes).toHaveLength(1)
    expect(
      reading({ html: "&#xd800;&#0;&#x110000;<a href='https://a.example/\ud800'>x</a>" }).extractedText,
    ).toContain("x")
  })
})
