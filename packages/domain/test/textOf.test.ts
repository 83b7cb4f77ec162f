import { TEXT_OF_HTML_MAX_LENGTH, textOf } from "@mailroom/domain"
import { describe, expect, it } from "vitest"

const ofHtml = (bodyHtml: string) => textOf({ bodyText: null, bodyHtml })

describe("the text of a mail", () => {
  it("is its text part, where it has one", () => {
    expect(textOf({ bodyText: "Hello", bodyHtml: "<p>Good morning</p>" })).toBe("Hello")
    expect(textOf({ bodyText: "" })).toBe("")
    expect(textOf({})).toBeNull()
  })

  it("is else that of its HTML, in lines, without what nobody sees", () => {
    const page = `<html><head><title>no</title><style>p { color: red }</style></head><body>
      <h1>Offer</h1>
      <p>Dear   Bob,<br>ten <b>bo</b>xes &amp; a&nbsp;pen.</p><!-- no -->
      <table><tr><td>Price</td><td>&#8364;10</td></tr></table>
    </body></html>`
    expect(ofHtml(page)).toBe("Offer\nDear Bob,\nten boxes & a pen.\nPrice €10")
    expect(textOf({ bodyText: "", bodyHtml: "<p>Hello</p>" })).toBe("Hello")
  })

  it("is whole where lower case is longer than upper case, and ends an unseen element in any case", () => {
    expect(ofHtml(`<STYLE>p{}${"İ".repeat(50)}</Style><p>Hello</p>`)).toBe("Hello")
    expect(ofHtml(`<p>${"İ".repeat(50)}</p><style>p{}</STYLE><p>Hello</p>`)).toBe(`${"İ".repeat(50)}\nHello`)
    expect(ofHtml("<script>1</ſcript>2</script>3")).toBe("3")
  })

  it("is bounded, and takes linear time for hostile HTML", () => {
    const started = performance.now()
    for (const piece of ["<", "<p", "<p>", "<style>", "<!--", "<b> ", "&#32;", " ", "\n", "<br> "])
      expect((ofHtml(piece.repeat(4_000_000)) ?? "").length).toBeLessThanOrEqual(TEXT_OF_HTML_MAX_LENGTH)
    expect(performance.now() - started).toBeLessThan(5_000)
    expect(ofHtml("a".repeat(4_000_000))).toHaveLength(TEXT_OF_HTML_MAX_LENGTH)
  })
})
