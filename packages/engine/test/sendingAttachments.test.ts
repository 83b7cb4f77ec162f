/** The attachments of a send: uploads, those of other messages, and inline ones (`spec: decisions.send.attachments`). */
import { describe, expect } from "@effect/vitest"
import { RELAYING_ENDS_WITHIN } from "@mailroom/domain"
import {
  ApiKeys,
  Attachments,
  Mailboxes,
  MailSigner,
  MessageChanges,
  MessageStore,
  OutboundMail,
} from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Context, Effect, Exit, Fiber, Layer, Ref, TestClock } from "effect"
import { received } from "./support/arrivals.js"
import { blobKeys, BlobShelf, watchedBlobs } from "./support/blobs.js"
import { changeAccount } from "./support/changes.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { lastMailTo } from "./support/outbox.js"
import { as, type Owner, paying, unverified } from "./support/owners.js"
import { accountOf, listed, newest, stubsOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { inline, RECIPIENT, send, upload } from "./support/sends.js"

const MB = 1024 * 1024

/** An attachment of a received mail. */
const arrivedFile = (owner: Owner, content: string) =>
  Effect.gen(function* () {
    yield* received(owner.address, { files: [{ name: "arrived.bin", bytes: Buffer.from(content) }] })
    const [file] = (yield* newest(owner)).attachments
    return file === undefined ? yield* Effect.dieMessage("nothing arrived") : file.id
  })

/** Runs an effect while the next mail is signed: after its files are read, and before it is recorded. */
class WhileSigning extends Context.Tag("test/WhileSigning")<WhileSigning, Ref.Ref<Effect.Effect<void>>>() {}

const hookedSigner = Layer.effectContext(
  Effect.gen(function* () {
    const { sign } = yield* MailSigner
    const next = yield* Ref.make(Effect.void)
    return Context.make(MailSigner, {
      sign: (raw, key) => Effect.zipRight(Effect.flatten(Ref.getAndSet(next, Effect.void)), sign(raw, key)),
    }).pipe(Context.add(WhileSigning, next))
  }),
)

describe("an attachment of a message that is deleted while a send with it is composed", () => {
  ruleWith(hookedSigner)(
    "is unknown: the send would keep a file without bytes",
    Effect.gen(function* () {
      const owner = yield* paying()
      const first = yield* send(owner, { attachments: [inline("a.bin", Buffer.from("shared"))] })
      const [file] = first.content.attachments
      if (file === undefined) return yield* Effect.dieMessage("no file was sent")
      const changes = yield* MessageChanges
      const deletion = changes.remove(yield* as(owner), owner.mailboxId, first.content.id)
      yield* Ref.set(yield* WhileSigning, Effect.orDie(Effect.asVoid(deletion)))
      expect(yield* refused(send(owner, { attachments: [file.id] }))).toMatchObject({
        _tag: "AttachmentUnknown",
        id: file.id,
      })
    }),
  )
})

/** The slugs of the accounts whose mails have come to the relay. */
class AtRelay extends Context.Tag("test/AtRelay")<AtRelay, Ref.Ref<ReadonlyArray<string>>>() {}

const watchedRelay = Layer.effectContext(
  Effect.gen(function* () {
    const { send: relay } = yield* OutboundMail
    const slugs = yield* Ref.make<ReadonlyArray<string>>([])
    const come: typeof relay = (envelope, raw, within) => {
      const [, slug = ""] = /^From: .*@(\w+)\./m.exec(Buffer.from(raw).toString("latin1")) ?? []
      return Effect.zipRight(
        Ref.update(slugs, (known) => [...known, slug]),
        relay(envelope, raw, within),
      )
    }
    return Context.make(OutboundMail, { send: come }).pipe(Context.add(AtRelay, slugs))
  }),
)

describe("sends with large files", () => {
  ruleWith(watchedRelay)(
    "hold them for six at a time, three of one account, until the relay answers; small ones pass",
    Effect.gen(function* () {
      const owners = [yield* paying("acme"), yield* paying("bolt")]
      const third = yield* paying("coil")
      const relay = yield* MemoryRelay
      const atRelay = yield* AtRelay
      yield* relay.pause
      yield* Ref.set(atRelay, [])
      const large = { attachments: [inline("large.bin", Buffer.alloc(300_000))] }
      const [first = [], second = []] = yield* Effect.forEach(owners, (owner) =>
        Effect.forEach([1, 2, 3, 4, 5], () => Effect.fork(send(owner, large))),
      )
      const come = (count: number) =>
        Effect.repeat(Effect.zipRight(TestClock.adjust(1), Ref.get(atRelay)), {
          until: (slugs) => slugs.length >= count,
        })
      yield* come(6)
      yield* TestClock.adjust(1)
      const held = [...(yield* Ref.get(atRelay))].sort()
      const small = yield* Effect.fork(send(third))
      yield* come(7)
      yield* relay.resume
      expect(held).toEqual(["acme", "acme", "acme", "bolt", "bolt", "bolt"])
      const sent = yield* Effect.forEach([...first, ...second, small], Fiber.join)
      expect(sent.map(({ status }) => status)).toEqual(Array.from({ length: 11 }, () => "SENT"))
    }),
  )
})

describe("a send that waited for others with large files", () => {
  ruleWith(watchedRelay)(
    "begins after its wait, so that it is not taken for an abandoned one while it is relayed",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const relay = yield* MemoryRelay
      const atRelay = yield* AtRelay
      yield* relay.pause
      const large = { attachments: [inline("large.bin", Buffer.alloc(300_000))] }
      const sends = yield* Effect.forEach([1, 2, 3, 4], () => Effect.fork(send(owner, large)))
      yield* Effect.repeat(Effect.zipRight(TestClock.adjust(1), Ref.get(atRelay)), {
        until: (slugs) => slugs.length >= 3,
      })
      yield* TestClock.adjust(RELAYING_ENDS_WITHIN)
      yield* relay.resume
      const begun = (yield* Effect.forEach(sends, Fiber.join)).map(({ createdAt }) => createdAt - NOON)
      expect(begun.filter((after) => after >= RELAYING_ENDS_WITHIN)).toHaveLength(1)
    }),
  )
})

