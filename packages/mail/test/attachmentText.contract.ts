/** Contract of `AttachmentText`: what it reads of each kind of file, and how it refuses hostile ones. */
import { AttachmentText } from "@mailroom/engine"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { deflateSync } from "node:zlib"
import {
  openDocument,
  pdf,
  pdfOfPages,
  pdfWithContent,
  presentation,
  sheetOf,
  shiftJisFont,
  word,
  wordOf,
  workbook,
  workbookOf,
  zip,
} from "./support/documents.js"

const octets = "application/octet-stream"

const read = (bytes: Uint8Array | string, filename = "file", contentType = octets) =>
  Effect.flatMap(AttachmentText, (reader) =>
    reader.read({ filename, contentType, bytes: typeof bytes === "string" ? Buffer.from(bytes) : bytes }),
  )

const textOf = (bytes: Uint8Array | string, filename?: string, contentType?: string) =>
  Effect.map(read(bytes, filename, contentType), ({ kind, text }) => ({ kind, text }))

const refusal = (bytes: Uint8Array | string, filename?: string, contentType?: string) =>
  Effect.map(Effect.flip(read(bytes, filename, contentType)), (error) =>
    error._tag === "NoText" ? (error.isEmpty ? "empty" : "no text") : error.reason,
  )

const written = (make: () => Promise<Uint8Array>) => Effect.promise(make)

