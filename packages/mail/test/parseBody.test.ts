import { multipart, raw, utf8 } from "./support/mails.js"
import { bytesOf } from "@mailroom/domain"
import { parseMail } from "@mailroom/mail/parsing/parseMail"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

const parse = (mail: Uint8Array) => Effect.promise(() => parseMail(mail))

describe("texts", () => {
  it.effect("text and HTML of an alternative, neither made from the other", () =>
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
  ] as const)
    it.effect(`in ${charset}`, () =>
      Effect.map(parse(raw(`Content-Type: text/plain; charset=${charset}`, "", bytes)), (mail) =>
        expect(mail.text).toBe(text),
      ),
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

  it.effect("8-bit bytes that are no text in their charset are still a string without NUL", () =>
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
    ["absent", "attachment", "attachment-1.pdf"],
  ] as const)
    it.effect(`file name: ${what}`, () =>
      Effect.map(attachment("Content-Type: application/pdf", `Content-Disposition: ${header}`), (found) =>
        expect(found).toMatchObject({ filename, contentType: "application/pdf", contentId: null }),
      ),
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

  it.effect("a type that is none is application/octet-stream", () =>
    Effect.map(attachment("Content-Type: not a type", "Content-Disposition: attachment"), (found) =>
      expect(found?.contentType).toBe("application/octet-stream"),
    ),
  )

  it.effect("bytes come back as they were", () =>
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

describe("a malformed body", () => {
  it.effect("multipart without a boundary is text", () =>
    Effect.gen(function* () {
      const mail = yield* parse(raw("Content-Type: multipart/mixed", "", "all there is"))
      expect(mail).toMatchObject({ text: "all there is", defect: "multipart without parts" })
    }),
  )

  it.effect("multipart whose boundary never comes is text", () =>
    Effect.gen(function* () {
      const mail = yield* parse(raw("Content-Type: multipart/mixed; boundary=zzz", "", "all there is"))
      expect(mail).toMatchObject({ text: "all there is", defect: "multipart without parts" })
    }),
  )

  it.effect("boundary lines padded with spaces are boundaries", () =>
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

  it.effect("a part without an end is read to the end", () =>
    Effect.gen(function* () {
      const mail = yield* parse(
        raw("Content-Type: multipart/mixed; boundary=b", "", "--b", "Content-Type: text/plain", "", "half"),
      )
      expect(mail.text).toBe("half")
    }),
  )
})
