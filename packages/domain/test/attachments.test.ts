import { keepAttachments, safeFilename, viewAttachment } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { accountId, attachmentId, drawn, mailboxId, signedUp } from "./support/records.js"

const MB = 1_048_576
const small = (n: number) => Array.from({ length: n }, (_, i) => ({ name: `a${i}`, sizeBytes: i }))
const big = { name: "big", sizeBytes: 25 * MB + 1 }

describe("inbound attachments", () => {
  it("events.rule-4-none: up to 20 of up to 25 MB are all kept", () => {
    const mail = [...small(19), { name: "largest", sizeBytes: 25 * MB }]
    const { kept, dropped } = keepAttachments(mail)
    expect(kept.map((attachment) => attachment.name)).toEqual(mail.map((attachment) => attachment.name))
    expect(dropped).toBeNull()
    expect(keepAttachments([])).toEqual({ kept: [], dropped: null })
  })

  it("events.rule-4-size: one above 25 MB is dropped for its size", () => {
    const { kept, dropped } = keepAttachments([big, ...small(2)])
    expect(kept.map((attachment) => attachment.name)).toEqual(["a0", "a1"])
    expect(dropped).toBe("size")
  })

  it("events.rule-4-count: those beyond the 20th are dropped for their count", () => {
    const { kept, dropped } = keepAttachments(small(23))
    expect(kept.map((attachment) => attachment.name)).toEqual(small(20).map((attachment) => attachment.name))
    expect(dropped).toBe("count")
  })

  it("events.rule-4-both: size and count together are `both`", () => {
    const { kept, dropped } = keepAttachments([big, ...small(21)])
    expect(kept).toHaveLength(20)
    expect(dropped).toBe("both")
  })

  it("decisions.attachment.fields: an attachment is shown without where its bytes are", () => {
    const shown = viewAttachment({
      id: attachmentId,
      accountId,
      mailboxId,
      messageId: null,
      draftId: null,
      filename: "a.png",
      contentType: "image/png",
      sizeBytes: 7,
      contentId: "logo@acme",
      blobKey: "secret/place",
      createdAt: signedUp,
    })
    expect(shown).toEqual({
      id: attachmentId,
      messageId: null,
      filename: "a.png",
      contentType: "image/png",
      sizeBytes: 7,
      contentId: "logo@acme",
      createdAt: "2026-03-01T09:30:00.000Z",
    })
  })
})

const nastyCharacters = Array.from(
  "abZ09 .-_/\\:\"'%;*?|<>\u0000\u0007\r\n\t\u007f\u0085\u00ad\u200b\u200e\u202e\u2028\u2066\ufeffe\u0301é用😀\ud83d \ude00",
)
const nastyName = FastCheck.string({ unit: FastCheck.constantFrom(...nastyCharacters), maxLength: 400 })
const anyName = FastCheck.oneof(
  nastyName,
  FastCheck.string({ unit: "binary", maxLength: 300 }),
  FastCheck.constantFrom("con", "NUL.", "aux.tar.gz", "com1.txt"),
)
const bytesOf = (name: string) => Buffer.byteLength(name)

describe("file names from outside", () => {
  it.prop(
    "have no folder, nothing invisible, nothing that Windows reserves, and at most 255 bytes",
    [anyName],
    ([name]) => {
      const safe = safeFilename(name, "attachment.bin")
      expect(safe).not.toBe("")
      expect(safe).not.toMatch(/[/\\<>:"|?*]|^[.\s]|[.\s]$|^(?:con|nul|aux|com1)(?:\.|$)/i)
      expect(safe).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/u)
      expect(safe).toBe(safe.normalize("NFC"))
      expect(bytesOf(safe)).toBeLessThanOrEqual(255)
    },
    { fastCheck: { ...drawn.fastCheck, numRuns: 2000 } },
  )

  it.prop(
    "keep their extension, however long they are",
    [
      FastCheck.string({ unit: FastCheck.constantFrom(...Array.from("abcü用-_")), maxLength: 400 }),
      FastCheck.constantFrom(".pdf", ".jpeg", ".tar.gz", ".x", ".markdown"),
    ],
    ([stem, extension]) => {
      const name = `x${stem}${extension}`
      const safe = safeFilename(name, "attachment.bin")
      expect(safe.endsWith(extension.slice(extension.lastIndexOf(".")))).toBe(true)
      if (bytesOf(name) <= 255) expect(safe).toBe(name)
      else expect(bytesOf(safe)).toBeGreaterThan(250)
    },
    drawn,
  )

  it("are cut between characters", () => {
    const smiles = "😀".repeat(200)
    expect(safeFilename(`a${smiles}.pdf`, "f")).toBe(`a${"😀".repeat(62)}.pdf`)
    expect(safeFilename(smiles, "f")).toBe("😀".repeat(63))
  })

  it.prop(
    "a safe name stays as it is",
    [anyName],
    ([name]) => {
      const safe = safeFilename(name, "attachment.bin")
      expect(safeFilename(safe, "attachment.bin")).toBe(safe)
    },
    drawn,
  )

  for (const [given, safe] of [
    ["../../etc/passwd", "passwd"],
    ["C:\\Windows\\evil.exe", "evil.exe"],
    ["/etc/passwd", "passwd"],
    ["a/b\\c/d.txt", "d.txt"],
    ["..\n/..\r/x.txt", "x.txt"],
    ["  report.pdf  ", "report.pdf"],
    ["report.pdf. .", "report.pdf"],
    ["in\r\nvoice.pdf", "invoice.pdf"],
    ["invoice\u202efdp.exe", "invoicefdp.exe"],
    ["in\u200bvo\u00adice\ufeff.pdf", "invoice.pdf"],
    ["a\u2028b\u2029.txt", "ab.txt"],
    ["file.txt:stream.exe", "file.txt_stream.exe"],
    ['what? "this" <or> that|*.txt', "what_ _this_ _or_ that__.txt"],
    ["nul\u0000.txt", "_nul.txt"],
    ["CON", "_CON"],
    ["com1.tar.gz", "_com1.tar.gz"],
    ["console.log", "console.log"],
    ["half\ud83d.txt", "half\ufffd.txt"],
    ["Rechnung fu\u0308r Ma\u0308rz.pdf", "Rechnung für März.pdf"],
    [".htaccess", "htaccess"],
    ["...hidden.pdf", "hidden.pdf"],
    ["", "attachment.bin"],
    [" ", "attachment.bin"],
    [".", "attachment.bin"],
    ["..", "attachment.bin"],
    ["folder/", "attachment.bin"],
    ["\u0000\u202e", "attachment.bin"],
    [null, "attachment.bin"],
    [undefined, "attachment.bin"],
  ] as const)
    it(`${JSON.stringify(given)} becomes ${JSON.stringify(safe)}`, () => {
      expect(safeFilename(given, "attachment.bin")).toBe(safe)
    })
})