export const attachmentTextContract = (name: string, reader: Layer.Layer<AttachmentText>) =>
  describe(`${name}: text inside files`, () => {
    layer(reader)((it) => {
      it.effect("reads a PDF page by page, whatever its name and type", () =>
        Effect.gen(function* () {
          const file = yield* written(() => pdf(["First page", "Second page"]))
          expect(yield* textOf(file, "photo.jpg", "image/jpeg")).toEqual({
            kind: "pdf",
            text: "First page\n\nSecond page",
          })
        }),
      )

      it.effect("reads a PDF in an encoding of Japan", () =>
        Effect.gen(function* () {
          const content = "BT /F1 24 Tf 72 720 Td <93fa967b8cea> Tj ET"
          expect(yield* textOf(pdfWithContent(content, "", shiftJisFont))).toEqual({
            kind: "pdf",
            text: "日本語",
          })
        }),
      )

      it.effect("reads Word: paragraphs and rows of tables", () =>
        Effect.gen(function* () {
          expect(yield* textOf(yield* written(word))).toEqual({
            kind: "word",
            text: "Dear Ada, hello\nZweiter Absatz: Äpfel & Birnen <3\nItem \tPrice",
          })
        }),
      )

      it.effect("reads Excel: sheets, rows, dates and truth values", () =>
        Effect.gen(function* () {
          expect(yield* textOf(yield* written(workbook))).toEqual({
            kind: "excel",
            text: "Invoices\nItem\tDue\tPaid\tPrice\nApples\t2026-03-10\tTRUE\t12.5",
          })
        }),
      )

      it.effect("reads a cell of Excel in one line, in linear time for one of 900,000 spaces", () =>
        Effect.gen(function* () {
          const lines = yield* textOf(yield* written(workbookOf("one \r\n\n two  three")))
          expect(lines.text).toBe("Cell\none two  three")
          const spaced = yield* textOf(yield* written(workbookOf(`a${" ".repeat(900_000)}b`)))
          expect(spaced.text).toMatch(/^Cell\na {100,}/)
        }),
      )

      it.effect(
        "reads a sheet in linear time, whose 50,000 cells show one string of 1,900,000 line ends",
        () =>
          Effect.gen(function* () {
            const row = '<row><c t="s"><v>0</v></c><c><v>7</v></c></row>'
            const { text } = yield* textOf(sheetOf(row.repeat(50_000), `a${"\n".repeat(1_900_000)}b`))
            expect(text.slice(0, 14)).toBe("One\na b\t7\na b\t")
            expect(text.split("\n")).toHaveLength(50_001)
          }),
      )

      it.effect("reads PowerPoint: slides in their order, with notes", () =>
        Effect.gen(function* () {
          const { kind, text } = yield* textOf(yield* written(presentation))
          expect(kind).toBe("powerpoint")
          expect(text.replace(/\n+\d+\n/g, "\n")).toMatch(
            /^Quarterly results\n[^]*Say hello first\n[^]*Second slide/,
          )
        }),
      )

      it.effect("reads OpenDocument: text, sheets and slides", () =>
        Effect.gen(function* () {
          const text = openDocument(
            "text",
            '<office:text><text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h>Title</text:h><text:p>a<text:s text:c="2"/>b<text:tab/>c</text:p></office:text>',
          )
          expect(yield* textOf(text)).toEqual({ kind: "opendocument", text: "Title\na  b\tc" })
          const cell = (content: string) => `<table:table-cell><text:p>${content}</text:p></table:table-cell>`
          const row = `<table:table-row>${cell("Apples")}${cell("12.50")}</table:table-row>`
          const sheet = openDocument("spreadsheet", `<table:table table:name="One">${row}</table:table>`)
          expect(yield* textOf(sheet)).toEqual({ kind: "opendocument", text: "One\nApples \t12.50" })
          const slides = openDocument(
            "presentation",
            "<draw:page><text:p>One</text:p></draw:page><draw:page><text:p>Two</text:p></draw:page>",
          )
          expect(yield* textOf(slides)).toEqual({ kind: "opendocument", text: "One\n\nTwo" })
        }),
      )

      it.effect("reads RTF: code pages, Unicode, hidden groups", () =>
        Effect.gen(function* () {
          const rtf =
            "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}{\\*\\generator X;}\\pard Caf\\'e9 \\u8364?5\\par{\\b bold}\\tab x\\par}"
          expect(yield* textOf(rtf)).toEqual({ kind: "rtf", text: "Café €5\nbold\tx" })
        }),
      )

      it.effect("reads texts in any charset, by type and name", () =>
        Effect.gen(function* () {
          expect(yield* textOf("a;b\r\nc;d", "list.csv")).toEqual({ kind: "csv", text: "a;b\nc;d" })
          expect(yield* textOf('{"a":1}', "x", "application/json")).toEqual({ kind: "json", text: '{"a":1}' })
          expect(yield* textOf(Buffer.from("caf\xe9", "latin1"), "a.txt")).toEqual({
            kind: "text",
            text: "café",
          })
          expect(yield* textOf(Buffer.from("\ufeffhé", "utf16le"))).toEqual({ kind: "text", text: "hé" })
          const html = "<!doctype html><style>p{}</style><p>One<p>Two &amp; three"
          expect(yield* textOf(html, "a.txt", "text/plain")).toEqual({
            kind: "html",
            text: "One\n\nTwo & three",
          })
          const calendar = "BEGIN:VCALENDAR\r\nSUMMARY:Long\r\n  line\r\nEND:VCALENDAR\r\n"
          expect(yield* textOf(calendar)).toMatchObject({
            kind: "calendar",
            text: "BEGIN:VCALENDAR\nSUMMARY:Long line\nEND:VCALENDAR\n",
          })
        }),
      )

      it.effect("reads nested mail: header, text, names of files", () =>
        Effect.gen(function* () {
          const mail =
            "From: Ada <ada@acme.dev>\r\nTo: bob@acme.dev\r\nSubject: Hello\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" +
            "--b\r\n\r\nHi Bob\r\n--b\r\nContent-Type: image/png; name=a.png\r\nContent-Disposition: attachment\r\n\r\nx\r\n--b--\r\n"
          expect(yield* textOf(mail, "forwarded.eml", "message/rfc822")).toEqual({
            kind: "mail",
            text: "From: Ada <ada@acme.dev>\nTo: bob@acme.dev\nSubject: Hello\n\nHi Bob\n\n[a.png]",
          })
        }),
      )

      it.effect("keeps 2,000,000 characters, and says that there are more", () =>
        Effect.gen(function* () {
          const { text, truncated } = yield* read("é".repeat(5_000_000), "a.txt")
          expect([text.length, truncated]).toEqual([2_000_000, true])
        }),
      )

      it.effect("refuses files without text, and empty ones", () =>
        Effect.gen(function* () {
          expect(yield* refusal("", "a.pdf", "application/pdf")).toBe("empty")
          expect(yield* refusal(Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"), "a.png")).toBe(
            "no text",
          )
          expect(yield* refusal(zip({ "a.txt": "hello" }), "a.zip")).toBe("no text")
          expect(yield* refusal(Buffer.from("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "latin1"), "a.doc")).toBe(
            "no text",
          )
        }),
      )

      it.effect("says that a file is encrypted", () =>
        Effect.gen(function* () {
          expect(yield* refusal(yield* written(() => pdf(["Secret"], "password")))).toBe("encrypted")
          const ole = Buffer.concat([
            Buffer.from("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "latin1"),
            Buffer.from("EncryptedPackage", "utf16le"),
          ])
          expect(yield* refusal(ole, "a.docx")).toBe("encrypted")
          const open = openDocument("text", "", "<manifest:encryption-data/>")
          expect(yield* refusal(open)).toBe("encrypted")
        }),
      )

      it.effect("says that a file is damaged: truncated, or not what its name says", () =>
        Effect.gen(function* () {
          const file = yield* written(word)
          expect(yield* refusal(file.subarray(0, file.length / 2), "a.docx")).toBe("damaged")
          expect(yield* refusal("%PDF-1.7\nnothing")).toBe("damaged")
          expect(yield* refusal(Buffer.from([0, 1, 2, 3]), "a.pdf")).toBe("damaged")
          expect(yield* refusal(zip({ "a.txt": "x" }), "a.docx")).toBe("damaged")
        }),
      )

      it.effect("refuses archives that inflate to too much", () =>
        Effect.gen(function* () {
          const zeros = new Uint8Array(70 * 1024 * 1024)
          const flat = wordOf(zeros)
          expect(flat.length).toBeLessThan(200_000)
          expect(yield* refusal(flat)).toBe("too large")
          // A header that lies about the size: the entry inflates to more than it says.
          const lying = Buffer.from(flat)
          const size = Buffer.alloc(4)
          size.writeUInt32LE(zeros.length)
          const little = Buffer.alloc(4)
          little.writeUInt32LE(100)
          for (let at = lying.indexOf(size); at !== -1; at = lying.indexOf(size, at + 4))
            little.copy(lying, at)
          expect(yield* refusal(lying)).toBe("damaged")
          // An archive in an archive is no document.
          expect(yield* refusal(zip({ "a.zip": zip({ "b.zip": flat }) }))).toBe("no text")
        }),
      )

      it.effect("refuses a PDF of 100,000 pages", () =>
        Effect.gen(function* () {
          expect(yield* refusal(pdfOfPages(100_000))).toBe("too large")
        }),
      )

      it.effect("expands no entities, and reads a million open elements", () =>
        Effect.gen(function* () {
          const entities = Array.from({ length: 20 }, (_, index) => {
            const inner = `&e${index - 1};`.repeat(10)
            return `<!ENTITY e${index} "${index === 0 ? "ha" : inner}">`
          })
          const bomb = `<!DOCTYPE d [${entities.join("")}]><w:p><w:t>a&e19;b</w:t></w:p>`
          const { text } = yield* textOf(wordOf(bomb))
          expect(text.length).toBeLessThan(20)
          expect(yield* textOf(wordOf(`${"<w:p>".repeat(1_000_000)}<w:t>deep</w:t>`))).toMatchObject({
            text: "deep",
          })
          const rtf = `{\\rtf1 ${"{".repeat(1_000_000)}deep`
          expect(yield* textOf(rtf)).toEqual({ kind: "rtf", text: "deep" })
        }),
      )
    })
  })

/** A PDF whose page content inflates to so many bytes. */
export const inflatingPdf = (bytes: number): Uint8Array =>
  pdfWithContent(deflateSync(Buffer.alloc(bytes, " ")).toString("latin1"), "/Filter /FlateDecode")
