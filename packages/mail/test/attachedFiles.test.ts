/** The file name, type and Content-ID of an attachment. */
import { filesOf } from "./support/drafts.js"
import { multipart, utf8 } from "./support/mails.js"
import { parseMail } from "@mailroom/mail/parsing/parseMail"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

/** The one file of a mail, `content` as Latin-1. */
const file = (header: ReadonlyArray<string>, content = "bytes") =>
  Effect.gen(function* () {
    const part = [
      ...header,
      "Content-Transfer-Encoding: base64",
      "",
      Buffer.from(content, "latin1").toString("base64"),
    ]
    const raw = multipart("mixed", ["", "see"], part)
    const mail = yield* Effect.promise(() => parseMail(raw))
    expect(mail.text).toBe("see")
    expect(filesOf(raw, mail).map(({ bytes }) => Buffer.from(bytes).toString("latin1"))).toEqual([content])
    return mail.attachments[0]
  })

const typed = (type: string, content: string, filename?: string) => {
  const name = filename === undefined ? "" : `; filename=${filename}`
  return file(
    [...(type === "" ? [] : [`Content-Type: ${type}`]), `Content-Disposition: attachment${name}`],
    content,
  )
}

describe("file names", () => {
  for (const [what, parameters, filename] of [
    ["quoted, with quotes in it", '; filename="a \\"b\\".pdf"', "a _b_.pdf"],
    ["not quoted, with spaces", "; filename=my new file.pdf", "my new file.pdf"],
    ["without the closing quote", '; filename="a.pdf', "a.pdf"],
    [
      "RFC 2231 in pieces, a character across two",
      "; filename*0*=utf-8''r%C3; filename*1*=%A9.pdf",
      "ré.pdf",
    ],
    ["RFC 2231 in pieces, out of order", '; filename*1="b.pdf"; filename*0="a"', "ab.pdf"],
    ["RFC 2231 wins over the plain one", `; filename="r.pdf"; filename*=utf-8''r%C3%A9.pdf`, "ré.pdf"],
    ["RFC 2231 in KOI8-R", "; filename*=koi8-r'ru'%D0.txt", "п.txt"],
    ["RFC 2231 without its asterisk", `; filename="utf-8''r%C3%A9.pdf"`, "ré.pdf"],
    ["RFC 2047, quoted", '; filename="=?utf-8?B?csOpLnBkZg==?="', "ré.pdf"],
    ["RFC 2047, not quoted", "; filename==?utf-8?Q?r=C3=A9?= =?utf-8?Q?.pdf?=", "ré.pdf"],
    ["RFC 2047 in pieces of RFC 2231", '; filename*0="=?utf-8?Q?r="; filename*1="C3=A9.pdf?="', "ré.pdf"],
    ["percent-encoded like a URL", "; filename=r%C3%A9%20b.pdf", "ré b.pdf"],
    ["a percent sign", "; filename=100%20.pdf", "100%20.pdf"],
    ["a path hidden in percent signs", "; filename=%C3%A9%2F..%2Fpasswd.txt", "passwd.txt"],
    ["raw UTF-8", `; filename=${utf8("ré.pdf")}`, "ré.pdf"],
    ["raw Windows-1252", "; filename=r\xe9.pdf", "ré.pdf"],
    ["the direction turned", `; filename="${utf8("a\u202efdp.exe")}"`, "afdp.exe"],
    ["empty", '; filename=""', "attachment-1.bin"],
  ] as const)
    it.effect(what, () =>
      Effect.map(
        file(["Content-Type: application/x-data", `Content-Disposition: attachment${parameters}`]),
        (found) => expect(found?.filename).toBe(filename),
      ),
    )

  it.effect("come from the type or from Content-Location when there is no other", () =>
    Effect.gen(function* () {
      expect((yield* file(["Content-Type: application/x-data; name=a.dat"]))?.filename).toBe("a.dat")
      const placed = ["Content-Type: image/gif", "Content-Location: http://example.org/i/logo.gif?v=1"]
      expect((yield* file(placed))?.filename).toBe("logo.gif")
    }),
  )
})

/** A local file of a ZIP archive, stored. */
const zipped = (name: string, content: string) => {
  const header = Buffer.alloc(30)
  header.write("PK\x03\x04", "latin1")
  header.writeUInt32LE(content.length, 18)
  header.writeUInt32LE(content.length, 22)
  header.writeUInt16LE(name.length, 26)
  return `${header.toString("latin1")}${name}${content}`
}

const png = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\0\0\0\0\0\0\0\0IDAT"
const jpeg = "\xff\xd8\xff\xe0\0\x10JFIF\0"
const pdf = "%PDF-1.7\n"
const odt = zipped("mimetype", "application/vnd.oasis.opendocument.text")
const ole = `\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${"\0".repeat(600)}`
const heic = "\0\0\0\x18ftypheic\0\0\0\0mif1heic"
const html = "<!DOCTYPE html><script>alert(1)</script>"
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'
const xml = '<?xml version="1.0"?><a/>'

