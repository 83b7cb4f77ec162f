/** The message and the mail of a send (`spec: messages.send.201`). */
import { describe, expect } from "@effect/vitest"
import { MessageId } from "@mailroom/domain"
import { Mailboxes, Messages } from "@mailroom/engine"
import { Effect } from "effect"
import { received, receivedMany } from "./support/arrivals.js"
import { changeAccount } from "./support/changes.js"
import { rule } from "./support/mailroom.js"
import { anyReturnPath, lastMailTo, mailsTo, relayedTo } from "./support/outbox.js"
import { as, type Owner, paying, unverified } from "./support/owners.js"
import { eventsOf, newest, stubsOf, threadsOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { RECIPIENT, send } from "./support/sends.js"

const name = (owner: Owner, displayName: string) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    yield* mailboxes.update(yield* as(owner), owner.mailboxId, { displayName, status: undefined })
  })

describe("a send", () => {
  rule(
    "of HTML alone keeps its bodies as they are, and has the text of its HTML as new text",
    Effect.gen(function* () {
      const owner = yield* paying()
      const html = "<p>Good <b>morning</b>.</p><p>Tea?</p>"
      const sent = yield* send(owner, { bodyText: undefined, bodyHtml: html })
      expect(sent.content).toMatchObject({
        bodyText: null,
        bodyHtml: html,
        extractedText: "Good morning.\nTea?",
      })
      expect((yield* send(owner, { bodyHtml: html })).content.extractedText).toBeNull()
    }),
  )

  rule(
    "is SENT when the relay accepted it, with the fields of the request",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* name(owner, "The Agent")
      const sent = yield* send(owner, {
        to: ["Bob@Elsewhere.org"],
        cc: ["carl@elsewhere.org"],
        bcc: ["dora@elsewhere.org"],
        bodyHtml: "<p>Good morning.</p>",
        replyTo: "desk@acme.dev",
        headers: { "X-Custom-Run": "7" },
        labels: ["greeting"],
      })
      const messages = yield* Messages
      const read = yield* messages.get(yield* as(owner), owner.mailboxId, sent.content.id)
      expect(read).toEqual(sent)
      expect(read).toMatchObject({
        status: "SENT",
        labels: ["greeting"],
        gate: null,
        content: {
          direction: "OUTBOUND",
          messageId: `<${sent.content.id}@acme.mailroom.localhost>`,
          fromAddress: owner.address,
          fromName: "The Agent",
          toAddresses: [RECIPIENT],
          ccAddresses: ["carl@elsewhere.org"],
          bccAddresses: ["dora@elsewhere.org"],
          replyTo: "desk@acme.dev",
          subject: "Hello",
          bodyText: "Good morning.",
          bodyHtml: "<p>Good morning.</p>",
          receivedAt: null,
        },
      })
      expect(yield* newest(owner)).toMatchObject({
        id: sent.content.id,
        status: "SENT",
        labels: ["greeting"],
      })
    }),
  )

  rule(
    "is relayed with all its fields, one mail for each recipient, with blind copies only in the envelope",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* name(owner, "The Agent")
      const { content } = yield* send(owner, {
        cc: ["carl@elsewhere.org"],
        bcc: ["dora@elsewhere.org"],
        bodyHtml: "<p>Good morning.</p>",
        replyTo: "desk@acme.dev",
        headers: { "X-Custom-Run": "7" },
      })
      const { envelope, mail, raw } = yield* lastMailTo(RECIPIENT)
      expect(envelope).toMatchObject({ from: anyReturnPath(owner), to: [RECIPIENT] })
      expect(yield* relayedTo(content.messageId)).toEqual([
        RECIPIENT,
        "carl@elsewhere.org",
        "dora@elsewhere.org",
      ])
      expect(mail).toMatchObject({
        messageId: content.messageId,
        from: { address: owner.address, name: "The Agent" },
        to: [{ address: RECIPIENT }],
        cc: [{ address: "carl@elsewhere.org" }],
        replyTo: [{ address: "desk@acme.dev" }],
        subject: "Hello",
        html: "<p>Good morning.</p>",
        inReplyTo: [],
        references: [],
        headers: { "x-custom-run": "7" },
      })
      expect(mail.text?.trim()).toBe("Good morning.")
      // Not the bare words: the base64 of a signature may have them.
      expect(raw).not.toMatch(/dora@/i)
      expect(raw).not.toMatch(/^bcc:/im)
    }),
  )

  rule(
    "emits one message.sent event, without the blind copies",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { content, threadId } = yield* send(owner, { bcc: ["dora@elsewhere.org"] })
      expect(yield* eventsOf(owner)).toEqual([
        {
          event: "message.sent",
          timestamp: "2026-03-10T12:00:00.000Z",
          data: {
            message_id: content.id,
            rfc_message_id: content.messageId,
            mailbox_id: owner.mailboxId,
            mailbox_address: owner.address,
            from: owner.address,
            from_name: null,
            to: [RECIPIENT],
            subject: "Hello",
            thread_id: threadId,
            sent_at: "2026-03-10T12:00:00.000Z",
          },
        },
      ])
    }),
  )

  rule(
    "has each of its labels once",
    Effect.gen(function* () {
      const owner = yield* paying()
      expect((yield* send(owner, { labels: ["b", "a", "b"] })).labels).toEqual(["b", "a"])
    }),
  )

  rule(
    "names every recipient once in the envelope",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* send(owner, { cc: ["BOB@elsewhere.org"], bcc: [RECIPIENT] })
      expect((yield* lastMailTo(RECIPIENT)).envelope.to).toEqual([RECIPIENT])
    }),
  )
})

