/** Sends that a policy holds, and their reviews (docs/specification/drafts.md). */
import { describe, expect } from "@effect/vitest"
import { defaultPolicies, HOUR, MINUTE, plans, SECOND, timestamp } from "@mailroom/domain"
import { Drafts, DraftViews, Engine, Mailboxes } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Effect, Either, TestClock } from "effect"
import { proveSender, received } from "./support/arrivals.js"
import { watchedBlobs, blobKeys } from "./support/blobs.js"
import { changeAccount, suppress } from "./support/changes.js"
import { takingTurns } from "./support/concurrency.js"
import {
  approve,
  changeDraft,
  draftOf,
  draftsOf,
  keptOf,
  pause,
  reject,
  runDue,
  sendDraft,
  setPolicies,
  stateOf,
} from "./support/drafts.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { mailsTo } from "./support/outbox.js"
import { as, paying } from "./support/owners.js"
import { accountOf, eventsOf, listed, newest } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { asPerson } from "./support/threads.js"
import { inline, RECIPIENT, send, trySend, upload } from "./support/sends.js"

/** A paying owner whose mailbox reviews every send. */
const reviewing = Effect.tap(paying(), (owner) => setPolicies(owner, { outboundPolicy: "review" }))

const held = (owner: Parameters<typeof trySend>[0], over: Parameters<typeof trySend>[1] = {}) =>
  Effect.flatMap(trySend(owner, over), keptOf)

const kindsOf = (owner: Parameters<typeof eventsOf>[0]) =>
  Effect.map(eventsOf(owner), (events) => events.map(({ event }) => event))

