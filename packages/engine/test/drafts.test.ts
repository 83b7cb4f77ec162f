/** Drafts of mailboxes: their fields, files and limits (docs/specification/drafts.md). */
import { describe, expect } from "@effect/vitest"
import { DraftId, DRAFTS_MAX_PER_ACCOUNT, HOUR, timestamp } from "@mailroom/domain"
import { Attachments, Drafts, DraftStore, Engine, Mailboxes, MessageChanges } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Deferred, Effect, Either, Fiber, Layer, Option, TestClock } from "effect"
import { randomUUID } from "node:crypto"
import { received } from "./support/arrivals.js"
import { blobKeys, watchedBlobs } from "./support/blobs.js"
import { takingTurns } from "./support/concurrency.js"
import {
  changeDraft,
  draft,
  draftOf,
  draftsOf,
  pause,
  removeDraft,
  sendDraft,
  setPolicies,
  stateOf,
} from "./support/drafts.js"
import { correctedCounts } from "./support/integrity.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { lastMailTo, mailsTo } from "./support/outbox.js"
import { as, paying } from "./support/owners.js"
import { accountOf, listed, newest } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { inline, RECIPIENT, send, upload } from "./support/sends.js"
import { Relaying, slowRelay } from "./support/slowRelay.js"

const usedBy = (owner: Parameters<typeof accountOf>[0]) =>
  Effect.map(accountOf(owner), ({ storageUsedBytes }) => storageUsedBytes)

