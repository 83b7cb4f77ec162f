import { raw, utf8 } from "./support/mails.js"
import { parseMail } from "@mailroom/mail/parsing/parseMail"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

const parsed = (...lines: ReadonlyArray<string>) => Effect.promise(() => parseMail(raw(...lines)))
const header = (...lines: ReadonlyArray<string>) => parsed(...lines, "", "body")

describe("the header map", () => {
  it.effect("has lower-case names, decoded values, and lists of repeated fields in order", () =>
    Effect.gen(function* () {
      const { headers } = yield* header(
        "Received: from b",
        "X-Custom: =?utf-8?q?caf=C3=A9?=",
        "RECEIVED: from a",
        "Subject: folded",
        "\tover lines",
      )
      expect(headers).toEqual({
        received: ["from b", "from a"],
        "x-custom": "café",
        subject: "folded over lines",
      })
    }),
  )

  it.effect("accepts field names that JavaScript uses, such as __proto__", () =>
    Effect.gen(function* () {
      const { headers } = yield* header("__proto__: a", "constructor: b", "hasOwnProperty: c")
      expect(Object.entries(headers)).toEqual([
        ["__proto__", "a"],
        ["constructor", "b"],
        ["hasownproperty", "c"],
      ])
    }),
  )

  it.effect("has no NUL and no lone surrogate in any string", () =>
    Effect.gen(function* () {
      const mail = yield* header(
        "Subject: a\0b =?utf-16be?b?2AA=?=",
        'From: "x\0=?utf-16be?b?3AA=?=" <a\0@b.c>',
        "Message-ID: <a\0b@c>",
      )
      expect(JSON.stringify(mail)).not.toMatch(/\\u0000|\\ud8|\\udc/)
      expect(mail.from?.address).toBe("a@b.c")
    }),
  )
})

describe("subjects", () => {
  for (const [what, line, subject] of [
    ["RFC 2047 Q", "=?iso-8859-1?q?Gr=FC=DFe?=", "Grüße"],
    ["RFC 2047 B", "=?UTF-8?B?8J+YgA==?=", "😀"],
    ["words in a row", "=?utf-8?q?a?= =?utf-8?q?b?= c =?utf-8?q?d?=", "ab c d"],
    ["a character split between words", "=?utf-8?b?8J8=?= =?utf-8?b?mIA=?=", "😀"],
    ["a language tag", "=?utf-8*de?q?Gr=C3=BC=C3=9Fe?=", "Grüße"],
    ["iso-2022-jp", "=?iso-2022-jp?b?GyRCRnxLXBsoQg==?=", "日本"],
    ["iso-2022-jp in two words", "=?iso-2022-jp?b?GyRCRnwbKEI=?= =?iso-2022-jp?b?GyRCS1wbKEI=?=", "日本"],
    ["gb2312", "=?gb2312?b?1tDOxA==?=", "中文"],
    ["koi8-r", "=?koi8-r?b?8NLJ18XU?=", "Привет"],
    ["an alias", "=?cp932?b?k/qWew==?=", "日本"],
    ["an unknown charset", "=?x-unknown?q?caf=C3=A9?=", "café"],
    ["raw UTF-8", utf8("Grüße 😀"), "Grüße 😀"],
    ["raw Latin-1", "Gr\xfc\xdfe", "Grüße"],
    ["windows-1252", "=?windows-1252?Q?Offer_=96_100=80?=", "Offer – 100€"],
    ["iso-8859-1, which is windows-1252", "=?iso-8859-1?Q?Offer_=96_100=80?=", "Offer – 100€"],
    ["us-ascii with 8-bit bytes", "=?us-ascii?Q?Offer_=96_100=80?=", "Offer – 100€"],
    ["iso-8859-9, which is windows-1254", "=?iso-8859-9?q?=93=FE=94?=", "“ş”"],
    ["iso-8859-16", "=?iso-8859-16?q?=AAtiri?=", "Știri"],
    ["koi8-u with Belarusian letters", "=?koi8-u?q?=AE=BE?=", "ўЎ"],
    ["x-mac-cyrillic", "=?x-mac-cyrillic?q?=8F=F0=FF?=", "Пр€"],
    ["macintosh", "=?macintosh?q?caf=8E_=DB?=", "café €"],
    ["cp850", "=?cp850?q?caf=82?=", "café"],
    ["euc-kr with a syllable that only cp949 has", "=?euc-kr?q?=81A=B0=A1?=", "갂가"],
    ["ks_c_5601-1987", "=?ks_c_5601-1987?q?=81A=B0=A1?=", "갂가"],
    ["big5 with a character of Hong Kong", "=?big5?q?=FAW=A4=A4?=", "侫中"],
    ["gbk with the euro sign of gb18030", "=?gbk?q?=A2=E3=D6=D0?=", "€中"],
    ["gb18030 in four bytes", "=?gb18030?b?lDn8Ng==?=", "😀"],
    ["utf-16 with a byte order mark", "=?utf-16?b?/v8AaABp?=", "hi"],
    ["utf-7", "=?utf-7?Q?Gr+APwA3w-e?= =?unicode-1-1-utf-7?q?_+IKw-?=", "Grüße €"],
    ["a label that is no charset", "=?base64?q?abc?= =?hex?q?abc?=", "abcabc"],
    ["raw windows-1252", "Offer \x96 100\x80", "Offer – 100€"],
    ["what only looks like an encoded word", "=?utf-8?x?abc?= =?a? 1=?2", "=?utf-8?x?abc?= =?a? 1=?2"],
  ] as const)
    it.effect(what, () =>
      Effect.map(header(`Subject: ${line}`), (mail) => expect(mail.subject).toBe(subject)),
    )

  it.effect("raw 8-bit that is UTF-8 is read as UTF-8, whatever the charset of the body", () =>
    Effect.gen(function* () {
      const mail = yield* header(utf8("Subject: café™"), "Content-Type: text/plain; charset=iso-8859-1")
      expect(mail.subject).toBe("café™")
    }),
  )

  it.effect("raw 8-bit is read in the charset of the first text of the body", () =>
    Effect.gen(function* () {
      const mail = yield* parsed(
        "Subject: \xf0\xd2\xc9\xd7\xc5\xd4",
        "Content-Type: multipart/mixed; boundary=b",
        "",
        "--b",
        "Content-Type: text/plain; charset=us-ascii",
        "",
        "--b",
        "Content-Type: text/html; charset=koi8-r",
        "",
        "--b--",
      )
      expect(mail.subject).toBe("Привет")
    }),
  )

  it.effect("raw 8-bit that is not UTF-8 is windows-1252 when the body is in UTF-8", () =>
    Effect.gen(function* () {
      const mail = yield* header("Subject: caf\xe9 \x80", "Content-Type: text/plain; charset=utf-8")
      expect(mail.subject).toBe("café €")
    }),
  )

  it.effect("raw 8-bit is read in the charset of the body", () =>
    Effect.gen(function* () {
      const mail = yield* header(
        "Subject: \xf0\xd2\xc9\xd7\xc5\xd4",
        "Content-Type: text/plain; charset=koi8-r",
      )
      expect(mail.subject).toBe("Привет")
    }),
  )
})