describe("types", () => {
  for (const [what, declared, content, filename, type] of [
    ["nothing declared: the bytes", "", pdf, undefined, "application/pdf"],
    ["nonsense declared: the bytes", "not a type", png, undefined, "image/png"],
    ["octet-stream: the bytes", "application/octet-stream", jpeg, "a.dat", "image/jpeg"],
    ["octet-stream: the bytes before the name", "application/octet-stream", png, "a.pdf", "image/png"],
    ["octet-stream: HEIC", "application/octet-stream", heic, undefined, "image/heic"],
    [
      "octet-stream: what is in a ZIP",
      "application/octet-stream",
      odt,
      undefined,
      "application/vnd.oasis.opendocument.text",
    ],
    ["octet-stream: OLE by its name", "application/octet-stream", ole, "a.doc", "application/msword"],
    ["octet-stream: RTF", "application/octet-stream", "{\\rtf1 a}", undefined, "application/rtf"],
    [
      "octet-stream: the name where bytes say nothing",
      "application/octet-stream",
      "a,b",
      "a.csv",
      "text/csv",
    ],
    [
      "octet-stream: nothing to go by",
      "application/octet-stream",
      "a,b",
      undefined,
      "application/octet-stream",
    ],
    ["text that is an image", "text/plain", png, "a.txt", "image/png"],
    ["text that is a PDF", "text/html", pdf, undefined, "application/pdf"],
    ["an image that is another", "image/png", jpeg, undefined, "image/jpeg"],
    ["an image by an old name", "image/pjpeg", jpeg, undefined, "image/pjpeg"],
    ["an image that looks like none", "image/png", "a,b", undefined, "image/png"],
    ["a document kept as declared", "application/msword", odt, undefined, "application/msword"],
    ["a type of one's own kept", "application/x-acme", png, undefined, "application/x-acme"],
    ["HTML is not found", "application/octet-stream", html, "a.html", "application/octet-stream"],
    ["HTML is not found in text", "text/plain", html, "a.html", "text/plain"],
    ["SVG is not found", "", svg, "a.svg", "application/octet-stream"],
    ["XML is not found", "application/octet-stream", xml, "a.xml", "application/octet-stream"],
    ["scripts are not found", "application/octet-stream", "alert(1)", "a.js", "application/octet-stream"],
    ["SVG that says so stays", "image/svg+xml", svg, undefined, "image/svg+xml"],
  ] as const)
    it.effect(what, () =>
      Effect.map(typed(declared, content, filename), (found) => expect(found?.contentType).toBe(type)),
    )

  it.effect("a generated name has the extension of the detected type", () =>
    Effect.map(typed("application/octet-stream", pdf), (found) =>
      expect(found?.filename).toBe("attachment-1.pdf"),
    ),
  )
})

describe("invitations", () => {
  const ics = "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nSUMMARY:caf\xe9\r\nEND:VCALENDAR\r\n"

  for (const [what, type, filename, contentType] of [
    ["have their method", "text/calendar; charset=iso-8859-1; method=request", "invite.ics", "REQUEST"],
    ["have the method that the calendar says", "text/calendar", "invite.ics", "REQUEST"],
    ["keep their name", "text/calendar; method=CANCEL; name=meeting.ics", "meeting.ics", "CANCEL"],
    ["have no method that is none", 'text/calendar; method="a b"', "invite.ics", "REQUEST"],
  ] as const)
    it.effect(what, () =>
      Effect.map(file([`Content-Type: ${type}`], ics), (found) =>
        expect(found).toMatchObject({ filename, contentType: `text/calendar; method=${contentType}` }),
      ),
    )

  it.effect("are attachments also within multipart/alternative", () =>
    Effect.gen(function* () {
      const mail = multipart(
        "alternative",
        ["Content-Type: text/plain", "", "see"],
        ["Content-Type: text/calendar; method=REPLY", "", ics],
      )
      const { text, attachments } = yield* Effect.promise(() => parseMail(mail))
      expect(text).toBe("see")
      expect(attachments.map(({ filename, contentType }) => [filename, contentType])).toEqual([
        ["invite.ics", "text/calendar; method=REPLY"],
      ])
    }),
  )
})

describe("Content-ID (RFC 2392)", () => {
  for (const [written, contentId] of [
    ["<Logo@X.example>", "Logo@X.example"],
    ["logo@x", "logo@x"],
    [" < logo@x > (the logo)", "logo@x"],
    ["<a%40b>", "a@b"],
    ["<100%>", "100%"],
    ["<>", null],
  ] as const)
    it.effect(`${written} is ${contentId}`, () =>
      Effect.map(file(["Content-Type: image/png", `Content-ID: ${written}`], png), (found) =>
        expect(found?.contentId).toBe(contentId),
      ),
    )
})
