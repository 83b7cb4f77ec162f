/** Uploads and the storage they count for (`spec: decisions.upload.201`, `limits.storage.413`). */
import { describe, expect } from "@effect/vitest"
import type { AttachmentId } from "@mailroom/domain"
import { ApiKeys, Attachments } from "@mailroom/engine"
import { Effect, Either, Exit } from "effect"
import { blobKeys, BlobShelf, watchedBlobs } from "./support/blobs.js"
import { changeAccount } from "./support/changes.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, paying, unverified } from "./support/owners.js"
import { accountOf } from "./support/reading.js"
import { takingTurns } from "./support/concurrency.js"
import { refused } from "./support/refused.js"
import { send, upload } from "./support/sends.js"

const GB = 1024 ** 3

const get = (owner: Pick<Owner, "key">, id: AttachmentId) =>
  Effect.gen(function* () {
    const attachments = yield* Attachments
    return yield* attachments.get(yield* as(owner), id)
  })

const remove = (owner: Pick<Owner, "key">, id: AttachmentId) =>
  Effect.gen(function* () {
    const attachments = yield* Attachments
    yield* attachments.remove(yield* as(owner), id)
  })

describe("an upload", () => {
  rule(
    "belongs to no message and counts for the account's storage",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const id = yield* upload(owner, "a.bin", Buffer.from("12345"))
      expect(yield* get(owner, id)).toMatchObject({
        id,
        messageId: null,
        filename: "a.bin",
        contentType: "application/octet-stream",
        sizeBytes: 5,
        contentId: null,
        createdAt: "2026-03-10T12:00:00.000Z",
      })
      expect(yield* accountOf(owner)).toMatchObject({ storageUsedBytes: 5, storageLimitBytes: GB })
    }),
  )

  rule(
    "above 25 MB is refused",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const limitBytes = 25 * 1024 * 1024
      const large = upload(owner, "a.bin", Buffer.alloc(1), limitBytes + 1)
      expect(yield* refused(large)).toMatchObject({ _tag: "SizeExceeded", limitBytes })
      yield* upload(owner, "a.bin", Buffer.alloc(1), limitBytes)
    }),
  )

  ruleWith(watchedBlobs)(
    "beyond the storage limit is refused and leaves no row or blob",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* changeAccount(owner, { storageUsedBytes: GB - 4 })
      expect(yield* refused(upload(owner, "a.bin", Buffer.from("12345")))).toMatchObject({
        _tag: "StorageFull",
        usedBytes: GB - 4,
        limitBytes: GB,
      })
      expect(yield* blobKeys).toEqual([])
      yield* upload(owner, "a.bin", Buffer.from("1234"))
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(GB)
    }),
  )

  ruleWith(takingTurns)(
    "takes the last free storage once among concurrent uploads",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* changeAccount(owner, { storageUsedBytes: GB - 12 })
      const uploads = yield* Effect.forEach(
        ["a", "b", "c", "d"],
        (name) => Effect.either(upload(owner, name, Buffer.from("12345"))),
        { concurrency: "unbounded" },
      )
      expect(uploads.filter(Either.isRight)).toHaveLength(2)
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(GB - 2)
    }),
  )

  ruleWith(watchedBlobs)(
    "that cannot be stored counts nothing",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* (yield* BlobShelf).full(true)
      expect(Exit.isFailure(yield* Effect.exit(upload(owner, "a.bin", Buffer.from("12345"))))).toBe(true)
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(0)
    }),
  )

  rule(
    "is visible only to full-access keys of its account",
    Effect.gen(function* () {
      const owner = yield* unverified("acme")
      const other = yield* unverified("other")
      const id = yield* upload(owner, "a.bin", Buffer.from("12345"))
      const keys = yield* ApiKeys
      const scoped = yield* keys.create(yield* as(owner), { name: "scoped", mailboxIds: [owner.mailboxId] })
      for (const reader of [other, scoped]) {
        expect(yield* refused(get(reader, id))).toMatchObject({ _tag: "NotFound", resource: "attachment" })
        expect(yield* refused(remove(reader, id))).toMatchObject({ _tag: "NotFound" })
      }
    }),
  )

  ruleWith(watchedBlobs)(
    "can be removed, which frees its storage",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const [first, second] = yield* Effect.all([
        upload(owner, "a.bin", Buffer.from("12345")),
        upload(owner, "b.bin", Buffer.from("1234567")),
      ])
      yield* remove(owner, first)
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(7)
      expect(yield* refused(get(owner, first))).toMatchObject({ _tag: "NotFound" })
      expect(yield* refused(remove(owner, first))).toMatchObject({ _tag: "NotFound" })
      expect(yield* blobKeys).toEqual([`uploads/${second}`])
    }),
  )

  ruleWith(takingTurns)(
    "that is removed twice concurrently frees its storage once",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const id = yield* upload(owner, "a.bin", Buffer.from("12345"))
      yield* upload(owner, "b.bin", Buffer.from("1234567"))
      const removals = yield* Effect.forEach([1, 2], () => Effect.either(remove(owner, id)), {
        concurrency: "unbounded",
      })
      expect(removals.filter(Either.isRight)).toHaveLength(1)
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(7)
    }),
  )

  ruleWith(takingTurns)(
    "that two concurrent sends use is in both messages",
    Effect.gen(function* () {
      const owner = yield* paying()
      const id = yield* upload(owner, "a.bin", Buffer.from("12345"))
      const sent = yield* Effect.forEach(
        ["one", "two"],
        (subject) => send(owner, { subject, attachments: [id] }),
        {
          concurrency: "unbounded",
        },
      )
      for (const { content } of sent)
        for (const file of content.attachments)
          expect((yield* get(owner, file.id)).messageId).toBe(content.id)
    }),
  )
})
