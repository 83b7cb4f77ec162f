/** Other parsers read our mails the same: mailparser, and Python's email package. */
import { safeFilename } from "@mailroom/domain"
import { NodemailerComposer } from "@mailroom/mail"
import { parseMail } from "@mailroom/mail/parsing/parseMail"
import type { MailDraft } from "@mailroom/engine"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { beforeAll } from "vitest"
import { aFile, compose, filesOf } from "./support/drafts.js"

const named = (...filenames: ReadonlyArray<string>): Partial<MailDraft> => ({
  attachments: filenames.map((filename) =>
    aFile({ filename, bytes: Buffer.from("x\r\ny\n\0\u00ff", "latin1") }),
  ),
})

const from = (name: string): Partial<MailDraft> => ({ from: { address: "agent@mailroom.test", name } })

const drafts: Readonly<Record<string, Partial<MailDraft>>> = {
  "a subject of 998 characters": { subject: "x".repeat(998) },
  "a subject of 998 characters with emoji": {
    subject: `${"\u00e9".repeat(500)}${"\u{1f600}".repeat(200)}${"y ".repeat(48)}yy`,
  },
  "a long subject in words": { subject: "Gr\u00fc\u00dfe \u{1f600}, and so on: ".repeat(30).trim() },
  "a subject with runs of spaces": { subject: "a  b   c" },
  "a subject that looks like an encoded word": { subject: "=?utf-8?q?x?=" },
  "a name with quotes, commas and brackets": from('O\'Neil, "Q" <x@y>; (z) \\ back'),
  "a name beyond ASCII, with all of these": from('M\u00fcller, "the" <x@y>; (z)'),
  "a long name in Japanese": from("\u65e5\u672c\u8a9e\u306e\u540d\u524d".repeat(10)),
  "a name of 200 characters": from(`${"x".repeat(150)} ${"y".repeat(49)}`),
  "file names in Japanese and emoji": named(
    "\u65e5\u672c\u8a9e\u306e\u30d5\u30a1\u30a4\u30eb.pdf",
    "\u{1f600} smile.txt",
  ),
  "very long file names": named(`${"\u00e9".repeat(200)}.pdf`, `${"x".repeat(250)}.pdf`),
  "file names with what a parameter ends at": named('a "b", c; d=1.txt', "50% off's.txt", "two words.txt"),
  "a text with lines above 998": {
    text: `${"x".repeat(3000)}\n${"\u00e9".repeat(2000)}\n${"long ".repeat(400)}end`,
  },
  "a text with dots at line starts": { text: ".\n..\n.dot\nFrom me\n.\nend" },
  "a text with lone CR and LF": { text: "a\rb\nc\r\nd\n\ne" },
  "a text with spaces at line ends": { text: "a  \nb \t\n  \nend " },
  "a text beyond ASCII": { text: "Gr\u00fc\u00dfe, \u65e5\u672c\u8a9e, \u{1f600}" },
  "a text that looks encoded": { text: "=3D =?utf-8?q?x?= =\n--b\nContent-Type: text/html" },
  "a text with an end of line at its end": { text: "end\r\n" },
  "HTML beyond ASCII in long lines": {
    html: `<p>${"Gr\u00fc\u00dfe ".repeat(300)}</p>\n<pre>  x  \n.y</pre>`,
  },
}

/** Lone CRs count as line ends. MIME does not keep whether the last line ends. */
const lines = (text: string | null) => text?.replace(/\r\n?/g, "\n").replace(/\n*$/, "") ?? null

const expected = (changes: Partial<MailDraft>) => ({
  subject: changes.subject ?? "Hello",
  name: changes.from?.name ?? "Agent",
  text: lines(changes.text ?? "Hello, Ada."),
  html: lines(changes.html ?? null),
  files: (changes.attachments ?? []).map(({ filename, bytes }) => [
    safeFilename(filename, ""),
    Buffer.from(bytes).toString("base64"),
  ]),
})

const composed = (changes: Partial<MailDraft>) =>
  Effect.runPromise(Effect.provide(compose(changes), NodemailerComposer.layer))

describe("mailparser reads back", () => {
  for (const [what, changes] of Object.entries(drafts))
    it(what, async () => {
      const raw = await composed(changes)
      const mail = await parseMail(raw)
      expect({
        subject: mail.subject,
        name: mail.from?.name,
        text: lines(mail.text),
        html: lines(mail.html),
        files: filesOf(raw, mail).map(({ bytes, filename }) => [
          filename,
          Buffer.from(bytes).toString("base64"),
        ]),
      }).toEqual(expected(changes))
    })
})

const Read = Schema.parseJson(
  Schema.Array(
    Schema.Struct({
      subject: Schema.String,
      name: Schema.String,
      text: Schema.NullOr(Schema.String),
      html: Schema.NullOr(Schema.String),
      files: Schema.Array(
        Schema.Struct({ disposition: Schema.String, type: Schema.String, bytes: Schema.String }),
      ),
      defects: Schema.Array(Schema.String),
    }),
  ),
)

const hasPython = spawnSync("python3", ["--version"]).status === 0

describe.skipIf(!hasPython)("Python's email package reads back", () => {
  const read = new Map<string, (typeof Read.Type)[number]>()

  beforeAll(async () => {
    const raws = await Promise.all(Object.values(drafts).map(composed))
    const { stdout } = spawnSync(
      "python3",
      [fileURLToPath(new URL("support/readBack.py", import.meta.url))],
      {
        input: JSON.stringify(raws.map((raw) => Buffer.from(raw).toString("base64"))),
        maxBuffer: 64 * 1024 * 1024,
        encoding: "utf8",
      },
    )
    const mails = Schema.decodeSync(Read)(stdout)
    for (const [index, what] of Object.keys(drafts).entries()) {
      const mail = mails[index]
      if (mail !== undefined) read.set(what, mail)
    }
  })

  for (const [what, changes] of Object.entries(drafts))
    it(what, () => {
      const mail = read.get(what)
      expect(mail?.defects).toEqual([])
      expect({
        subject: mail?.subject,
        name: mail?.name,
        text: lines(mail?.text ?? null),
        html: lines(mail?.html ?? null),
        files: mail?.files.map(({ bytes, disposition }) => [disposition, bytes]),
      }).toEqual(expected(changes))
      // Some readers know only the parameter `name`, and some of these only with encoded words.
      expect(mail?.files.map(({ type }) => type)).toEqual(
        changes.attachments?.map(({ filename }) => safeFilename(filename, "")) ?? [],
      )
    })
})
