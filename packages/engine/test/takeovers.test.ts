/** Threads that a person answers (docs/specification/threads.md). */
import { describe, expect } from "@effect/vitest"
import { HOUR, type Principal, ThreadId, timestamp } from "@mailroom/domain"
import { AuditLog, Drafts, Replies, Reviews, Sending, type SendResult, Takeovers } from "@mailroom/engine"
import { Effect, TestClock } from "effect"
import { arrival, eventsOf, listed, newest, threadsOf } from "./support/reading.js"
import {
  approveAs,
  draft,
  draftOf,
  keptOf,
  runDue,
  sendDraft,
  setPolicies,
  stateOf,
} from "./support/drafts.js"
import { NOON, rule } from "./support/mailroom.js"
import { mailsTo } from "./support/outbox.js"
import { as, type Owner, paying } from "./support/owners.js"
import { received } from "./support/arrivals.js"
import { refused } from "./support/refused.js"
import { aBody, RECIPIENT, reply, send, trySend } from "./support/sends.js"
import { aMail, submit } from "./support/submissions.js"
import { asPerson, release, takeOver } from "./support/threads.js"

const ADA = "ada@sender.org"

/** A mailbox with one conversation, which `ada` began. */
const conversation = Effect.gen(function* () {
  const owner = yield* paying()
  const message = yield* arrival(owner, { id: "<1@elsewhere.org>", from: ADA })
  return { owner, message, threadId: message.threadId }
})

const taken = Effect.tap(conversation, ({ owner, threadId }) => takeOver(owner, threadId))

const TAKEN_OVER = { _tag: "ThreadTakenOver" }

const personSends = (owner: Owner, over: Parameters<typeof aBody>[0]) =>
  Effect.gen(function* () {
    const sending = yield* Sending
    return yield* sending.send(yield* asPerson(owner), owner.mailboxId, aBody(over))
  })

/** Approves a send that was held, as this caller. */
const approveHeld = (principal: Principal, result: SendResult) =>
  Effect.flatMap(keptOf(result), (draft) => approveAs(principal, draft))

const answer = { inReplyTo: "<1@elsewhere.org>" }