describe("a draft", () => {
  rule(
    "may be empty, is changed field by field, and is sent when it is complete",
    Effect.gen(function* () {
      const owner = yield* paying()
      const drafts = yield* Drafts
      const { id, status } = yield* drafts.create(yield* as(owner), owner.mailboxId, {})
      expect(status).toBe("DRAFT")
      expect(yield* refused(sendDraft(owner, id))).toMatchObject({
        _tag: "InvalidInput",
        issues: [{ path: "to" }, { path: "subject" }, { path: "bodyText" }],
      })
      yield* changeDraft(owner, id, { to: [RECIPIENT], bodyText: "One" })
      yield* changeDraft(owner, id, {
        subject: "Hello",
        bodyHtml: "<p>One</p>",
        headers: { "X-Custom-A": "b" },
      })
      const changed = yield* changeDraft(owner, id, { bodyText: null, labels: ["l"] })
      expect(changed.content).toMatchObject({
        to: [RECIPIENT],
        bodyText: null,
        bodyHtml: "<p>One</p>",
        labels: ["l"],
      })
      const result = yield* sendDraft(owner, id)
      expect(result).toMatchObject({ kind: "sent", message: { content: { id }, labels: ["l"] } })
      expect(yield* stateOf(owner, id)).toBe("gone")
      expect((yield* lastMailTo(RECIPIENT)).raw).toContain("X-Custom-A: b")
      expect(yield* usedBy(owner)).toBe(0)
    }),
  )

  rule(
    "answers a message in its thread, also after that message was deleted",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, { id: "<1@elsewhere.org>" })
      const answered = yield* newest(owner)
      const { id } = yield* draft(owner, { inReplyTo: answered.id })
      expect(yield* refused(draft(owner, { inReplyTo: id }))).toMatchObject({ _tag: "NotFound" })
      const { id: later } = yield* draft(owner, { inReplyTo: answered.id })
      expect(yield* sendDraft(owner, id)).toMatchObject({ message: { threadId: answered.threadId } })
      const changes = yield* MessageChanges
      yield* changes.remove(yield* as(owner), owner.mailboxId, answered.id)
      expect(yield* sendDraft(owner, later)).toMatchObject({ message: { threadId: answered.threadId } })
      expect((yield* lastMailTo(RECIPIENT)).mail.inReplyTo).toEqual(["<1@elsewhere.org>"])
    }),
  )

  ruleWith(watchedBlobs)(
    "keeps its files, which count as storage, until it is sent, changed or deleted",
    Effect.gen(function* () {
      const owner = yield* paying()
      const attachments = yield* Attachments
      const uploaded = yield* upload(owner, "uploaded.bin", Buffer.from("12345"))
      const { id, content, sizeBytes } = yield* draft(owner, {
        attachments: [uploaded, inline("inline.bin", Buffer.from("1234567"))],
      })
      expect(content.attachments.map(({ filename }) => filename)).toEqual(["uploaded.bin", "inline.bin"])
      expect(yield* usedBy(owner)).toBe(12 + sizeBytes)
      expect(yield* refused(attachments.remove(yield* as(owner), uploaded))).toMatchObject({
        _tag: "AttachmentInDraft",
        draftId: id,
      })
      // Another mail shares the bytes of a draft's file.
      yield* send(owner, { to: ["x@elsewhere.org"], attachments: [uploaded] })
      expect(yield* usedBy(owner)).toBe(17 + sizeBytes)

      const left = yield* changeDraft(owner, id, { attachments: [uploaded] })
      expect(yield* usedBy(owner)).toBe(10 + left.sizeBytes)
      expect(yield* blobKeys).toHaveLength(1)
      yield* removeDraft(owner, id)
      expect(yield* usedBy(owner)).toBe(5)
      expect(yield* blobKeys).toHaveLength(1)
      expect(yield* correctedCounts).toEqual([])
    }),
  )

  ruleWith(watchedBlobs)(
    "is as it was when the relay refuses its mail, with its files",
    Effect.gen(function* () {
      const owner = yield* paying()
      const relay = yield* MemoryRelay
      const before = yield* draft(owner, { attachments: [inline("a.bin", Buffer.from("a"))] })
      const used = yield* usedBy(owner)
      yield* relay.answer(RECIPIENT, "550 5.1.1 no such user")
      expect(yield* refused(sendDraft(owner, before.id))).toMatchObject({ _tag: "RelayRefused" })
      expect(yield* draftOf(owner, before.id)).toEqual(Option.some(before))
      expect([yield* usedBy(owner), yield* listed(owner)]).toEqual([used, []])
      yield* relay.answer(RECIPIENT, null)
      yield* sendDraft(owner, before.id)
      expect((yield* lastMailTo(RECIPIENT)).bytes.map((bytes) => Buffer.from(bytes).toString())).toEqual([
        "a",
      ])
      expect(yield* blobKeys).toHaveLength(1)
      expect(yield* correctedCounts).toEqual([])
    }),
  )

  ruleWith(Layer.merge(slowRelay, watchedBlobs))(
    "is gone when its mailbox was deleted while the relay refused its mail",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id } = yield* draft(owner, { attachments: [inline("a.bin", Buffer.from("a"))] })
      const { begun, mayEnd } = yield* Relaying
      const relay = yield* MemoryRelay
      yield* relay.answer(RECIPIENT, "550 5.1.1 no such user")
      const sending = yield* Effect.fork(sendDraft(owner, id))
      yield* Deferred.await(begun)
      const mailboxes = yield* Mailboxes
      yield* mailboxes.remove(yield* as(owner), owner.mailboxId)
      yield* Deferred.succeed(mayEnd, undefined)
      expect(yield* refused(Fiber.join(sending))).toMatchObject({ _tag: "RelayRefused" })
      yield* Engine.settle
      expect([yield* usedBy(owner), yield* blobKeys, yield* correctedCounts]).toEqual([0, [], []])
      const store = yield* DraftStore
      expect(yield* store.count((yield* as(owner)).account.id)).toBe(0)
    }),
  )

  ruleWith(takingTurns)(
    "with a `clientId` is created once, and sent once",
    Effect.gen(function* () {
      const owner = yield* paying()
      const made = yield* Effect.replicateEffect(
        draft(owner, { clientId: "mine", attachments: [inline("a.bin", Buffer.from("a"))] }),
        3,
        { concurrency: "unbounded" },
      )
      expect(new Set(made.map(({ id }) => id)).size).toBe(1)
      expect(yield* draftsOf(owner)).toHaveLength(1)
      const [one] = made
      if (one === undefined) return
      const outcomes = yield* Effect.replicateEffect(Effect.either(sendDraft(owner, one.id)), 3, {
        concurrency: "unbounded",
      })
      expect(outcomes.filter(Either.isRight)).toHaveLength(1)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
    }),
  )

  rule(
    "is found by its `clientId` when its time has passed and its upload is taken",
    Effect.gen(function* () {
      const owner = yield* paying()
      const attachments = [yield* upload(owner, "a.bin", Buffer.from("a"))]
      const body = { clientId: "mine", attachments, sendAt: timestamp(NOON + HOUR) }
      const { id } = yield* draft(owner, body)
      yield* pause(owner)
      yield* TestClock.adjust(2 * HOUR)
      expect((yield* draft(owner, body)).id).toBe(id)
      expect((yield* draft(owner, { ...body, inReplyTo: randomUUID() })).id).toBe(id)
    }),
  )

  rule(
    "needs room among the drafts of the account",
    Effect.gen(function* () {
      const owner = yield* paying()
      const one = yield* draft(owner)
      const store = yield* DraftStore
      for (let made = 1; made < DRAFTS_MAX_PER_ACCOUNT; made++)
        yield* store.insert({ ...one, id: DraftId.make(randomUUID()) })
      const limit = { _tag: "DraftLimitReached", limit: DRAFTS_MAX_PER_ACCOUNT }
      expect(yield* refused(draft(owner))).toMatchObject(limit)
      yield* setPolicies(owner, { outboundPolicy: "review" })
      expect(yield* refused(send(owner))).toMatchObject(limit)
      yield* removeDraft(owner, one.id)
      expect((yield* draft(owner)).status).toBe("DRAFT")
    }),
  )

  ruleWith(watchedBlobs)(
    "goes with its mailbox, with its files and its schedule",
    Effect.gen(function* () {
      const owner = yield* paying()
      const mailboxes = yield* Mailboxes
      yield* draft(owner, {
        sendAt: timestamp(NOON + HOUR),
        attachments: [inline("a.bin", Buffer.from("a"))],
      })
      yield* mailboxes.remove(yield* as(owner), owner.mailboxId)
      expect(yield* draftsOf(owner)).toEqual([])
      yield* Engine.settle
      expect([yield* usedBy(owner), yield* blobKeys]).toEqual([0, []])
    }),
  )
})
