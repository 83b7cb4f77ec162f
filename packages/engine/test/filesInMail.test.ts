/** Attachments whose bytes stay in the raw mail (docs/decisions/0049). */
import { describe, expect, it } from "@effect/vitest"
import { encodedLayout, encodedPart } from "@mailroom/domain"
import { decoded } from "../src/attachments/decoded.js"
import { Engine, MailSpool, MessageChanges } from "@mailroom/engine"
import { Chunk, Clock, Effect, FastCheck, Stream } from "effect"
import { aMail, envelopeTo, received } from "./support/arrivals.js"
import { blobKeys, watchedBlobs } from "./support/blobs.js"
import { attachment, download } from "./support/downloads.js"
import { ruleWith } from "./support/mailroom.js"
import { lastMailTo } from "./support/outbox.js"
import { as, type Owner, paying } from "./support/owners.js"
import { newest } from "./support/reading.js"
import { RECIPIENT, send } from "./support/sends.js"

const text = "0123456789".repeat(500)

const arrivedFile = (owner: Owner) =>
  Effect.gen(function* () {
    yield* received(owner.address, { files: [{ name: "large.bin", bytes: Buffer.from(text) }] })
    const message = yield* newest(owner)
    const [file] = message.attachments
    return file === undefined ? yield* Effect.dieMessage("nothing arrived") : { message, file }
  })

const remove = (
  owner: Owner,
  { id }: { readonly id: Parameters<(typeof MessageChanges.Service)["remove"]>[2] },
) =>
  Effect.gen(function* () {
    const changes = yield* MessageChanges
    yield* changes.remove(yield* as(owner), owner.mailboxId, id)
    yield* Engine.settle
  })

describe("a file in lines of base64", () => {
  ruleWith(watchedBlobs)(
    "needs no blob",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { file } = yield* arrivedFile(owner)
      expect(file).toMatchObject({ filename: "large.bin", sizeBytes: 5000 })
      expect(yield* blobKeys).toEqual([])
    }),
  )

  ruleWith(watchedBlobs)(
    "can be downloaded, also in ranges",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { url } = yield* attachment(owner, (yield* arrivedFile(owner)).file.id)
      expect(yield* download(url)).toEqual({ filename: "large.bin", sizeBytes: 5000, text })
      for (const [start, end] of [
        [0, 0],
        [57, 113],
        [4990, 4999],
      ] as const)
        expect(yield* download(url, { start, end })).toMatchObject({
          sizeBytes: 5000,
          text: text.slice(start, end + 1),
        })
    }),
  )

  ruleWith(watchedBlobs)(
    "that is forwarded gets a blob, and outlives its message",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { message, file } = yield* arrivedFile(owner)
      const { content } = yield* send(owner, { attachments: [file.id] })
      const [sent] = content.attachments
      if (sent === undefined) return yield* Effect.dieMessage("nothing was sent")
      expect(yield* blobKeys).toEqual([`uploads/${sent.id}`])
      const { bytes } = yield* lastMailTo(RECIPIENT)
      expect(bytes.map((one) => Buffer.from(one).toString())).toEqual([text])
      yield* remove(owner, message)
      expect(yield* download((yield* attachment(owner, sent.id)).url)).toMatchObject({ text })
    }),
  )

  ruleWith(watchedBlobs)(
    "is removed with its message",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { message, file } = yield* arrivedFile(owner)
      const { url } = yield* attachment(owner, file.id)
      yield* remove(owner, message)
      expect(yield* Effect.exit(download(url))).toMatchObject({ _tag: "Failure" })
      expect(yield* blobKeys).toEqual([])
    }),
  )
})

/** More than the blob store reads at a time. */
const largeText = "0123456789abc".repeat(60_000)

