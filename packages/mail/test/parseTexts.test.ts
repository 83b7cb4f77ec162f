/** The text of a mail whose HTML has no plain alternative (`spec: resources.message.bodyText`). */
import { describe, expect, it } from "@effect/vitest"
import { parseMail } from "@mailroom/mail/parsing/parseMail"
import { Effect } from "effect"
import { multipart, raw, utf8 } from "./support/mails.js"

type Part = ReadonlyArray<string>

const parse = (...parts: Parameters<typeof multipart>) => Effect.promise(() => parseMail(multipart(...parts)))

const html: Part = ["Content-Type: text/html", "", "<p>Hello <b>all</b>,</p><p>see you</p>"]
const plain: Part = ["Content-Type: text/plain", "", "Hello all,", "", "see you"]
const footer: Part = ["Content-Type: text/plain", "Content-Disposition: inline", "", "List footer"]
const image: Part = [
  "Content-Type: image/png",
  "Content-ID: <i>",
  "Content-Transfer-Encoding: base64",
  "",
  "iVBO",
]

/** A part with parts of its own. */
const inner = (type: string, ...parts: ReadonlyArray<Part>): Part => [
  `Content-Type: multipart/${type}; boundary="${type}"`,
  "",
  ...parts.flatMap((part) => [`--${type}`, ...part]),
  `--${type}--`,
]

describe("the text of HTML without a plain alternative", () => {
  for (const [what, ...parts] of [
    ["before a footer", html, footer],
    ["with images, before a footer", inner("related", html, image), footer],
    ["that is the only form, before a footer", inner("alternative", html), footer],
    ["beside an empty form, before a footer", inner("alternative", ["", " "], html), footer],
    ["that is signed, before a footer", inner("signed", html), footer],
  ] as const)
    it.effect(`${what} comes at its place`, () =>
      Effect.gen(function* () {
        const mail = yield* parse("mixed", ...parts)
        expect(mail.text).toBe("Hello all,\n\nsee you\nList footer")
        expect(mail.html).toContain("<b>all</b>")
        expect(mail.textOfHtml).toBe(null)
      }),
    )

  it.effect("comes after the text above it", () =>
    Effect.gen(function* () {
      const mail = yield* parse("mixed", ["", "Above"], html, footer)
      expect(mail.text).toBe("Above\nHello all,\n\nsee you\nList footer")
    }),
  )

  it.effect("is that of 3,000,000 characters of HTML in all", () =>
    Effect.gen(function* () {
      const page: Part = [...html.slice(0, 2), `<p>a</p>${" ".repeat(1_400_000)}`]
      const mail = yield* parse("mixed", page, page, page, page, footer)
      expect(mail.text).toBe("a\na\na\nList footer")
    }),
  )

  it.effect("is not added to a text that says the same", () =>
    Effect.gen(function* () {
      expect((yield* parse("mixed", plain, html)).text?.trim()).toBe("Hello all,\n\nsee you")
      expect((yield* parse("mixed", footer, html)).text).toBe("List footer\nHello all,\n\nsee you")
    }),
  )

  it.effect("is not added to that of a plain alternative", () =>
    Effect.gen(function* () {
      const both = inner("alternative", plain, inner("related", html, image))
      expect((yield* parse("mixed", both, footer)).text).toBe("Hello all,\n\nsee you\nList footer")
    }),
  )

  it.effect("is no text part in mail of HTML alone, nor in a file or an attached mail", () =>
    Effect.gen(function* () {
      const file = [...html.slice(0, 1), "Content-Disposition: attachment; filename=a.html", ...html.slice(1)]
      const attached = ["Content-Type: message/rfc822", "", "Subject: x", ...html]
      expect((yield* parse("mixed", html, image, html)).text).toBe(null)
      expect((yield* parse("mixed", footer, file, attached)).text).toBe("List footer")
    }),
  )

  it.effect("marks its quotes, so that the new text is without them", () =>
    Effect.gen(function* () {
      const reply = [
        "Content-Type: text/html",
        "",
        "<div>Agreed.</div><div class=gmail_quote><div class=gmail_attr>On Monday, Ann wrote:</div>",
        "<blockquote>Shall we?</blockquote></div>",
      ]
      const list = [
        "Content-Type: text/plain",
        "",
        "_______________________________________________",
        "Acme mailing list",
      ]
      const mail = yield* parse("mixed", reply, list)
      expect(mail.text).toBe(`Agreed.\nOn Monday, Ann wrote:\n\n> Shall we?\n${list.slice(2).join("\n")}`)
      expect(mail.extractedText).toBe("Agreed.")
    }),
  )
})

