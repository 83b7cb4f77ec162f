import { multipart, raw, utf8 } from "./support/mails.js"
import { bytesOf } from "@mailroom/domain"
import { parseMail } from "@mailroom/mail/parsing/parseMail"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

const parse = (mail: Uint8Array) => Effect.promise(() => parseMail(mail))

describe("texts", () => {
  it.effect("text and HTML of an alternative, neither converted from the other", () =>
    Effect.gen(function* () {
      const both = yield* parse(
        multipart(
          "alternative",
          ["Content-Type: text/plain", "", "hi"],
          ["Content-Type: text/html", "", "<b>hi</b>"],
        ),
      )
      expect([both.text, both.html]).toEqual(["hi", "<b>hi</b>"])
      const html = yield* parse(raw("Content-Type: text/html", "", "<b>hi</b>"))
      expect([html.text, html.html]).toEqual([null, "<b>hi</b>"])
      const text = yield* parse(raw("Subject: x", "", "hi"))
      expect([text.text, text.html]).toEqual(["hi", null])
    }),
  )

  for (const [charset, bytes, text] of [
    ["iso-8859-1", "caf\xe9", "café"],
    ["utf-8", utf8("café"), "café"],
    ["iso-2022-jp", "\x1b$BF|K\\\x1b(B", "日本"],
    ["gb2312", "\xd6\xd0\xce\xc4", "中文"],
    ["koi8-r", "\xf0\xd2\xc9\xd7\xc5\xd4", "Привет"],
    ["x-unknown", utf8("café"), "café"],
    ["windows-1252", "Offer \x96 100\x80", "Offer – 100€"],
    ["iso-8859-1, which is windows-1252", "Offer \x96 100\x80", "Offer – 100€"],
    ["us-ascii", "Offer \x96 100\x80", "Offer – 100€"],
    ["us-ascii", utf8("Grüße"), "Grüße"],
    ["koi8-u", "\xae", "ў"],
    ["x-mac-cyrillic", "\x8f\xf0", "Пр"],
    ["ks_c_5601-1987", "\x81A\xb0\xa1", "갂가"],
    ["utf-16", "\xfe\xff\x00h\x00i", "hi"],
    ["utf-7", "Gr+APwA3w-e", "Grüße"],
  ] as const)
    it.effect(`in ${charset}: ${text}`, () =>
      Effect.map(
        parse(raw(`Content-Type: text/plain; charset=${charset.split(",")[0]}`, "", bytes)),
        (mail) => expect(mail.text).toBe(text),
      ),
    )

  for (const [what, header, body] of [
    ["unencoded", [], "caf\xe9 \x80"],
    ["in quoted-printable", ["Content-Transfer-Encoding: quoted-printable"], "caf=E9 =80"],
    ["in base64", ["Content-Transfer-Encoding: base64"], "Y2Fm6SCA"],
  ] as const)
    it.effect(`without a charset, ${what}, are windows-1252 when they are not UTF-8`, () =>
      Effect.gen(function* () {
        const alone = yield* parse(raw(...header, "", body))
        const part = yield* parse(
          multipart("mixed", [...header, "Content-Type: text/html; charset=us-ascii", "", body]),
        )
        expect([alone.text, part.html]).toEqual(["café €", "café €"])
      }),
    )

  it.effect("quoted-printable and base64 are decoded", () =>
    Effect.gen(function* () {
      const quoted = yield* parse(
        raw("Content-Transfer-Encoding: quoted-printable", "", "caf=C3=A9 =", "more"),
      )
      expect(quoted.text).toBe("café more")
      const base64 = yield* parse(raw("Content-Transfer-Encoding: base64", "", "Y2Fmw6k="))
      expect(base64.text).toBe("café")
    }),
  )

  it.effect("8-bit bytes that are invalid in their charset become a string without NUL", () =>
    Effect.gen(function* () {
      const mail = yield* parse(raw("Content-Type: text/plain; charset=utf-8", "", "a\xff\0b"))
      expect(mail.text).toBe("a\ufffdb")
    }),
  )
})