/** A mail that is too large for a row: its bytes are a blob. */
const arrivedLarge = (owner: Owner) =>
  Effect.gen(function* () {
    const spool = yield* MailSpool
    const raw = aMail({ files: [{ name: "large.bin", bytes: Buffer.from(largeText) }] })
    const content = yield* spool.stage(Stream.make(raw))
    yield* spool.accept([{ envelope: envelopeTo([owner.address], yield* Clock.currentTimeMillis), content }])
    yield* Engine.settle
    const message = yield* newest(owner)
    const [file] = message.attachments
    return file === undefined ? yield* Effect.dieMessage("nothing arrived") : { message, file }
  })

describe("a file in the lines of a mail that is a blob", () => {
  ruleWith(watchedBlobs)(
    "needs no blob beside that of its mail, and goes with it",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { message, file } = yield* arrivedLarge(owner)
      expect(file).toMatchObject({ filename: "large.bin", sizeBytes: largeText.length })
      expect(yield* blobKeys).toEqual([expect.stringMatching(/^raw\//)])
      yield* remove(owner, message)
      expect(yield* blobKeys).toEqual([])
    }),
  )

  ruleWith(watchedBlobs)(
    "can be downloaded, also in ranges",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { url } = yield* attachment(owner, (yield* arrivedLarge(owner)).file.id)
      expect((yield* download(url)).text === largeText).toBe(true)
      for (const [start, end] of [
        [0, 0],
        [56, 58],
        [262_000, 270_000],
        [largeText.length - 2, largeText.length + 10],
      ] as const)
        expect(yield* download(url, { start, end })).toMatchObject({
          sizeBytes: largeText.length,
          text: largeText.slice(start, end + 1),
        })
      expect(yield* download(url, { start: largeText.length, end: largeText.length })).toMatchObject({
        text: "",
      })
    }),
  )

  ruleWith(watchedBlobs)(
    "that is forwarded gets a blob, and outlives its message",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { message, file } = yield* arrivedLarge(owner)
      const { content } = yield* send(owner, { attachments: [file.id] })
      const [sent] = content.attachments
      if (sent === undefined) return yield* Effect.dieMessage("nothing was sent")
      const { bytes } = yield* lastMailTo(RECIPIENT)
      expect(bytes.map((one) => Buffer.from(one).toString() === largeText)).toEqual([true])
      yield* remove(owner, message)
      expect((yield* download((yield* attachment(owner, sent.id)).url)).text === largeText).toBe(true)
    }),
  )
})

describe("a range of base64 lines", () => {
  const lines = FastCheck.record({
    bytes: FastCheck.uint8Array({ minLength: 3, maxLength: 400 }),
    width: FastCheck.integer({ min: 1, max: 20 }).map((fours) => 4 * fours),
    end: FastCheck.constantFrom("", "\r\n"),
    from: FastCheck.nat(420),
    length: FastCheck.nat(420),
    pieces: FastCheck.array(FastCheck.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 }),
  })

  it.effect.prop(
    "decodes to that range of the file, however its bytes come",
    [lines],
    ([{ bytes, width, end, from, length, pieces }]) =>
      Effect.gen(function* () {
        const text =
          Buffer.from(bytes)
            .toString("base64")
            .match(new RegExp(`.{1,${width}}`, "g")) ?? []
        const encoded = Buffer.from(text.join("\r\n") + end)
        const layout = encodedLayout(encoded.length, width, encoded.subarray(-4).toString())
        expect(layout.sizeBytes).toBe(bytes.length)
        const range = { start: from, end: from + length }
        const part = encodedPart(layout, range)
        const wanted = Buffer.from(bytes.subarray(range.start, range.end + 1))
        if (part === null) {
          expect(wanted).toHaveLength(0)
          return
        }
        const read = encoded.subarray(part.encoded.start, part.encoded.end + 1)
        const chunks: Array<Uint8Array> = []
        for (let at = 0, n = 0; at < read.length; n++) {
          const size = pieces[n % pieces.length] ?? 1
          chunks.push(read.subarray(at, at + size))
          at += size
        }
        const got = yield* Stream.runCollect(decoded(Stream.fromIterable(chunks), part))
        expect(Buffer.concat(Chunk.toReadonlyArray(got))).toEqual(wanted)
      }),
  )
})