describe("an answer", () => {
  const original = {
    subject: "Lunch",
    id: "<c@elsewhere.org>",
    references: ["<a@elsewhere.org>", "<b@elsewhere.org>"],
  }

  for (const by of ["our id", "the RFC id"] as const)
    rule(
      `by ${by} continues the thread and carries the whole chain`,
      Effect.gen(function* () {
        const owner = yield* paying()
        yield* received(owner.address, original)
        const parent = yield* newest(owner)
        const answer = yield* send(owner, { inReplyTo: by === "our id" ? parent.id : parent.messageId })
        expect(answer.threadId).toBe(parent.threadId)
        const references = ["<a@elsewhere.org>", "<b@elsewhere.org>", "<c@elsewhere.org>"]
        expect(answer.content).toMatchObject({ inReplyTo: "<c@elsewhere.org>", references })
        expect((yield* lastMailTo(RECIPIENT)).mail).toMatchObject({
          inReplyTo: ["<c@elsewhere.org>"],
          references,
        })
        expect((yield* threadsOf(owner)).threads).toMatchObject([{ messageCount: 2 }])
      }),
    )

  rule(
    "to a mail that only had an In-Reply-To includes that in its References",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, { id: "<b@elsewhere.org>", inReplyTo: "<a@elsewhere.org>" })
      const answer = yield* send(owner, { inReplyTo: "<b@elsewhere.org>" })
      expect(answer.content.references).toEqual(["<a@elsewhere.org>", "<b@elsewhere.org>"])
    }),
  )

  rule(
    "to an unknown Message-ID keeps that as a header field and starts a thread",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, original)
      const answer = yield* send(owner, { inReplyTo: "<unknown@elsewhere.org>" })
      expect(answer.threadId).not.toBe((yield* newest(owner, { direction: "INBOUND" })).threadId)
      expect((yield* lastMailTo(RECIPIENT)).mail).toMatchObject({
        inReplyTo: ["<unknown@elsewhere.org>"],
        references: ["<unknown@elsewhere.org>"],
      })
    }),
  )

  rule(
    "to a message id that is unknown or in another mailbox is not found, and nothing is sent",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const other = yield* paying("other")
      const foreign = yield* send(other, { to: ["carl@elsewhere.org"] })
      const unknown = MessageId.make("00000000-0000-7000-8000-000000000000")
      for (const inReplyTo of [unknown, foreign.content.id])
        expect(yield* refused(send(owner, { inReplyTo }))).toMatchObject({
          _tag: "NotFound",
          resource: "message",
        })
      expect(yield* mailsTo(RECIPIENT)).toEqual([])
    }),
  )

  rule(
    "to a gated message is refused like a read of it",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* receivedMany(owner.address, 101)
      const inReplyTo = (yield* stubsOf(owner)).at(-1)?.message_id
      expect(yield* refused(send(owner, { inReplyTo }))).toMatchObject({
        _tag: "OverInboundLimit",
        gate: "INBOUND_LIMIT_EXCEEDED",
      })
    }),
  )

  rule(
    "to the Message-ID of a gated message joins its thread, and discloses nothing else of it",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, { id: "<b@elsewhere.org>", references: ["<a@elsewhere.org>"] })
      yield* changeAccount(owner, { lapsed: true })
      const references = ["<a@elsewhere.org>", "<b@elsewhere.org>", "<secret@elsewhere.org>"]
      yield* received(owner.address, { id: "<gated@elsewhere.org>", references })
      yield* changeAccount(owner, { lapsed: false })
      const answer = yield* send(owner, { inReplyTo: "<gated@elsewhere.org>" })
      expect(answer.threadId).toBe((yield* newest(owner, { direction: "INBOUND" })).threadId)
      const links = { inReplyTo: "<gated@elsewhere.org>", references: ["<gated@elsewhere.org>"] }
      expect(answer.content).toMatchObject(links)
      expect((yield* lastMailTo(RECIPIENT)).raw).not.toContain("secret")
    }),
  )

  for (const by of ["our id", "the id it is shown with"] as const)
    rule(
      `by ${by} to a mail that came without a Message-ID continues its thread`,
      Effect.gen(function* () {
        const owner = yield* paying()
        yield* received(owner.address, { subject: "Lunch", id: null })
        const parent = yield* newest(owner)
        const answer = yield* send(owner, { inReplyTo: by === "our id" ? parent.id : parent.messageId })
        expect(answer.threadId).toBe(parent.threadId)
        expect(answer.content).toMatchObject({
          inReplyTo: parent.messageId,
          references: [parent.messageId],
        })
        yield* received(owner.address, { id: "<r@elsewhere.org>", inReplyTo: parent.messageId })
        expect((yield* newest(owner, { direction: "INBOUND" })).threadId).toBe(parent.threadId)
      }),
    )

  rule(
    "from outside to a sent mail joins its thread",
    Effect.gen(function* () {
      const owner = yield* paying()
      const sent = yield* send(owner)
      yield* received(owner.address, {
        subject: "Re: Hello",
        id: "<r@elsewhere.org>",
        inReplyTo: sent.content.messageId,
      })
      expect(yield* newest(owner, { direction: "INBOUND" })).toMatchObject({ threadId: sent.threadId })
    }),
  )
})