describe("a held send", () => {
  ruleWith(watchedBlobs)(
    "keeps all that the mail is made of, uses no quota, and is sent byte for byte after the approval",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, {
        id: "<1@elsewhere.org>",
        headers: ["Auto-Submitted: auto-generated"],
        files: [{ name: "old.bin", bytes: Buffer.from("old") }],
      })
      const answered = yield* newest(owner)
      const uploaded = yield* upload(owner, "uploaded.bin", Buffer.from("uploaded"))
      const body = {
        to: [`"Bob, Jr." <${RECIPIENT}>`],
        cc: ["carol@elsewhere.org"],
        bcc: ["dan@elsewhere.org"],
        bodyText: "Two\nlines",
        bodyHtml: "<p>Two</p>",
        inReplyTo: answered.id,
        attachments: [
          uploaded,
          ...answered.attachments.map(({ id }) => id),
          inline("new.bin", Buffer.from("new")),
        ],
        headers: { "X-Custom-Run": "7" },
        replyTo: "reply@elsewhere.org",
        labels: ["one", "two"],
      }
      yield* setPolicies(owner, { outboundPolicy: "review" })
      const draft = yield* held(owner, body)
      const { sentToday } = yield* accountOf(owner)
      expect([yield* listed(owner), yield* mailsTo(RECIPIENT)]).toEqual([[expect.anything()], []])
      expect(sentToday).toBe(0)
      const unknown = [RECIPIENT, "carol@elsewhere.org", "dan@elsewhere.org"]
      expect(draft).toMatchObject({
        status: "PENDING_REVIEW",
        review: {
          requestedAt: NOON,
          expiresAt: NOON + 72 * HOUR,
          reasons: [
            { code: "EVERY_SEND" },
            ...unknown.map((address) => ({ code: "NEW_RECIPIENT", address })),
          ],
        },
      })

      const result = yield* approve(owner, draft)
      if (result.kind !== "sent") return yield* Effect.dieMessage("not sent")
      expect(result.message.content.id).toBe(draft.id)
      expect(result.message.labels).toEqual(["one", "two"])
      const [relayed] = yield* mailsTo(RECIPIENT)
      expect(relayed?.mail).toMatchObject({
        subject: "Hello",
        text: "Two\nlines",
        html: "<p>Two</p>",
        inReplyTo: ["<1@elsewhere.org>"],
        references: ["<1@elsewhere.org>"],
      })
      expect(relayed?.bytes.map((bytes) => Buffer.from(bytes).toString())).toEqual(["uploaded", "old", "new"])
      for (const line of ["X-Custom-Run: 7", "Reply-To: reply@elsewhere.org", "Auto-Submitted: auto-replied"])
        expect(relayed?.raw).toContain(line)
      expect(yield* mailsTo("dan@elsewhere.org")).toHaveLength(1)
      expect(yield* draftsOf(owner)).toEqual([])
      const { attachments } = yield* newest(owner)
      expect((yield* blobKeys).length).toBe(attachments.length)
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(
        attachments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 3),
      )
    }),
  )

  rule(
    "to a recipient that was never approved for the mailbox and whom no proven mail shows as its author",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* setPolicies(owner, { outboundPolicy: "review_new" })
      yield* proveSender
      yield* received(owner.address, { id: "<forged@stranger.org>", from: "mallory@stranger.org" })
      const forged = yield* held(owner, { to: ["mallory@stranger.org"] })
      expect(forged.review?.reasons).toEqual([{ code: "NEW_RECIPIENT", address: "mallory@stranger.org" }])
      yield* received(owner.address, { id: "<1@elsewhere.org>", from: "ada@elsewhere.org" })
      expect((yield* send(owner, { to: ["ada@elsewhere.org"] })).status).toBe("SENT")
      const draft = yield* held(owner, { to: ["ada@elsewhere.org", "eve@elsewhere.org"] })
      expect(draft.review?.reasons).toEqual([{ code: "NEW_RECIPIENT", address: "eve@elsewhere.org" }])
      yield* approve(owner, draft)
      expect((yield* send(owner, { to: ["eve@elsewhere.org"] })).status).toBe("SENT")
    }),
  )

  rule(
    "is announced, and the owner gets one mail about a burst, and no second one within 15 minutes",
    Effect.gen(function* () {
      const owner = yield* reviewing
      for (const subject of ["One", "Two", "Three"]) yield* held(owner, { subject })
      const notices = Effect.map(mailsTo(owner.email), (mails) =>
        mails.filter(({ mail }) => mail.subject.includes("approval")),
      )
      yield* Engine.settle
      expect(yield* notices).toEqual([])
      yield* TestClock.adjust(30 * SECOND)
      yield* Engine.settle
      const [first, ...others] = yield* notices
      expect(others).toEqual([])
      expect(first?.mail.subject).toBe("3 mails wait for your approval")
      expect(first?.mail.text).toContain("- to bob@elsewhere.org: Two")
      expect(first?.mail.text).toContain("/dashboard")

      yield* held(owner, { subject: "Four" })
      yield* TestClock.adjust(14 * MINUTE)
      yield* Engine.settle
      expect(yield* notices).toHaveLength(1)
      yield* TestClock.adjust(2 * MINUTE)
      yield* Engine.settle
      expect(yield* notices).toHaveLength(2)
      yield* TestClock.adjust(HOUR)
      yield* Engine.settle
      expect(yield* notices).toHaveLength(2)
      expect((yield* kindsOf(owner)).filter((kind) => kind === "draft.review_requested")).toHaveLength(4)
    }),
  )

  rule(
    "is refused like a send by every earlier rule, and by full storage, and leaves nothing",
    Effect.gen(function* () {
      const owner = yield* reviewing
      yield* suppress(owner, RECIPIENT)
      expect(yield* refused(trySend(owner))).toMatchObject({ _tag: "RecipientSuppressed" })
      yield* changeAccount(owner, { storageUsedBytes: plans.Developer.storageBytes })
      expect(yield* refused(trySend(owner, { to: ["x@elsewhere.org"] }))).toMatchObject({
        _tag: "StorageFull",
      })
      expect(yield* draftsOf(owner)).toEqual([])
    }),
  )

  rule(
    "is told of after 30 seconds when the sends before it were decided before their mail",
    Effect.gen(function* () {
      const owner = yield* reviewing
      const told = Effect.map(mailsTo(owner.email), (mails) =>
        mails.filter(({ mail }) => mail.subject.includes("approval")),
      )
      for (const expected of [0, 1]) {
        const { id } = yield* held(owner)
        if (expected === 0) yield* reject(owner, id)
        yield* TestClock.adjust(30 * SECOND)
        yield* Engine.settle
        expect(yield* told).toHaveLength(expected)
      }
    }),
  )
})