describe("a thread that a person has taken over", () => {
  rule(
    "threads.takeover.200: says since when, in lists too, and is released",
    Effect.gen(function* () {
      const { owner, threadId } = yield* conversation
      expect((yield* threadsOf(owner)).threads).toMatchObject([{ takenOverAt: null }])
      expect(yield* takeOver(owner, threadId)).toMatchObject({ id: threadId, takenOverAt: timestamp(NOON) })
      yield* TestClock.adjust("1 minute")
      expect(yield* takeOver(owner, threadId)).toMatchObject({ takenOverAt: timestamp(NOON) })
      expect((yield* threadsOf(owner)).threads).toMatchObject([{ takenOverAt: timestamp(NOON) }])
      for (const _ of [1, 2]) expect(yield* release(owner, threadId)).toMatchObject({ takenOverAt: null })
      yield* reply(owner, (yield* newest(owner)).id)
    }),
  )

  rule(
    "threads.takeover.events: each change is one event and one entry of the audit trail",
    Effect.gen(function* () {
      const { owner, threadId } = yield* conversation
      for (const change of [takeOver, takeOver, release, release]) yield* change(owner, threadId)
      const events = (yield* eventsOf(owner)).filter(({ event }) => event.startsWith("thread."))
      const common = {
        thread_id: threadId,
        mailbox_id: owner.mailboxId,
        mailbox_address: owner.address,
        subject: "Hello",
      }
      expect(events).toMatchObject([
        { event: "thread.taken_over", data: { ...common, taken_over_at: timestamp(NOON) } },
        { event: "thread.released", data: { ...common, released_at: timestamp(NOON) } },
      ])
      const audit = yield* AuditLog
      const { entries } = yield* audit.list(yield* as(owner), { before: null, limit: 2 })
      const entry = { actor: { kind: "session" }, target: threadId, detail: { mailboxId: owner.mailboxId } }
      expect(entries).toMatchObject([
        { ...entry, action: "thread.released" },
        { ...entry, action: "thread.taken_over" },
      ])
    }),
  )

  rule(
    "threads.takeover.404: is not found by another account, out of scope, and without visible messages",
    Effect.gen(function* () {
      const { owner, threadId } = yield* conversation
      const other = yield* paying("other")
      const principal = yield* as(owner)
      const missing = { _tag: "NotFound", resource: "thread" }
      expect(yield* refused(takeOver(other, threadId))).toMatchObject(missing)
      expect(yield* refused(takeOver(owner, ThreadId.make(other.mailboxId)))).toMatchObject(missing)
      const takeovers = yield* Takeovers
      const scoped: Principal = { ...principal, scope: [other.mailboxId] }
      expect(yield* refused(takeovers.takeOver(scoped, threadId))).toMatchObject(missing)
      expect(yield* refused(takeovers.release(scoped, threadId))).toMatchObject(missing)
    }),
  )

  rule(
    "threads.takeover.409: takes no send of a key: no reply, draft, scheduled or held mail, and no submission",
    Effect.gen(function* () {
      const { owner, message } = yield* taken
      const written = yield* draft(owner, answer)
      yield* TestClock.adjust("1 minute")
      const sendAt = timestamp(NOON + HOUR)
      const attempts = [
        refused(reply(owner, message.id)),
        refused(send(owner, answer)),
        refused(trySend(owner, { ...answer, sendAt })),
        refused(sendDraft(owner, written.id)),
        refused(draft(owner, { ...answer, sendAt })),
      ]
      for (const attempt of attempts) expect(yield* attempt).toMatchObject(TAKEN_OVER)
      yield* setPolicies(owner, { outboundPolicy: "review" })
      expect(yield* refused(trySend(owner, answer))).toMatchObject(TAKEN_OVER)
      yield* setPolicies(owner, { outboundPolicy: "open" })
      const submitted = aMail(owner, ["In-Reply-To: <1@elsewhere.org>", "Message-ID: <own@client.example>"])
      expect(yield* submit(owner, submitted)).toMatch(
        /^550 5\.7\.1 A person has taken this conversation over/,
      )
      expect(yield* mailsTo(RECIPIENT)).toEqual([])
      expect(yield* stateOf(owner, written.id)).toBe("DRAFT")
      yield* release(owner, message.threadId)
      expect(yield* submit(owner, submitted)).toMatch(/^250 /)
    }),
  )

  rule(
    "threads.takeover.409: takes no mail that ties it to another thread, which stays apart and free",
    Effect.gen(function* () {
      const { owner, threadId } = yield* taken
      const other = yield* arrival(owner, { id: "<2@elsewhere.org>", from: ADA, subject: "Other" })
      const both = ["In-Reply-To: <2@elsewhere.org>", "References: <1@elsewhere.org> <2@elsewhere.org>"]
      expect(yield* submit(owner, aMail(owner, both))).toMatch(/^550 5\.7\.1 /)
      // The refused mail has not merged the threads.
      expect((yield* threadsOf(owner)).threads).toHaveLength(2)
      const replies = yield* Replies
      const answered = replies.reply(yield* as(owner), owner.mailboxId, other.id, "sender", {
        bodyText: "Yes.",
      })
      expect((yield* answered).kind).toBe("sent")
      const sent = (yield* listed(owner)).map((message) => message.threadId)
      expect(sent.filter((id) => id === threadId)).toHaveLength(1)
    }),
  )

  rule(
    "threads.takeover.goes-on: takes mail, the answers of persons, and drafts that are not sent; new threads are free",
    Effect.gen(function* () {
      const { owner, message, threadId } = yield* taken
      yield* personSends(owner, answer)
      yield* received(owner.address, { id: "<3@elsewhere.org>", inReplyTo: "<1@elsewhere.org>" })
      yield* draft(owner, answer)
      const own = yield* send(owner, { subject: "New" })
      expect(own.threadId).not.toBe(threadId)
      expect((yield* threadsOf(owner)).threads).toMatchObject([
        { messageCount: 1 },
        { id: threadId, messageCount: 3 },
      ])
      const replies = yield* Replies
      const forward = replies.forward(yield* as(owner), owner.mailboxId, message.id, { to: [RECIPIENT] })
      expect((yield* forward).kind).toBe("sent")
    }),
  )

  rule(
    "threads.takeover.merged: stays taken over when it is merged, under the other id, too",
    Effect.gen(function* () {
      const { owner } = yield* conversation
      yield* TestClock.adjust("1 minute")
      const young = yield* arrival(owner, { id: "<2@elsewhere.org>", from: ADA, subject: "Other" })
      const { takenOverAt } = yield* takeOver(owner, young.threadId)
      yield* received(owner.address, {
        id: "<3@elsewhere.org>",
        references: ["<1@elsewhere.org>", "<2@elsewhere.org>"],
      })
      expect((yield* threadsOf(owner)).threads).toMatchObject([{ messageCount: 3, takenOverAt }])
      expect(yield* refused(send(owner, answer))).toMatchObject(TAKEN_OVER)
      expect(yield* release(owner, young.threadId)).toMatchObject({ takenOverAt: null })
      yield* send(owner, answer)
    }),
  )
})

