/** Files that stay in their mail as lines of base64 (docs/decisions/0049), compared with mailparser's result. */
import { describe, expect, it } from "@effect/vitest"
import { INLINE_MAX_BYTES } from "@mailroom/domain"
import { parseMail } from "@mailroom/mail/parsing/parseMail"
import { Effect, FastCheck } from "effect"
import { simpleParser } from "mailparser"
import { filesOf } from "./support/drafts.js"
import { multipart } from "./support/mails.js"

const linesOf = (bytes: Uint8Array, width: number): ReadonlyArray<string> =>
  Buffer.from(bytes)
    .toString("base64")
    .match(new RegExp(`.{1,${width}}`, "g")) ?? []

const header = ["Content-Type: application/x-test; name=a.bin", "Content-Transfer-Encoding: base64", ""]

const mailWith = (...lines: ReadonlyArray<string>): Uint8Array =>
  multipart("mixed", ["", "see"], [...header, ...lines], [...header, ...linesOf(Buffer.from("behind"), 76)])

const read = (raw: Uint8Array) =>
  Effect.map(
    Effect.promise(() => parseMail(raw)),
    (mail) => ({ mail, files: filesOf(raw, mail).map(({ bytes }) => Buffer.from(bytes)) }),
  )

const byMailparser = (raw: Uint8Array) =>
  Effect.map(
    Effect.promise(() => simpleParser(Buffer.from(raw))),
    ({ attachments }) => attachments.map(({ content }) => content),
  )

const largeFile = FastCheck.uint8Array({ minLength: 2000, maxLength: 6000 })

describe("a file in plain lines of base64", () => {
  it.effect("stays in its mail, and its bytes are read from there", () =>
    Effect.gen(function* () {
      const bytes = Uint8Array.from({ length: 5000 }, (_, index) => (index * 31) & 0xff)
      const raw = mailWith(...linesOf(bytes, 76))
      const { mail, files } = yield* read(raw)
      expect(mail.attachments[0]).toMatchObject({
        filename: "a.bin",
        contentType: "application/x-test",
        sizeBytes: 5000,
        content: { start: expect.any(Number), end: expect.any(Number) },
      })
      expect(mail.text).toBe("see")
      expect(files).toEqual([Buffer.from(bytes), Buffer.from("behind")])
    }),
  )

  it.effect("stays in it whatever its size, and its type is that of its first bytes", () =>
    Effect.gen(function* () {
      const bytes = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(3 * INLINE_MAX_BYTES, 7)])
      const { mail, files } = yield* read(mailWith(...linesOf(bytes, 76)))
      expect(mail.attachments[0]).toMatchObject({
        sizeBytes: bytes.length,
        content: { start: expect.any(Number), end: expect.any(Number) },
      })
      expect(files[0]?.equals(bytes)).toBe(true)
      const unnamed = linesOf(bytes, 76)
      const generic = [header[0]?.replace("x-test; name=a.bin", "octet-stream") ?? "", ...header.slice(1)]
      const typed = yield* read(multipart("mixed", ["", "see"], [...generic, ...unnamed]))
      expect(typed.mail.attachments[0]?.contentType).toBe("application/pdf")
    }),
  )

  it.effect.prop(
    "is read as mailparser reads it, whatever the width of its lines",
    [largeFile, FastCheck.constantFrom(4, 60, 64, 72, 75, 76, 1000, 1004, 10_000)],
    ([bytes, width]) =>
      Effect.gen(function* () {
        const raw = mailWith(...linesOf(bytes, width))
        const { files } = yield* read(raw)
        expect(files).toEqual(yield* byMailparser(raw))
        expect(files[0]).toEqual(Buffer.from(bytes))
      }),
    { fastCheck: { numRuns: 40, seed: 1, endOnFailure: true } },
  )
})

describe("irregular base64", () => {
  it.effect.prop(
    "is read as mailparser reads it",
    [
      largeFile,
      FastCheck.array(
        FastCheck.record({
          at: FastCheck.nat(5000),
          remove: FastCheck.nat(2),
          insert: FastCheck.constantFrom(
            "",
            "=",
            "-",
            "_",
            " ",
            "\r\n",
            "\n",
            "==",
            "!",
            "\xc1",
            "A",
            "QUJD",
          ),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    ],
    ([bytes, changes]) =>
      Effect.gen(function* () {
        const text = changes.reduce(
          (lines, { at, remove, insert }) => lines.slice(0, at) + insert + lines.slice(at + remove),
          linesOf(bytes, 76).join("\r\n"),
        )
        const raw = mailWith(text)
        expect((yield* read(raw)).files).toEqual(yield* byMailparser(raw))
      }),
    { fastCheck: { numRuns: 60, seed: 1, endOnFailure: true } },
  )

  for (const [what, lines] of [
    ["text", ["Content-Type: text/csv; name=a.csv", "Content-Transfer-Encoding: base64", ""]],
    ["a file without an encoding", ["Content-Type: application/pdf; name=a.pdf", ""]],
  ] as const)
    it.effect(`${what} is left to mailparser`, () =>
      Effect.gen(function* () {
        const raw = multipart("mixed", ["", "see"], [...lines, ...linesOf(Buffer.alloc(3000, 65), 76)])
        const { mail, files } = yield* read(raw)
        expect(mail.attachments[0]?.content).toBeInstanceOf(Uint8Array)
        expect(files).toEqual(yield* byMailparser(raw))
      }),
    )

  it.effect("a file in an attached mail comes with that mail", () =>
    Effect.gen(function* () {
      const inner = Buffer.from(mailWith(...linesOf(Buffer.alloc(3000, 7), 76)))
        .toString("latin1")
        .replaceAll("--b", "--inner")
        .replace('boundary="b"', 'boundary="inner"')
      const raw = multipart("mixed", ["", "see"], ["Content-Type: message/rfc822", "", inner])
      const { mail, files } = yield* read(raw)
      expect(mail.attachments.map(({ contentType }) => contentType)).toEqual(["message/rfc822"])
      expect(files[0]?.toString("latin1")).toContain(inner.trim())
    }),
  )
})