describe("the attachments of a send", () => {
  ruleWith(watchedBlobs)(
    "are sent in the order of the request, whatever their source",
    Effect.gen(function* () {
      const owner = yield* paying()
      const arrived = yield* arrivedFile(owner, "arrived")
      const uploaded = yield* upload(owner, "uploaded.bin", Buffer.from("uploaded"))
      const attachments = [inline("inline.bin", Buffer.from("inline")), arrived, uploaded]
      const { content } = yield* send(owner, { attachments })
      const names = ["inline.bin", "arrived.bin", "uploaded.bin"]
      expect(content.attachments.map(({ filename }) => filename)).toEqual(names)
      const { mail, bytes } = yield* lastMailTo(RECIPIENT)
      expect(mail.attachments.map(({ filename }) => filename)).toEqual(names)
      expect(bytes.map((one) => new TextDecoder().decode(one))).toEqual(["inline", "arrived", "uploaded"])
      expect(content.hasAttachments).toBe(true)
      expect(yield* blobKeys).toHaveLength(3)
    }),
  )

  rule(
    "an upload is attached to the message and cannot be removed any more",
    Effect.gen(function* () {
      const owner = yield* paying()
      const id = yield* upload(owner, "a.bin", Buffer.from("12345"))
      const { content } = yield* send(owner, { attachments: [id] })
      const attachments = yield* Attachments
      expect(yield* attachments.get(yield* as(owner), id)).toMatchObject({ messageId: content.id })
      expect(yield* refused(attachments.remove(yield* as(owner), id))).toMatchObject({
        _tag: "AttachmentInUse",
      })
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(5)
    }),
  )

  rule(
    "an attachment of another message gets a new id, and counts for the storage",
    Effect.gen(function* () {
      const owner = yield* paying()
      const id = yield* arrivedFile(owner, "12345")
      const { content } = yield* send(owner, { attachments: [id] })
      const [file] = content.attachments
      expect(file).toMatchObject({ filename: "arrived.bin", sizeBytes: 5, messageId: content.id })
      expect(file?.id).not.toBe(id)
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(10)
      const attachments = yield* Attachments
      expect((yield* attachments.get(yield* as(owner), id)).messageId).not.toBe(content.id)
    }),
  )

  ruleWith(watchedBlobs)(
    "a shared attachment outlives the mailbox it came from",
    Effect.gen(function* () {
      const owner = yield* paying()
      const mailboxes = yield* Mailboxes
      const id = yield* arrivedFile(owner, "12345")
      const wanted = { localPart: "second", displayName: null, domainId: null }
      const second = { ...owner, mailboxId: (yield* mailboxes.create(yield* as(owner), wanted)).id }
      yield* send(second, { attachments: [id] })
      yield* mailboxes.remove(yield* as(owner), owner.mailboxId)
      yield* received(owner.address)
      expect(yield* blobKeys).toHaveLength(1)
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(5)
      const [file] = (yield* newest(second)).attachments
      if (file !== undefined) yield* send(second, { attachments: [file.id], subject: "Again" })
      expect((yield* lastMailTo(RECIPIENT)).mail.attachments).toHaveLength(1)
    }),
  )

  rule(
    "an inline attachment is stored, and counts for the storage",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { content } = yield* send(owner, { attachments: [inline("../../a.bin", Buffer.alloc(11))] })
      expect(content.attachments).toMatchObject([{ filename: "a.bin", sizeBytes: 11 }])
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(11)
      const attachments = yield* Attachments
      for (const { id } of content.attachments)
        expect(yield* attachments.get(yield* as(owner), id)).toMatchObject({ filename: "a.bin" })
    }),
  )
})