describe("a draft that is due in a thread that a person has taken over", () => {
  const scheduledBy = (principal: Principal, owner: Owner) =>
    Effect.gen(function* () {
      const sending = yield* Sending
      const body = aBody({ ...answer, sendAt: timestamp(NOON + HOUR) })
      return yield* keptOf(yield* sending.send(principal, owner.mailboxId, body))
    })

  rule(
    "threads.takeover.due: fails when a key scheduled it, and is sent when a person did",
    Effect.gen(function* () {
      const { owner, threadId } = yield* conversation
      const ofKey = yield* scheduledBy(yield* as(owner), owner)
      const ofPerson = yield* scheduledBy(yield* asPerson(owner), owner)
      const drafts = yield* Drafts
      const moved = yield* scheduledBy(yield* asPerson(owner), owner)
      yield* drafts.update(yield* as(owner), owner.mailboxId, moved.id, {
        sendAt: timestamp(NOON + HOUR / 2),
      })
      const changed = yield* scheduledBy(yield* asPerson(owner), owner)
      yield* drafts.update(yield* as(owner), owner.mailboxId, changed.id, { subject: "Else" })
      yield* TestClock.adjust("1 minute")
      yield* takeOver(owner, threadId)
      yield* TestClock.adjust("1 hour")
      yield* runDue
      const states = yield* Effect.forEach([ofKey, ofPerson, moved, changed], ({ id }) => stateOf(owner, id))
      const failed = "FAILED THREAD_TAKEN_OVER"
      expect(states).toEqual([failed, "gone", failed, failed])
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
      const events = (yield* eventsOf(owner)).filter(({ event }) => event === "draft.failed")
      expect(events).toMatchObject([1, 2, 3].map(() => ({ data: { code: "THREAD_TAKEN_OVER" } })))
    }),
  )

  rule(
    "threads.takeover.approved: is sent when a person approved it since, and fails when one did before, or a key does",
    Effect.gen(function* () {
      const { owner, threadId } = yield* conversation
      yield* setPolicies(owner, { outboundPolicy: "review" })
      const sendAt = timestamp(NOON + HOUR)
      const before = yield* trySend(owner, { ...answer, subject: "Before", sendAt })
      const since = yield* trySend(owner, { ...answer, subject: "Since" })
      const byKey = yield* trySend(owner, { ...answer, subject: "By a key" })
      yield* approveHeld(yield* asPerson(owner), before)
      yield* TestClock.adjust("1 minute")
      yield* takeOver(owner, threadId)
      expect((yield* approveHeld(yield* asPerson(owner), since)).kind).toBe("sent")
      expect((yield* approveHeld(yield* as(owner), byKey)).kind).toBe("kept")
      yield* TestClock.adjust("1 hour")
      yield* runDue
      const stateAfter = (result: SendResult) =>
        Effect.flatMap(keptOf(result), ({ id }) => stateOf(owner, id))
      expect(yield* Effect.forEach([before, since, byKey], stateAfter)).toEqual([
        "FAILED THREAD_TAKEN_OVER",
        "gone",
        "FAILED THREAD_TAKEN_OVER",
      ])
    }),
  )

  rule(
    "threads.takeover.approved: a person's own mail is sent when a key approves it as it is, and not with a key's edits",
    Effect.gen(function* () {
      const { owner, threadId } = yield* conversation
      yield* setPolicies(owner, { outboundPolicy: "review" })
      yield* takeOver(owner, threadId)
      const asItIs = yield* personSends(owner, answer)
      expect((yield* approveHeld(yield* as(owner), asItIs)).kind).toBe("sent")
      const { id, digest } = yield* keptOf(yield* personSends(owner, answer))
      const reviews = yield* Reviews
      yield* reviews.approve(yield* as(owner), id, { digest, edits: { bodyText: "Else." } })
      expect(yield* stateOf(owner, id)).toBe("FAILED THREAD_TAKEN_OVER")
      expect(yield* draftOf(owner, id)).toMatchObject({ value: { byPerson: false } })
    }),
  )

  rule(
    "threads.takeover.due: is sent when the thread was released before",
    Effect.gen(function* () {
      const { owner, threadId } = yield* conversation
      const { id } = yield* scheduledBy(yield* as(owner), owner)
      yield* takeOver(owner, threadId)
      yield* release(owner, threadId)
      yield* TestClock.adjust("1 hour")
      yield* runDue
      expect(yield* stateOf(owner, id)).toBe("gone")
    }),
  )
})