describe("attachments", () => {
  const attachment = (...header: ReadonlyArray<string>) =>
    Effect.map(
      parse(multipart("mixed", ["Content-Type: text/plain", "", "see"], [...header, "", "bytes"])),
      (mail) => {
        expect(mail.text).toBe("see")
        expect(mail.attachments.map((file) => Buffer.from(bytesOf(file)).toString())).toEqual(["bytes"])
        return mail.attachments[0]
      },
    )

  for (const [what, header, filename] of [
    ["plain", 'attachment; filename="a.pdf"', "a.pdf"],
    ["with a path", 'attachment; filename="..\\..\\etc/passwd"', "passwd"],
    ["RFC 2231", "attachment; filename*=utf-8''r%C3%A9sum%C3%A9.pdf", "résumé.pdf"],
    ["RFC 2231 in pieces", "attachment; filename*0*=iso-8859-1''r%E9; filename*1=sum.pdf", "résum.pdf"],
    ["RFC 2047", 'attachment; filename="=?utf-8?q?r=C3=A9sum=C3=A9.pdf?="', "résumé.pdf"],
    ["raw UTF-8", `attachment; filename="${utf8("résumé.pdf")}"`, "résumé.pdf"],
    ["raw windows-1252", 'attachment; filename="r\xe9sum\xe9 \x96 100\x80.pdf"', "résumé – 100€.pdf"],
    ["windows-1252 in RFC 2047", 'attachment; filename="=?windows-1252?q?100=80.pdf?="', "100€.pdf"],
    ["windows-1252 in RFC 2231", "attachment; filename*=windows-1252''100%80.pdf", "100€.pdf"],
    ["iso-8859-1, which is windows-1252", "attachment; filename*=iso-8859-1''100%80.pdf", "100€.pdf"],
    ["utf-7", 'attachment; filename="=?utf-7?q?r+AOk-sum+AOk-.pdf?="', "résumé.pdf"],
    ["without a semicolon in front of it", 'attachment filename="a.pdf"', "a.pdf"],
    ["absent", "attachment", "attachment-1.pdf"],
  ] as const)
    it.effect(`file name: ${what}`, () =>
      Effect.map(attachment("Content-Type: application/pdf", `Content-Disposition: ${header}`), (found) =>
        expect(found).toMatchObject({ filename, contentType: "application/pdf", contentId: null }),
      ),
    )

  it.effect("a file name in raw 8-bit bytes is in the charset of the text", () =>
    Effect.gen(function* () {
      const mail = yield* parse(
        multipart(
          "mixed",
          ["Content-Type: text/plain; charset=koi8-r", "", "see"],
          [
            "Content-Type: application/pdf",
            'Content-Disposition: attachment; filename="\xf0\xd2.pdf"',
            "",
            "",
          ],
        ),
      )
      expect(mail.attachments[0]?.filename).toBe("Пр.pdf")
    }),
  )

  it.effect("a Content-ID comes without brackets", () =>
    Effect.map(attachment("Content-Type: image/png", "Content-ID: <logo@x>"), (found) =>
      expect(found).toMatchObject({ contentId: "logo@x", filename: "attachment-1.png" }),
    ),
  )

  for (const [type, extension] of [
    ["text/calendar", "ics"],
    ["message/rfc822", "eml"],
    ["message/delivery-status", "bin"],
  ] as const)
    it.effect(`${type} is one`, () =>
      Effect.map(attachment(`Content-Type: ${type}`), (found) =>
        expect(found).toMatchObject({ contentType: type, filename: `attachment-1.${extension}` }),
      ),
    )

  it.effect("a malformed type is application/octet-stream", () =>
    Effect.map(attachment("Content-Type: not a type", "Content-Disposition: attachment"), (found) =>
      expect(found?.contentType).toBe("application/octet-stream"),
    ),
  )

  it.effect("bytes are not changed", () =>
    Effect.gen(function* () {
      const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 31) & 0xff)
      const mail = yield* parse(
        raw(
          "Content-Type: application/octet-stream",
          "Content-Transfer-Encoding: base64",
          "",
          Buffer.from(bytes).toString("base64"),
        ),
      )
      expect(Buffer.concat(mail.attachments.map(bytesOf)).equals(bytes)).toBe(true)
    }),
  )
})

