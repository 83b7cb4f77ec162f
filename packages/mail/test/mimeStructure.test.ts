/** Which parts a mail has, however badly it is put together (RFC 2046), and what their bytes are (RFC 2045 §6). */
import { multipart, raw, utf8 } from "./support/mails.js"
import { parseMail } from "@mailroom/mail"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

const parse = (mail: Uint8Array) => Effect.promise(() => parseMail(mail))
const type = (name: string) => `Content-Type: ${name}`

/** The body, and name and content of each file. */
const shown = (mail: Uint8Array) =>
  Effect.map(parse(mail), ({ text, html, attachments }) => ({
    text,
    html,
    files: attachments.map(({ filename, bytes }) => [filename, Buffer.from(bytes).toString("latin1")]),
  }))

const mixed = (...lines: ReadonlyArray<string>) => raw(type("multipart/mixed; boundary=outer"), "", ...lines)

describe("boundaries", () => {
  it.effect("an outer one ends every multipart inside, closed or not", () =>
    Effect.gen(function* () {
      const mail = mixed(
        "--outer",
        type("multipart/mixed; boundary=inner"),
        "",
        "--inner",
        type("multipart/alternative; boundary=innermost"),
        "",
        "--innermost",
        "",
        "text",
        "--outer",
        type("application/pdf; name=a.pdf"),
        "",
        "file",
        "--outer--",
      )
      expect(yield* shown(mail)).toEqual({ text: "text", html: null, files: [["a.pdf", "file"]] })
    }),
  )

  it.effect("one that begins another is told from it", () =>
    Effect.gen(function* () {
      const mail = mixed(
        "--outer",
        type("multipart/mixed; boundary=outer2"),
        "",
        "--outer2",
        "",
        "one",
        "--outer2",
        "",
        "two",
        "--outer2--",
        "--outer",
        "",
        "three",
        "--outer--",
      )
      expect((yield* shown(mail)).text).toBe("one\ntwo\nthree")
    }),
  )

  it.effect("one that is used twice belongs to the multipart inside until that is closed", () =>
    Effect.gen(function* () {
      const inner = ["--outer", "", "one", "--outer", "", "two", "--outer--"]
      const mail = mixed(
        "--outer",
        type("multipart/mixed; boundary=outer"),
        "",
        ...inner,
        "--outer",
        "",
        "three",
      )
      expect((yield* shown(mail)).text).toBe("one\ntwo\nthree")
    }),
  )

  it.effect("RFC 2046 §5.1.1: what stands behind one on its line is ignored", () =>
    Effect.gen(function* () {
      const mail = mixed("--outer \t", "", "one", "--outer and more", "", "two", "--outer-- end", "epilogue")
      expect((yield* shown(mail)).text).toBe("one\ntwo")
    }),
  )

  it.effect("preamble and epilogue are not shown", () =>
    Effect.map(shown(mixed("before", "--outer", "", "text", "--outer--", "after")), ({ text }) =>
      expect(text).toBe("text"),
    ),
  )

  it.effect("a part ends where the mail does when the last one is missing", () =>
    Effect.map(shown(mixed("--outer", type("application/pdf; name=a.pdf"), "", "half", "")), ({ files }) =>
      expect(files).toEqual([["a.pdf", "half\r\n"]]),
    ),
  )

  it.effect("RFC 2231: its parameter may come in pieces", () =>
    Effect.gen(function* () {
      const mail = raw(
        type('multipart/mixed; boundary*0="a"; boundary*1="b"'),
        "",
        "--ab",
        "",
        "text",
        "--ab--",
      )
      expect((yield* shown(mail)).text).toBe("text")
    }),
  )
})

describe("parts", () => {
  it.effect("one without a header is text, even if it looks like one", () =>
    Effect.map(shown(mixed("--outer", "Dear all", "Note: read this", "--outer--")), ({ text }) =>
      expect(text).toBe("Dear all\nNote: read this"),
    ),
  )

  it.effect("one without a body is empty", () =>
    Effect.map(shown(mixed("--outer", type("text/plain"), "--outer", "", "text", "--outer--")), ({ text }) =>
      expect(text).toBe("text"),
    ),
  )

  it.effect("a multipart without parts is text, inside another too", () =>
    Effect.map(
      shown(mixed("--outer", type("multipart/related; boundary=no"), "", "all there is", "--outer--")),
      ({ text }) => expect(text).toBe("all there is"),
    ),
  )

  it.effect("RFC 2046 §5.1.5: those of a digest are messages", () =>
    Effect.map(shown(multipart("digest", ["", "Subject: a", "", "b"])), ({ files }) =>
      expect(files).toEqual([["attachment-1.eml", "Subject: a\r\n\r\nb"]]),
    ),
  )

  it.effect("an attached message is one file, decoded if it is encoded", () =>
    Effect.gen(function* () {
      const source =
        "Subject: inside\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--"
      const encoded = Buffer.from(source).toString("base64")
      const mail = mixed(
        "--outer",
        type("message/rfc822"),
        "Content-Transfer-Encoding: base64",
        "",
        encoded,
        "--outer--",
      )
      expect((yield* shown(mail)).files).toEqual([["attachment-1.eml", source]])
    }),
  )

  it.effect("message/partial, message/external-body and both forks of multipart/appledouble are files", () =>
    Effect.gen(function* () {
      for (const partial of ["partial; id=a; number=1", "external-body; access-type=URL; url=x"])
        expect((yield* shown(raw(type(`message/${partial}`), "", "x"))).files).toHaveLength(1)
      const forks = multipart(
        "appledouble",
        [type("application/applefile"), "", "resource"],
        [type("image/gif; name=a.gif"), "", "data"],
      )
      expect((yield* shown(forks)).files.map(([, bytes]) => bytes)).toEqual(["resource", "data"])
    }),
  )

  it.effect("beyond the 500th are not read", () =>
    Effect.gen(function* () {
      const part = [type("application/pdf"), "", "x"]
      const mail = yield* parse(multipart("mixed", ...Array.from({ length: 501 }, () => part)))
      expect(mail.attachments).toHaveLength(500)
      expect(mail.defect).toBe("more than 500 parts")
    }),
  )
})