describe("a review", () => {
  rule(
    "approves one content: of a changed draft the earlier digest approves nothing",
    Effect.gen(function* () {
      const owner = yield* reviewing
      const draft = yield* held(owner)
      yield* changeDraft(owner, draft.id, { bodyText: "Good morning!" })
      expect(yield* stateOf(owner, draft.id)).toBe("DRAFT")
      expect(yield* refused(approve(owner, draft))).toMatchObject({ _tag: "NotPendingReview" })
      const again = yield* Effect.flatMap(sendDraft(owner, draft.id), keptOf)
      expect(yield* refused(approve(owner, draft))).toMatchObject({
        _tag: "DigestMismatch",
        digest: again.digest,
      })
      expect(yield* mailsTo(RECIPIENT)).toEqual([])
      yield* approve(owner, again)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
    }),
  )

  ruleWith(takingTurns)(
    "of two approvals at once sends once",
    Effect.gen(function* () {
      const owner = yield* reviewing
      const draft = yield* held(owner)
      const outcomes = yield* Effect.all(
        [Effect.either(approve(owner, draft)), Effect.either(approve(owner, draft)), runDue],
        { concurrency: "unbounded" },
      )
      const [one, two] = outcomes
      expect([one, two].filter(Either.isRight)).toHaveLength(1)
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
      expect((yield* kindsOf(owner)).slice(-3).sort()).toEqual([
        "draft.approved",
        "draft.review_requested",
        "message.sent",
      ])
    }),
  )

  rule(
    "with edits sends the edited mail, which has another digest",
    Effect.gen(function* () {
      const owner = yield* reviewing
      const draft = yield* held(owner, { attachments: [inline("a.txt", Buffer.from("a"))] })
      const before = (yield* accountOf(owner)).storageUsedBytes
      yield* approve(owner, draft, {
        edits: { subject: "Edited", attachments: [inline("b.txt", Buffer.from("b"))] },
      })
      const [mail] = yield* mailsTo(RECIPIENT)
      expect(mail?.mail.subject).toBe("Edited")
      expect(mail?.mail.attachments.map(({ filename }) => filename)).toEqual(["b.txt"])
      const approved = (yield* eventsOf(owner)).find(({ event }) => event === "draft.approved")
      expect(approved?.data).toMatchObject({ edited: true, subject: "Edited" })
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(before - draft.sizeBytes)
    }),
  )

  rule(
    "that is rejected, or not decided in time, sends nothing",
    Effect.gen(function* () {
      const owner = yield* reviewing
      yield* setPolicies(owner, { outboundPolicy: "review", reviewTtlHours: 1 })
      const [one, two] = [yield* held(owner), yield* held(owner)]
      yield* reject(owner, one.id, "Too friendly")
      expect(yield* stateOf(owner, one.id)).toBe("REJECTED REJECTED")
      expect(yield* refused(approve(owner, one))).toMatchObject({ status: "REJECTED" })
      yield* TestClock.adjust(HOUR - 1)
      yield* runDue
      expect(yield* stateOf(owner, two.id)).toBe("PENDING_REVIEW")
      yield* TestClock.adjust(1)
      yield* runDue
      expect(yield* stateOf(owner, two.id)).toBe("REJECTED REVIEW_EXPIRED")
      expect((yield* kindsOf(owner)).slice(-2)).toEqual(["draft.rejected", "draft.expired"])
      expect(yield* mailsTo(RECIPIENT)).toEqual([])
      yield* TestClock.adjust(31 * 24 * HOUR)
      yield* runDue
      expect(yield* draftsOf(owner)).toEqual([])
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(0)
    }),
  )

  rule(
    "ends when the send gets another time, and a new one begins when the policy holds it again",
    Effect.gen(function* () {
      const owner = yield* reviewing
      const views = yield* DraftViews
      const first = yield* held(owner)
      const { digest } = yield* views.one(first)
      yield* TestClock.adjust(HOUR)
      const inTwoHours = { sendAt: timestamp(NOON + 2 * HOUR) }
      const moved = yield* views.one(yield* changeDraft(owner, first.id, inTwoHours))
      expect(moved.status).toBe("PENDING_REVIEW")
      expect(yield* views.one(yield* changeDraft(owner, first.id, inTwoHours))).toMatchObject({
        digest: moved.digest,
        review: moved.review,
      })
      const requestedAt = [NOON, NOON + HOUR].map(timestamp)
      expect(yield* eventsOf(owner)).toMatchObject([
        { event: "draft.review_requested", data: { digest, requested_at: requestedAt[0] } },
        { event: "draft.withdrawn", data: { digest, deleted: false, withdrawn_at: requestedAt[1] } },
        {
          event: "draft.review_requested",
          data: { digest: moved.digest, requested_at: requestedAt[1] },
        },
      ])
    }),
  )

  rule(
    "that is changed or deleted before a decision waits no more, and the events say so once",
    Effect.gen(function* () {
      const owner = yield* reviewing
      const [one, two] = [yield* held(owner), yield* held(owner)]
      yield* changeDraft(owner, one.id, { labels: ["urgent"] })
      expect(yield* kindsOf(owner)).not.toContain("draft.withdrawn")
      for (const subject of ["Changed", "Changed again"]) yield* changeDraft(owner, one.id, { subject })
      const drafts = yield* Drafts
      yield* drafts.remove(yield* asPerson(owner), owner.mailboxId, two.id)
      const withdrawals = (yield* eventsOf(owner)).filter(({ event }) => event === "draft.withdrawn")
      expect(withdrawals).toMatchObject([
        { data: { draft_id: one.id, digest: one.digest, deleted: false, withdrawn_by: { kind: "key" } } },
        { data: { draft_id: two.id, digest: two.digest, deleted: true, withdrawn_by: { kind: "session" } } },
      ])
    }),
  )

  rule(
    "whose send is refused makes the draft FAILED; while the relay is away, or sending is paused, it waits",
    Effect.gen(function* () {
      const owner = yield* reviewing
      const [one, two, three] = [
        yield* held(owner),
        yield* held(owner, { to: ["x@elsewhere.org"] }),
        yield* held(owner, { to: ["y@elsewhere.org"] }),
      ]
      yield* suppress(owner, RECIPIENT)
      yield* approve(owner, one)
      expect(yield* stateOf(owner, one.id)).toBe("FAILED RECIPIENT_SUPPRESSED")
      expect((yield* kindsOf(owner)).at(-1)).toBe("draft.failed")

      const relay = yield* MemoryRelay
      yield* relay.reachable(false)
      expect(yield* approve(owner, two)).toMatchObject({ kind: "kept", draft: { status: "SCHEDULED" } })
      yield* relay.reachable(true)
      yield* pause(owner)
      expect(yield* approve(owner, three)).toMatchObject({ kind: "kept", draft: { dueAt: null } })
      yield* TestClock.adjust(2 * MINUTE)
      yield* runDue
      expect(yield* mailsTo("x@elsewhere.org")).toEqual([])
      yield* pause(owner, false)
      yield* runDue
      expect(yield* mailsTo("x@elsewhere.org")).toHaveLength(1)
      expect(yield* mailsTo("y@elsewhere.org")).toHaveLength(1)
    }),
  )

  rule(
    "with a later `sendAt` schedules the mail, and the approval holds until then",
    Effect.gen(function* () {
      const owner = yield* reviewing
      const draft = yield* held(owner, { sendAt: "2026-03-10T14:00:00Z" })
      expect(yield* approve(owner, draft)).toMatchObject({
        kind: "scheduled",
        draft: { status: "SCHEDULED" },
      })
      yield* TestClock.adjust(2 * HOUR - 1)
      yield* runDue
      expect(yield* mailsTo(RECIPIENT)).toEqual([])
      yield* TestClock.adjust(1)
      yield* runDue
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
    }),
  )

  rule(
    "ends when the display name in From changes: the mail is held again",
    Effect.gen(function* () {
      const owner = yield* reviewing
      const mailboxes = yield* Mailboxes
      const rename = (displayName: string) =>
        Effect.flatMap(as(owner), (principal) =>
          mailboxes.update(principal, owner.mailboxId, {
            displayName,
            status: undefined,
            policies: undefined,
          }),
        )
      yield* rename("Ada")
      const draft = yield* held(owner, { sendAt: timestamp(NOON + HOUR) })
      yield* approve(owner, draft)
      yield* rename("Your Bank")
      yield* TestClock.adjust(HOUR)
      yield* runDue
      expect([(yield* mailsTo(RECIPIENT)).length, yield* stateOf(owner, draft.id)]).toEqual([
        0,
        "PENDING_REVIEW",
      ])
      expect(yield* refused(approve(owner, draft))).toMatchObject({ _tag: "DigestMismatch" })
      yield* approve(owner, yield* Effect.flatten(draftOf(owner, draft.id)))
      expect((yield* mailsTo(RECIPIENT)).map(({ mail }) => mail.from?.name)).toEqual(["Your Bank"])
    }),
  )

  rule(
    "is not found by another account",
    Effect.gen(function* () {
      const owner = yield* reviewing
      const other = yield* paying("other")
      const draft = yield* held(owner)
      expect(yield* refused(approve(other, draft))).toMatchObject({ _tag: "NotFound", resource: "draft" })
      expect(yield* draftOf(other, draft.id)).toMatchObject({ _tag: "None" })
    }),
  )
})

describe("the policy", () => {
  rule(
    "is that of the moment when the mail is sent",
    Effect.gen(function* () {
      const owner = yield* paying()
      const draft = yield* Effect.flatMap(trySend(owner, { sendAt: "2026-03-10T13:00:00Z" }), keptOf)
      yield* setPolicies(owner, { outboundPolicy: "review" })
      yield* TestClock.adjust(HOUR)
      yield* runDue
      expect(yield* stateOf(owner, draft.id)).toBe("PENDING_REVIEW")
      yield* setPolicies(owner, defaultPolicies)
      expect((yield* sendDraft(owner, draft.id)).kind).toBe("sent")
    }),
  )
})