describe("addresses", () => {
  it.effect("are lower-case, with decoded names, groups flattened", () =>
    Effect.gen(function* () {
      const mail = yield* header(
        "From: =?utf-8?q?Ada_L=C3=B6velace?= <Ada@Example.ORG>, second@example.org",
        'To: "Bob, the \\"builder\\"" <bob@x.test>, Team: one@x.test, "Two" <TWO@x.test>;,',
        "\tundisclosed-recipients:;",
        "Cc: (a comment) plain@x.test",
        "Reply-To: <reply@x.test>",
      )
      expect(mail.from).toEqual({ address: "ada@example.org", name: "Ada Lövelace" })
      expect(mail.to).toEqual([
        { address: "bob@x.test", name: 'Bob, the "builder"' },
        { address: "one@x.test", name: null },
        { address: "two@x.test", name: "Two" },
      ])
      expect(mail.cc.map(({ address }) => address)).toEqual(["plain@x.test"])
      expect(mail.replyTo).toEqual([{ address: "reply@x.test", name: null }])
    }),
  )

  it.effect("have names in windows-1252", () =>
    Effect.gen(function* () {
      const mail = yield* header(
        "From: =?windows-1252?Q?Ren=E9_=96_Sales?= <r@x.test>",
        'To: "Zo\xeb \x93Z\x94" <z@x.test>',
      )
      expect([mail.from?.name, mail.to[0]?.name]).toEqual(["René – Sales", "Zoë “Z”"])
    }),
  )

  it.effect("are never made from encoded words", () =>
    Effect.gen(function* () {
      const mail = yield* header(
        "From: =?utf-8?q?boss=40bank.example=3C?= <thief@x.test>",
        "To: =?utf-8?q?a=40b.c=2C_d=40e.f?=",
      )
      expect(mail.from?.address).toBe("thief@x.test")
      expect(mail.to).toEqual([])
    }),
  )
})

describe("what sender authentication reads", () => {
  it.effect("is all addresses of every From", () =>
    Effect.gen(function* () {
      const mail = yield* header("From: Ada <ada@a.example>, bob@b.example", "From: cy@c.example")
      expect(mail.layout?.authors.map(({ address }) => address)).toEqual([
        "ada@a.example",
        "bob@b.example",
        "cy@c.example",
      ])
      expect(mail.layout?.isSigned).toBe(false)
    }),
  )

  for (const name of ["DKIM-Signature", "arc-seal"])
    it.effect(`is that a mail with ${name} is signed`, () =>
      Effect.gen(function* () {
        const mail = yield* header("From: ada@a.example", `${name}: v=1`)
        expect(mail.layout?.isSigned).toBe(true)
      }),
    )
})