describe("a text in base64 with a plain footer behind it", () => {
  const encoded = "Content-Transfer-Encoding: base64"
  const rule = "_______________________________________________"
  const base64 = (text: string): string => Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\r\n")

  const texts: ReadonlyArray<readonly [end: string, text: string]> = [
    ["=", `Grüße all${"e".repeat(120)}`],
    ["==", "Grüße an"],
    ["no =", "Grüße a"],
  ]
  for (const [end, text] of texts)
    it.effect(`that ends with ${end} has both`, () =>
      Effect.gen(function* () {
        const written = base64(text)
        expect(/[^=](=*)$/.exec(written)?.[1] || "no =").toBe(end)
        const header = ["Content-Type: text/plain; charset=utf-8", encoded, ""]
        for (const gap of [[], [""]]) {
          const body = [...header, written, ...gap, rule, "Acme list: https://acme.dev", ""]
          const mails = [raw(...body), multipart("mixed", body, ["Content-Type: image/png", "", "x"])]
          for (const mail of mails)
            expect((yield* Effect.promise(() => parseMail(mail))).text?.trim()).toBe(
              `${text}\n${rule}\nAcme list: https://acme.dev`,
            )
        }
      }),
    )

  it.effect("shows the footer behind HTML, too", () =>
    Effect.gen(function* () {
      const body = ["Content-Type: text/html", encoded, "", base64("<p>Hello</p>"), rule]
      expect((yield* Effect.promise(() => parseMail(raw(...body)))).textOfHtml).toBe(`Hello\n\n${rule}`)
    }),
  )

  it.effect("is told from base64 in pieces, and from base64 with a broken line", () =>
    Effect.gen(function* () {
      const read = (...lines: ReadonlyArray<string>) =>
        Effect.map(
          Effect.promise(() => parseMail(raw(encoded, "", ...lines))),
          ({ text }) => text,
        )
      expect(yield* read("SGVsbG8=", "IHlvdQ==")).toBe("Hello you")
      const line = "A".repeat(76)
      expect(yield* read(line, "!", line)).toBe(yield* read(line, line))
    }),
  )
})

describe("HTML without a charset in its part is in that of its meta element", () => {
  const meta = (charset: string) => `<html><head><META Charset=${charset}></head>`
  const equivalent = (charset: string) =>
    `<meta http-equiv="Content-Type" content="text/html; charset=${charset}">`

  const quoted = (page: string) =>
    page.replace(/[^ -<>-~]/g, (one) => `=${Buffer.from(one, "latin1").toString("hex").toUpperCase()}`)

  for (const [what, page, text] of [
    ["by charset", `${meta("koi8-r")}\xf0\xd2`, "Пр"],
    ["by http-equiv", `${equivalent("shift_jis")}\x93\xfa\x96{`, "日本"],
    ["in escape sequences", `${meta("'iso-2022-jp'")}\x1b$BF|K\\\x1b(B`, "日本"],
    ["unless it is UTF-8", `${meta("koi8-r")}${utf8("Пр")}`, "Пр"],
    ["unless it is UTF-16", `${meta("utf-16")}caf\xe9`, "café"],
    ["unless it is unknown", `${meta("x-none")}caf\xe9`, "café"],
    ["near the beginning", `${" ".repeat(1024)}${meta("koi8-r")}caf\xe9`, "café"],
  ] as const)
    it.effect(what, () =>
      Effect.gen(function* () {
        const bytes = Buffer.from(page, "latin1")
        for (const type of ["text/html", "text/html; charset=us-ascii"])
          for (const [encoding, body] of [
            ["8bit", page],
            ["base64", bytes.toString("base64")],
            ["quoted-printable", quoted(page)],
          ] as const) {
            const header = [`Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`, ""]
            const mail = yield* Effect.promise(() => parseMail(raw(...header, body)))
            expect([encoding, mail.textOfHtml]).toEqual([encoding, text])
          }
      }),
    )
})
