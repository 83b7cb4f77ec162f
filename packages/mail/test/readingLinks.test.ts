import { readingOf } from "../src/reading/readingOf.js"
import { describe, expect, it } from "@effect/vitest"

const ofText = (text: string, isReply = false) =>
  readingOf({ text, html: null, subject: "Hello", isReply }).links
const ofHtml = (html: string, isReply = false) =>
  readingOf({ text: null, html, subject: "Hello", isReply }).links

const url = "https://a.example/x"

describe("links of a plain text", () => {
  it.each([
    ["alone", url, url, url],
    ["after words", `See the report: ${url}`, url, "See the report"],
    ["at the end of a sentence", `It is at ${url}.`, url, "It is at"],
    ["in angle brackets", `Report <${url}>`, url, "Report"],
    ["in brackets", `the report (${url}), as promised`, url, "the report"],
    ["in square brackets, as Markdown writes it", `[the report](${url})`, url, "the report"],
    [
      "with brackets of its own",
      "https://a.example/x_(y)",
      "https://a.example/x_(y)",
      "https://a.example/x_(y)",
    ],
    ["in quotation marks", `"${url}"`, url, url],
    ["before Chinese punctuation", `请点击${url}。谢谢`, url, "请点击"],
    ["in capitals", "HTTPS://A.example/x", "HTTPS://A.example/x", "HTTPS://A.example/x"],
    ["broken into lines in angle brackets", "Report\n<https://a.example/\nx>", url, url],
  ])("%s", (_rule, text, href, words) => {
    expect(ofText(text)).toEqual([{ url: href, text: words }])
  })

  it("in order, each once", () => {
    expect(ofText(`a ${url}/1, b ${url}/2\n${url}/1`)).toEqual([
      { url: `${url}/1`, text: "a" },
      { url: `${url}/2`, text: "b" },
    ])
  })
})

describe("links of HTML", () => {
  it.each([
    ["the words of the anchor", `<a href="${url}"> the\n <b>report</b></a>`, url, "the report"],
    [
      "the text for its image",
      `<a href="${url}"><img src="i.png" alt="Report of May"></a>`,
      url,
      "Report of May",
    ],
    ["the URL when there is neither", `<a href="${url}"><img src="https://t.example/p.gif"></a>`, url, url],
    [
      "entities",
      '<a href="https://a.example/?a=1&amp;b=2&#x3d;3">x</a>',
      "https://a.example/?a=1&b=2=3",
      "x",
    ],
    ["line ends and space in the attribute", '<a href=" https://a.example/\nx ">y</a>', url, "y"],
    ["a URL in the text", `<p>See ${url}.</p>`, url, "See"],
    ["an anchor that never ends", `<a href="${url}">x`, url, "x"],
    ["an area of an image", `<map><area href="${url}" alt="x"></map>`, url, "x"],
  ])("%s", (_rule, html, href, words) => {
    expect(ofHtml(html)).toEqual([{ url: href, text: words }])
  })

  it.each([
    ["images", '<img src="https://t.example/open.gif" width="1"><img src="https://t.example/a.png">'],
    [
      "other schemes",
      '<a href="javascript:alert(1)">x</a><a href="mailto:a@a.example">y</a><a href="ftp://a/">z</a>',
    ],
    ["anchors that are hidden", `<div style="display:none"><a href="${url}">x</a></div>`],
    ["what is no URL", '<a href="https://">x</a><a href="http:// a b">x</a><a href="#top">x</a>'],
    ["very long ones", `<a href="${url}${"x".repeat(2_000)}">x</a>`],
  ])("not %s", (_rule, html) => {
    expect(ofHtml(html)).toEqual([])
  })

  it("the text is not read when the HTML has links", () => {
    const html = `<a href="${url}/html">x</a>`
    expect(readingOf({ text: `${url}/text`, html, subject: "" }).links).toEqual([
      { url: `${url}/html`, text: "x" },
    ])
    expect(readingOf({ text: `${url}/text`, html: "<p>x</p>", subject: "" }).links).toHaveLength(1)
  })
})

describe("order", () => {
  it.each([
    "Confirm your email address",
    "Verify my account",
    "Reset password",
    "Sign in to Example",
    "Jetzt bestätigen",
    "Confirmer mon adresse",
    "Confirmar mi correo",
    "Verificar e-mail",
    "Conferma",
    "Bevestig je e-mailadres",
    "Potwierdź adres",
    "Подтвердить почту",
    "Підтвердити пошту",
    "Potvrdit e-mail",
    "Bekräfta din e-post",
    "Bekreft",
    "Bekræft",
    "Vahvista",
    "E-postanı onayla",
    "Επιβεβαίωση",
    "Megerősítés",
    "Confirmă adresa",
    "メールアドレスを確認する",
    "验证邮箱",
    "驗證信箱",
    "이메일 인증",
    "تأكيد البريد",
    "אימות כתובת",
  ])("what confirms is first: %s", (words) => {
    const html = `<a href="https://a.example/home">Home</a><a href="https://a.example/c/9f">${words}</a>`
    expect(ofHtml(html).map((link) => link.text)).toEqual([words, "Home"])
  })

  it("a link that confirms, by its URL or the words above it, is first in plain text", () => {
    expect(ofText(`Home: ${url}\n\nhttps://a.example/verify?token=1`)[0]?.url).toContain("verify")
    expect(ofText(`Home: ${url}\n\nPlease confirm your address:\nhttps://a.example/9f`)[0]?.url).toContain(
      "9f",
    )
  })

  it("a link to unsubscribe is last", () => {
    const html = `<a href="${url}/u">Unsubscribe</a><a href="https://a.example/unsubscribe?confirm=1">here</a><a href="${url}">Home</a>`
    expect(ofHtml(html).map((link) => link.text)).toEqual(["Home", "Unsubscribe", "here"])
  })

  it("at most 50, those to confirm among them", () => {
    const html = Array.from({ length: 80 }, (_, at) => `<a href="${url}/${at}">${at}</a>`).join("")
    const links = ofHtml(`${html}<a href="https://a.example/confirm">x</a>`)
    expect(links).toHaveLength(50)
    expect(links[0]?.url).toBe("https://a.example/confirm")
  })
})

describe("links in history", () => {
  it("do not count in a reply", () => {
    expect(ofText(`See ${url}\n\nOn 1/1/24 12:00, Ann Lee wrote:\n> https://old.example/\n`)).toEqual([
      { url, text: "See" },
    ])
    const quote = '<blockquote type="cite"><a href="https://old.example/">old</a></blockquote>'
    expect(ofHtml(`<a href="${url}">x</a>${quote}`, true)).toEqual([{ url, text: "x" }])
  })

  it("count in a forwarded mail", () => {
    expect(ofText(`FYI\n\n---------- Forwarded message ---------\nFrom: Carl\n\n${url}`)).toHaveLength(1)
  })

  it("the text is shortened to 200 characters", () => {
    expect(ofHtml(`<a href="${url}">${"word ".repeat(100)}</a>`)[0]?.text).toHaveLength(200)
  })
})
