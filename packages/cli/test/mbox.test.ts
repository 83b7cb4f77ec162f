/** How mails are found in mbox files. */
import { expect, it } from "vitest"
import { mboxEntry } from "../src/exporting.js"
import { type MboxFormat, MboxSplitter } from "../src/importing/Mbox.js"
import { withCrlf } from "../src/importing/sources.js"

const MOST = 200_000
const FROM = "From ada@example.org Fri Jan  5 10:00:00 2018"

/** The mails of a file that comes in chunks of this size. */
const split = (text: string, chunk = text.length, format: MboxFormat = "mboxrd") => {
  const splitter = new MboxSplitter(format, MOST)
  const bytes = Buffer.from(text, "latin1")
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, index) =>
    bytes.subarray(index * chunk, (index + 1) * chunk),
  )
  return [...chunks.flatMap((one) => splitter.push(one)), ...splitter.end()]
}

const texts = (mails: ReturnType<typeof split>) => mails.map(({ raw }) => raw?.toString("latin1") ?? null)

it("mails are found with LF and with CRLF, however the file is cut, at offsets that a later run begins at", () => {
  const one = "Subject: One\r\n\r\nHello\r\n\r\nFrom here on,\r\n>From there\r\n"
  const two = "Subject: Two\r\n\r\nEnd"
  const file = `junk\n${FROM}\n${one.replace(">From", ">>From")}\r\n${FROM}\r\n${two}`
  for (const text of [file, file.replaceAll("\r\n", "\n")])
    for (const size of [1, 2, 3, 7, text.length]) {
      const mails = split(`\n${text}`.slice(1), size)
      expect(texts(mails)).toEqual([one, two].slice(mails.length - 2))
    }
  const mails = split(file.slice(5))
  expect(texts(mails)).toEqual([one, two])
  const start = mails[1]?.start ?? 0
  const later = new MboxSplitter("mboxrd", MOST, start)
  later.push(Buffer.from(file.slice(5 + start), "latin1"))
  expect(later.end()).toEqual([mails[1]])
})

it("in mboxo, only a single > before From was added", () => {
  const file = `${FROM}\n\n>From a\n>>From b\n> From c\n`
  expect(texts(split(file))).toEqual(["\r\nFrom a\r\n>From b\r\n> From c\r\n"])
  expect(texts(split(file, 5, "mboxo"))).toEqual(["\r\nFrom a\r\n>>From b\r\n> From c\r\n"])
})

it("a mail that is too large is passed over, with one line or many, and the next one is found", () => {
  const next = `\n\n${FROM}\nB: c\n`
  for (const body of ["x".repeat(MOST), "x\n".repeat(MOST / 2)]) {
    const mails = split(`${FROM}\nA: b\n\n${body}${next}`, 1000)
    expect(texts(mails)).toEqual([null, "B: c\r\n"])
  }
  const fits = "x".repeat(MOST - 2)
  expect(texts(split(`${FROM}\n${fits}\n\n`, 1000))).toEqual([`${fits}\r\n`])
  expect(texts(split(`${FROM}\n${fits}x\n\n`, 1000))).toEqual([null])
})

it("an exported mail is the same again", () => {
  const raw = "Subject: x\r\n\r\nFrom a 10:00\r\n\r\nFrom b 10:00 2020\r\n>From c\r\n\r\n\r\n"
  const message = { id: "1", fromAddress: "a@b.c", createdAt: "2026-11-03T09:15:56Z", isRead: true }
  const entry = mboxEntry({ ...message, raw: Buffer.from(raw) }).toString("latin1")
  expect(texts(split(entry + entry, 11))).toEqual([raw, raw])
})

it("a file of a Maildir gets CRLF, unless it has it", () => {
  const [lf, crlf, mixed] = ["a\nb\n", "a\r\nb\r\n", "a\r\nb\nc"].map((text) => Buffer.from(text))
  expect([lf, crlf, mixed].map((raw) => withCrlf(raw ?? Buffer.alloc(0)).toString())).toEqual([
    "a\r\nb\r\n",
    "a\r\nb\r\n",
    "a\r\nb\nc",
  ])
})