describe("an inline text with a name", () => {
  const patch = [
    "Content-Type: text/plain; charset=iso-8859-1; name=fix.patch",
    'Content-Disposition: inline; filename="fix.patch"',
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "+caf=E9=20",
  ]

  it.effect("is an attachment as well, byte for byte", () =>
    Effect.gen(function* () {
      const mail = yield* parse(multipart("mixed", ["", "see"], patch, ["", "bye"]))
      expect(mail.text).toBe("see\n+café \nbye")
      expect(mail.attachments).toMatchObject([{ filename: "fix.patch", contentType: "text/plain" }])
      expect(mail.attachments.map((file) => Buffer.from(bytesOf(file)).toString("latin1"))).toEqual([
        "+caf\xe9 ",
      ])
    }),
  )

  it.effect("is one as the last part of a truncated mail", () =>
    Effect.gen(function* () {
      const mail = yield* parse(raw("Content-Type: multipart/mixed; boundary=b", "", "--b", ...patch))
      expect(mail).toMatchObject({ text: "+café ", attachments: [{ filename: "fix.patch" }] })
    }),
  )

  it.effect("is none within multipart/alternative, and none without a name", () =>
    Effect.gen(function* () {
      const alternative = yield* parse(multipart("alternative", patch))
      const unnamed = yield* parse(multipart("mixed", ["Content-Disposition: inline", "", "see"]))
      expect([alternative.attachments, unnamed.attachments]).toEqual([[], []])
    }),
  )
})

describe("format=flowed", () => {
  const flowed = (parameters: string, ...lines: ReadonlyArray<string>) =>
    Effect.map(
      parse(raw(`Content-Type: text/plain; charset=utf-8; format=flowed${parameters}`, "", ...lines)),
      ({ text }) => text,
    )

  for (const [rule, lines, text] of [
    ["lines that end with a space go on", ["one ", "two ", "three", "four"], "one two three\nfour"],
    ["a quote and its answer stay apart", ["> a quote ", "an answer"], "> a quote \nan answer"],
    ["an answer and the next quote stay apart", ["an answer ", "> a quote"], "an answer \n> a quote"],
    ["a quote goes on at its own depth", ["> a ", "> b", ">> c ", ">> d"], "> a b\n>> c d"],
    [
      "a space that was stuffed is taken away",
      [" From here", "  two", " > no quote"],
      "From here\n two\n> no quote",
    ],
    ["the line in front of a signature is fixed", ["bye ", "-- ", "Ada"], "bye \n-- \nAda"],
    ["a quoted signature too", ["> bye ", "> -- ", "> Ada"], "> bye \n> -- \n> Ada"],
    ["empty lines stay", ["one ", "", ">", "two"], "one \n\n>\ntwo"],
    ["a quote is written with one space", [">one", ">>two"], "> one\n>> two"],
  ] as const)
    it.effect(rule, () => Effect.map(flowed("", ...lines), (found) => expect(found).toBe(text)))

  it.effect("DelSp removes the space at which a line was broken", () =>
    Effect.map(flowed("; DelSp=Yes", utf8("日本 "), utf8("語 "), "> q ", "> r"), (text) =>
      expect(text).toBe("日本語 \n> qr"),
    ),
  )
})