describe("an attachment that cannot be sent", () => {
  rule(
    "of another account is unknown",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const foreign = yield* upload(yield* unverified("other"), "a.bin", Buffer.from("12345"))
      const refusal = { _tag: "AttachmentUnknown", id: foreign }
      expect(yield* refused(send(owner, { attachments: [foreign] }))).toMatchObject(refusal)
    }),
  )

  rule(
    "of a mailbox out of the key's scope is unknown",
    Effect.gen(function* () {
      const owner = yield* paying()
      const [mailboxes, keys] = yield* Effect.all([Mailboxes, ApiKeys])
      const id = yield* arrivedFile(owner, "12345")
      const wanted = { localPart: "second", displayName: null, domainId: null }
      const second = yield* mailboxes.create(yield* as(owner), wanted)
      const scope = { name: "scoped", mailboxIds: [second.id] }
      const { key } = yield* keys.create(yield* as(owner), scope)
      const scoped = { ...owner, key, mailboxId: second.id }
      expect(yield* refused(send(scoped, { attachments: [id] }))).toMatchObject({
        _tag: "AttachmentUnknown",
        id,
      })
    }),
  )

  rule(
    "of a gated message is refused like a read of the message",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* changeAccount(owner, { lapsed: true })
      yield* received(owner.address, { files: [{ name: "late.bin", bytes: Buffer.alloc(1) }] })
      yield* changeAccount(owner, { lapsed: false })
      const stub = (yield* stubsOf(owner)).at(-1)
      const messages = yield* MessageStore
      const found = stub === undefined ? Effect.succeedNone : messages.byId(owner.mailboxId, stub.message_id)
      const { content } = yield* Effect.flatten(found)
      const attachments = content.attachments.map(({ id }) => id)
      expect(attachments).toHaveLength(1)
      expect(yield* refused(send(owner, { attachments }))).toMatchObject({
        _tag: "OverInboundLimit",
        gate: "INBOUND_TRIAL_LIMIT_EXCEEDED",
        resource: { type: "attachment", id: attachments[0] },
      })
    }),
  )
})

describe("sizes", () => {
  for (const [what, sizes, refusal] of [
    ["one file above 25 MB", [25 * MB + 1], "attachment a-0.bin"],
    ["all files together above 25 MB", [13 * MB, 13 * MB], "all attachments together"],
  ] as const)
    rule(
      `${what} are too large`,
      Effect.gen(function* () {
        const owner = yield* paying()
        const attachments = sizes.map((size, index) => inline(`a-${index}.bin`, Buffer.alloc(size)))
        expect(yield* refused(send(owner, { attachments }))).toMatchObject({
          _tag: "SizeExceeded",
          what: refusal,
          limitBytes: 25 * MB,
        })
        expect((yield* accountOf(owner)).storageUsedBytes).toBe(0)
      }),
    )

  ruleWith(watchedBlobs)(
    "an encoded message above 40 MB is too large, and leaves no blob",
    Effect.gen(function* () {
      const owner = yield* paying()
      const attachments = [inline("a.bin", Buffer.alloc(24 * MB))]
      const refusal = yield* refused(send(owner, { attachments, bodyText: "long line\n".repeat(MB) }))
      expect(refusal).toMatchObject({ _tag: "SizeExceeded", limitBytes: 40 * MB })
      expect(yield* blobKeys).toEqual([])
      expect(yield* accountOf(owner)).toMatchObject({ storageUsedBytes: 0, sentToday: 0 })
    }),
  )

  ruleWith(watchedBlobs)(
    "attachments beyond the storage limit are refused, and leave no blob",
    Effect.gen(function* () {
      const owner = yield* paying()
      const limitBytes = 10 * 1024 * MB
      yield* changeAccount(owner, { storageUsedBytes: limitBytes - 10 })
      const refusal = yield* refused(send(owner, { attachments: [inline("a.bin", Buffer.alloc(11))] }))
      expect(refusal).toMatchObject({ _tag: "StorageFull", usedBytes: limitBytes - 10, limitBytes })
      expect(yield* blobKeys).toEqual([])
      expect((yield* send(owner, { attachments: [inline("a.bin", Buffer.alloc(10))] })).status).toBe("SENT")
    }),
  )

  ruleWith(watchedBlobs)(
    "a full disk fails the send before anything is recorded",
    Effect.gen(function* () {
      const owner = yield* paying()
      const shelf = yield* BlobShelf
      yield* shelf.full(true)
      const attachments = [inline("a.bin", Buffer.alloc(10))]
      expect(Exit.isFailure(yield* Effect.exit(send(owner, { attachments })))).toBe(true)
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 0, storageUsedBytes: 0 })
      expect(yield* listed(owner)).toEqual([])
    }),
  )
})