describe("RFC 8621 §4.1.4: a text is part of the body", () => {
  const text = [type("text/plain"), "", "text"]
  const named = (disposition: string) => [
    type("text/plain; name=notes.txt"),
    `Content-Disposition: ${disposition}`,
    "",
    "notes",
  ]

  for (const [what, mail, files] of [
    ["unless it is an attachment", multipart("mixed", text, named("attachment")), 1],
    ["unless it has a name and comes after another", multipart("mixed", text, named("inline")), 1],
    ["when it is the first, whatever its name", multipart("mixed", named("inline"), text), 0],
    ["when it is only misplaced in a related", multipart("related", text, [type("text/html"), "", "<p>"]), 0],
    [
      "unless the HTML of a related points to it",
      multipart("related", [type("text/html"), "", "<p>"], [type("text/html"), "Content-ID: <f>", "", "<i>"]),
      1,
    ],
  ] as const)
    it.effect(what, () =>
      Effect.map(shown(mail), (found) => expect(found.files.map(([, bytes]) => bytes)).toHaveLength(files)),
    )
})

describe("transfer encodings", () => {
  const file = (encoding: string, ...content: ReadonlyArray<string>) =>
    Effect.map(
      shown(raw(type("application/x-data"), `Content-Transfer-Encoding: ${encoding}`, "", ...content)),
      ({ files: [found] }) => found?.[1],
    )

  for (const [what, encoding, content, bytes] of [
    ["base64", "base64", "Y2Fm6Q==", "caf\xe9"],
    ["in capitals with a comment", "BASE64 (of course)", "Y2Fm6Q==", "caf\xe9"],
    ["with spaces and foreign characters", "base64", "Y2*Fm\t6!Q==", "caf\xe9"],
    ["without padding", "base64", "Y2Fm6Q", "caf\xe9"],
    ["of two contents in a row", "base64", "YQ==\r\nYg==", "ab"],
    ["with the footer of a list", "base64", "YQ==\r\n_____\r\nlist@example.org", "a"],
    ["quoted-printable", "quoted-printable", "caf=E9=3d", "caf\xe9="],
    ["with lines joined, the last one too", "quoted-printable", "a=\r\nb= \t\r\nc=", "abc"],
    ["without the blanks that lines gained", "quoted-printable", "a  \r\nb\t", "a\r\nb"],
    ["with what is no escape", "quoted-printable", "a=zz=4", "a=zz=4"],
    ["x-uuencode", "x-uuencode", "begin 644 a.txt\r\n#0V%T\r\n`\r\nend", "Cat"],
    ["uuencode of anything else", "x-uuencode", "nothing", "nothing"],
    ["binary", "binary", "\0\xff\n\r", "\0\xff\n\r"],
    ["one that is unknown", "x-unknown", "as it is", "as it is"],
  ] as const)
    it.effect(`${encoding}: ${what}`, () =>
      Effect.map(file(encoding, content), (found) => expect(found).toBe(bytes)),
    )

  it.effect("an inline uuencoded file stays in the text", () =>
    Effect.map(
      shown(raw("Subject: x", "", "see", "begin 644 a.txt", "#0V%T", "`", "end")),
      ({ text, files }) => {
        expect(text).toContain("#0V%T")
        expect(files).toEqual([])
      },
    ),
  )

  it.effect("no bytes of a file are changed for its charset", () =>
    Effect.gen(function* () {
      const mail = multipart("mixed", [
        type("text/csv; charset=iso-8859-1; name=a.csv"),
        "",
        "caf\xe9\n",
        utf8("é"),
      ])
      expect((yield* shown(mail)).files).toEqual([["a.csv", `caf\xe9\n\r\n${utf8("é")}`]])
    }),
  )
})