describe("a malformed Content-Type", () => {
  const file = Buffer.from("file").toString("base64")
  const mixed = (...contentType: ReadonlyArray<string>) =>
    parse(
      raw(
        ...contentType,
        "",
        "--b",
        "",
        "see",
        "--b",
        "Content-Type: application/pdf; name=a.pdf",
        "Content-Transfer-Encoding: base64",
        "",
        file,
        "--b--",
      ),
    )

  for (const [what, ...lines] of [
    ["without a semicolon", 'Content-Type: multipart/mixed boundary="b"'],
    ["with a comma", "Content-Type: multipart/mixed, boundary=b"],
    ["without a semicolon between parameters", 'Content-Type: multipart/mixed; charset="utf-8" boundary=b'],
    ["with a quote that is not closed", 'Content-Type: multipart/mixed; boundary="b'],
    ["with a comment", "Content-Type: multipart/mixed (parts); boundary=b (so they say)"],
    ["with a space for the slash", "Content-Type: multipart mixed; boundary=b"],
    ["without a subtype", "Content-Type: multipart; boundary=b"],
    ["twice, first as text", "Content-Type: text/plain", "Content-Type: multipart/mixed; boundary=b"],
    ["twice, last as text", "Content-Type: multipart/mixed; boundary=b", "Content-Type: text/plain"],
    [
      "twice, once with another boundary",
      "Content-Type: multipart/mixed; boundary=x",
      "Content-Type: multipart/mixed; boundary=b",
    ],
    ["without the boundary", "Content-Type: multipart/mixed"],
    ["with another boundary", "Content-Type: multipart/mixed; boundary=x"],
  ] as const)
    it.effect(`of the mail, ${what}: its parts are found`, () =>
      Effect.map(mixed(...lines), (mail) =>
        expect(mail).toMatchObject({
          text: "see",
          attachments: [{ filename: "a.pdf", sizeBytes: 4 }],
          defect: null,
        }),
      ),
    )

  for (const [type, bytes, text, html] of [
    ["text plain", "caf\xe9", "café", null],
    ["text", "caf\xe9", "café", null],
    ["plain", "hi", "hi", null],
    ["text html; charset=koi8-r", "\xf0\xd2", null, "Пр"],
    ["text/html charset=koi8-r", "\xf0\xd2", null, "Пр"],
    ["text/plain; charset=koi8-r (Russian)", "\xf0\xd2", "Пр", null],
    ["nonsense", "hi", "hi", null],
    ["", "hi", "hi", null],
  ] as const)
    it.effect(`${JSON.stringify(type)} is text`, () =>
      Effect.gen(function* () {
        const alone = yield* parse(raw(`Content-Type: ${type}`, "", bytes))
        const part = yield* parse(multipart("mixed", [`Content-Type: ${type}`, "", bytes]))
        expect(alone).toMatchObject({ text, html, attachments: [] })
        expect(part).toMatchObject({ text, html, attachments: [] })
      }),
    )

  it.effect("of a part, twice: its own parts are found", () =>
    Effect.gen(function* () {
      const mail = yield* parse(
        multipart(
          "mixed",
          [
            "Content-Type: text/plain",
            "Content-Type: multipart/mixed; boundary=i",
            "",
            "--i",
            "",
            "inner",
            "--i--",
          ],
          ["", "outer"],
        ),
      )
      expect(mail).toMatchObject({ text: "inner\nouter", attachments: [] })
    }),
  )
})

describe("the parts of a digest", () => {
  it.effect("are mails unless they say otherwise", () =>
    Effect.gen(function* () {
      const mail = yield* parse(
        multipart(
          "digest",
          ["", "Subject: one", "", "first"],
          ["Content-Disposition: inline", "", "Subject: two", "", "second"],
          ["Content-Type: text/plain", "", "third"],
        ),
      )
      expect(mail.text).toBe("third")
      expect(mail.attachments.map((part) => [part.filename, part.contentType])).toEqual([
        ["attachment-1.eml", "message/rfc822"],
        ["attachment-2.eml", "message/rfc822"],
      ])
      expect(mail.attachments.map((part) => Buffer.from(bytesOf(part)).toString())).toEqual([
        "Subject: one\r\n\r\nfirst",
        "Subject: two\r\n\r\nsecond",
      ])
    }),
  )
})