describe("message ids", () => {
  for (const [line, ids] of [
    ["<a@b>", ["<a@b>"]],
    ["a@b", ["<a@b>"]],
    ["<a@b><c@d> <a@b>", ["<a@b>", "<c@d>"]],
    ["a@b c@d", ["<a@b>", "<c@d>"]],
    ["<a\r\n @b>", ["<a@b>"]],
    ['Message of "Mon" from joe@x.test <a@b>', ["<a@b>"]],
    ["your mail of yesterday", []],
    ["<>", []],
    ["", []],
    ["<unclosed@b", ["<unclosed@b>"]],
  ] as const)
    it.effect(`References: ${JSON.stringify(line)}`, () =>
      Effect.map(header(`References: ${line}`), (mail) => expect(mail.references).toEqual(ids)),
    )

  it.effect("Message-ID and In-Reply-To are read the same way", () =>
    Effect.gen(function* () {
      const mail = yield* header("Message-ID: local-id", "In-Reply-To: <a@b> (your mail)")
      expect(mail.messageId).toBe("<local-id>")
      expect(mail.inReplyTo).toEqual(["<a@b>"])
    }),
  )
})

describe("the fingerprint", () => {
  it.effect("is the same for the same mail by another route, and different for another body", () =>
    Effect.gen(function* () {
      const [first, again, other] = [
        yield* parsed("Received: from a", " by b", "Subject: x", "", "body"),
        yield* parsed("Return-Path: <z>", "Received: from c", "Subject: x", "", "body"),
        yield* parsed("Received: from a", " by b", "Subject: x", "", "bodz"),
      ]
      expect(first.fingerprint).toMatch(/^[0-9a-f]{64}$/)
      expect(again.fingerprint).toBe(first.fingerprint)
      expect(other.fingerprint).not.toBe(first.fingerprint)
    }),
  )
})

describe("a malformed header", () => {
  it.effect("a leading mbox line is skipped", () =>
    Effect.gen(function* () {
      const mail = yield* parsed("From ada@example.org Fri Nov 20 12:00:00 2026", "Subject: x", "", "body")
      expect(mail).toMatchObject({ subject: "x", text: "body", defect: null })
    }),
  )

  it.effect("without the empty line, the body starts where the fields end", () =>
    Effect.gen(function* () {
      const mail = yield* parsed("Subject: x", "Hello there,", "this is the body")
      expect(mail).toMatchObject({ subject: "x", text: "Hello there,\nthis is the body" })
      expect(mail.defect).toContain("no empty line")
    }),
  )

  it.effect("a stray line between fields is skipped", () =>
    Effect.gen(function* () {
      const mail = yield* parsed("Subject: x", "stray", "From: a@b.c", "", "body")
      expect(mail).toMatchObject({ subject: "x", text: "body", from: { address: "a@b.c" } })
      expect(mail.defect).not.toBeNull()
    }),
  )

  it.effect("no header at all is a body", () =>
    Effect.map(parsed("", "body"), (mail) => expect(mail).toMatchObject({ subject: "", text: "body" })),
  )
})

describe("a header of a megabyte", () => {
  const listed = (count: number, of: (n: number) => string) => Array.from({ length: count }, (_, n) => of(n))

  it.effect("leaves some kilobytes of addresses, ids and texts for lists; the header map has all of it", () =>
    Effect.gen(function* () {
      const addresses = listed(12_000, (n) => `${n}@a.example`)
      const mail = yield* header(
        `From: ${"n".repeat(10_000)} <${"f".repeat(999)}@a.example>, ${"n".repeat(10_000)} <b@a.example>`,
        `To: ${addresses.join(", ")}`,
        `Cc: <${"c".repeat(999)}@a.example>, ${addresses.join(", ")}`,
        `References: ${listed(20_000, (n) => `<${n}@a.example>`).join(" ")}`,
        `Subject: ${"s".repeat(100_000)}`,
      )
      expect([mail.to.length, mail.cc.length, mail.references.length]).toEqual([1_000, 1_000, 200])
      expect(mail.cc[0]?.address).toBe("0@a.example")
      expect(mail.from?.address).toBe("b@a.example")
      expect(mail.layout?.authors).toEqual([mail.from])
      const { headers, ...kept } = mail
      expect(JSON.stringify(kept).length).toBeLessThan(150_000)
      expect(headers["to"]).toHaveLength(addresses.join(", ").length)
    }),
  )

  it.effect(
    "of a part leaves a Content-ID of 4 kB, and a type that is longer than RFC 6838 allows is none",
    () =>
      Effect.gen(function* () {
        const { attachments } = yield* parsed(
          "Content-Type: multipart/mixed; boundary=b",
          "",
          "--b",
          `Content-Type: application/${"x".repeat(20_000)}`,
          `Content-ID: <${"c".repeat(20_000)}>`,
          "Content-Disposition: attachment; filename=a.bin",
          "",
          "bytes",
          "--b--",
        )
        expect(attachments).toMatchObject([
          { contentType: "application/octet-stream", contentId: "c".repeat(4_096) },
        ])
      }),
  )
})
