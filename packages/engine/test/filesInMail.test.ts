/** Attachments whose bytes stay in the raw mail (docs/decisions/0049). */
import { describe, expect } from "@effect/vitest"
import { Engine, MessageChanges } from "@mailroom/engine"
import { Effect } from "effect"
import { received } from "./support/arrivals.js"
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