describe("a malformed body", () => {
  it.effect("multipart without a boundary is text", () =>
    Effect.gen(function* () {
      const mail = yield* parse(raw("Content-Type: multipart/mixed", "", "all there is"))
      expect(mail).toMatchObject({ text: "all there is", defect: "multipart without parts" })
    }),
  )

  it.effect("multipart without delimiters is text", () =>
    Effect.gen(function* () {
      const mail = yield* parse(raw("Content-Type: multipart/mixed; boundary=zzz", "", "all there is"))
      expect(mail).toMatchObject({ text: "all there is", defect: "multipart without parts" })
    }),
  )

  it.effect("delimiters with trailing spaces are delimiters", () =>
    Effect.gen(function* () {
      const mail = yield* parse(
        raw(
          "Content-Type: multipart/mixed; boundary=b",
          "",
          "--b \t",
          "",
          "one",
          "--b  ",
          "",
          "two",
          "--b-- ",
          "",
        ),
      )
      expect(mail).toMatchObject({ text: "one\ntwo", defect: null })
    }),
  )

  it.effect("delimiters with trailing spaces are delimiters beside others without", () =>
    Effect.gen(function* () {
      const lines = ["--b", "", "one", "--b \t", "", "two", "--b--\t", "epilogue"]
      const mail = yield* parse(raw("Content-Type: multipart/mixed; boundary=b", "", ...lines))
      expect(mail.text).toBe("one\ntwo")
    }),
  )

  it.effect("a boundary that ends with a space needs the space", () =>
    Effect.gen(function* () {
      const lines = ["--b ", "", "one", "--b", "more", "--b ", "", "two", "--b --", ""]
      const mail = yield* parse(raw('Content-Type: multipart/mixed; boundary="b "', "", ...lines))
      expect(mail.text).toBe("one\r\n--b\r\nmore\ntwo".replaceAll("\r", ""))
    }),
  )

  const file = ["Content-Type: application/pdf; name=a.pdf", "Content-Transfer-Encoding: base64", ""]
  const lines =
    Buffer.alloc(3000, 7)
      .toString("base64")
      .match(/.{1,76}/g) ?? []

  it.effect("an inner multipart without a closing delimiter ends at the next delimiter of its parent", () =>
    Effect.gen(function* () {
      const inner = (n: number) => [`Content-Type: multipart/mixed; boundary=i${n}`, "", `--i${n}`]
      const bytes = multipart(
        "mixed",
        [...inner(1), "", "first", "--i1", ...inner(2), "", "second"],
        [...file, ...lines],
        [...inner(3), "", "third", "--i3"],
      )
      const mail = yield* parse(bytes)
      expect(mail).toMatchObject({
        text: "first\nsecond\nthird",
        attachments: [{ filename: "a.pdf", sizeBytes: 3000 }],
        defect: null,
      })
      const [{ content } = { content: null }] = mail.attachments
      expect(content).not.toBeNull()
      if (content !== null && !(content instanceof Uint8Array))
        expect(Buffer.from(bytes.subarray(content.start, content.end)).toString()).toBe(lines.join("\r\n"))
    }),
  )

  it.effect("an inner multipart without delimiters is text", () =>
    Effect.gen(function* () {
      const mail = yield* parse(
        multipart("mixed", ["Content-Type: multipart/mixed; boundary=i", "", "lost?"], [...file, ...lines]),
      )
      expect(mail).toMatchObject({ text: "lost?", attachments: [{ filename: "a.pdf" }] })
    }),
  )

  it.effect("an inner multipart without a boundary is text", () =>
    Effect.gen(function* () {
      const mail = yield* parse(multipart("mixed", ["Content-Type: multipart/mixed", "", "lost?"]))
      expect(mail).toMatchObject({ text: "lost?", attachments: [] })
    }),
  )

  it.effect("an inner multipart with the boundary of its parent has its own end", () =>
    Effect.gen(function* () {
      const inner = ["Content-Type: multipart/alternative; boundary=b", "", "--b", "", "inner", "--b--"]
      const mail = yield* parse(multipart("mixed", inner, [...file, ...lines]))
      expect(mail).toMatchObject({ text: "inner", attachments: [{ filename: "a.pdf" }] })
    }),
  )

  it.effect("a part without an empty line begins with the first line that is no field", () =>
    Effect.gen(function* () {
      const mail = yield* parse(multipart("mixed", ["Content-Type: text/plain", "one,", "two", "", "three"]))
      expect(mail.text).toBe("one,\ntwo\n\nthree")
    }),
  )

  it.effect("a multipart with nothing but an empty text has no text", () =>
    Effect.gen(function* () {
      const mail = yield* parse(multipart("mixed", ["Content-Type: text/plain", "", ""]))
      expect(mail).toMatchObject({ text: null, html: null, attachments: [], defect: null })
    }),
  )

  it.effect("a delimiter without a line end is not part of the text", () =>
    Effect.gen(function* () {
      const mail = yield* parse(
        raw("Content-Type: multipart/mixed; boundary=b", "", "--b", "", "half", "--b"),
      )
      expect(mail.text).toBe("half")
    }),
  )

  it.effect("a part without an end is read to the end", () =>
    Effect.gen(function* () {
      const mail = yield* parse(
        raw("Content-Type: multipart/mixed; boundary=b", "", "--b", "Content-Type: text/plain", "", "half"),
      )
      expect(mail.text).toBe("half")
    }),
  )
})
