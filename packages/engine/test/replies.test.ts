/** Replies: recipients, header fields and thread, on both sides (`spec: decisions.messages.reply`). */
import { describe, expect } from "@effect/vitest"
import { Blobs, Engine, MailSpool } from "@mailroom/engine"
import { Effect, Stream } from "effect"
import { aMail, envelopeTo, SENDER } from "./support/arrivals.js"
import { NOON, rule } from "./support/mailroom.js"
import { anyReturnPath, lastMailTo, relayedTo } from "./support/outbox.js"
import { paying } from "./support/owners.js"
import { accountOf, arrival, eventsOf, mailboxOf, newest, threadsOf } from "./support/reading.js"
import { inline, RECIPIENT, recipientsOf, reply, replyAll, send } from "./support/sends.js"

describe("a reply", () => {
  rule(
    "is sent to the author of the mail, under its subject, in its thread",
    Effect.gen(function* () {
      const owner = yield* paying()
      const references = ["<a@elsewhere.org>", "<b@elsewhere.org>"]
      const parent = yield* arrival(owner, {
        from: `Ada <${SENDER}>`,
        to: `${owner.address}, bob@elsewhere.org`,
        subject: "Lunch?",
        id: "<c@elsewhere.org>",
        references,
        text: "Shall we?",
      })
      const sent = yield* reply(owner, parent.id, { labels: ["done"] })
      expect(sent).toMatchObject({
        status: "SENT",
        threadId: parent.threadId,
        labels: ["done"],
        content: {
          direction: "OUTBOUND",
          toAddresses: [SENDER],
          ccAddresses: [],
          subject: "Re: Lunch?",
          bodyText: "Yes.",
          bodyHtml: null,
          inReplyTo: "<c@elsewhere.org>",
          references: [...references, "<c@elsewhere.org>"],
        },
      })
      const { envelope, mail } = yield* lastMailTo(SENDER)
      expect(envelope).toMatchObject({ from: anyReturnPath(owner), to: [SENDER] })
      expect(mail).toMatchObject({
        messageId: sent.content.messageId,
        from: { address: owner.address },
        to: [{ address: SENDER }],
        cc: [],
        subject: "Re: Lunch?",
        inReplyTo: ["<c@elsewhere.org>"],
        references: [...references, "<c@elsewhere.org>"],
      })
      expect(mail.text?.trim()).toBe("Yes.")
      expect((yield* threadsOf(owner)).threads).toMatchObject([{ id: parent.threadId, messageCount: 2 }])
    }),
  )

  rule(
    "counts as one send and emits one message.sent",
    Effect.gen(function* () {
      const owner = yield* paying()
      const parent = yield* arrival(owner)
      const before = yield* accountOf(owner)
      const sent = yield* reply(owner, parent.id)
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: before.sentToday + 1 })
      expect(yield* mailboxOf(owner)).toMatchObject({ dailySendCount: 1, monthlySendCount: 1 })
      expect((yield* eventsOf(owner)).slice(1)).toMatchObject([
        {
          event: "message.sent",
          data: {
            message_id: sent.content.id,
            to: [SENDER],
            thread_id: parent.threadId,
            subject: "Re: Hello",
          },
        },
      ])
    }),
  )

  rule(
    "goes to every address of a Reply-To, whatever their display names",
    Effect.gen(function* () {
      const owner = yield* paying()
      const replyTo =
        'Reply-To: =?utf-8?q?=22eve=40evil=2Eorg=22=2C_Desk?= <desk@elsewhere.org>, "Log, the" <Log@elsewhere.org>, nobody'
      const parent = yield* arrival(owner, { headers: [replyTo] })
      expect(recipientsOf(yield* reply(owner, parent.id))).toEqual({
        to: ["desk@elsewhere.org", "log@elsewhere.org"],
        cc: [],
      })
    }),
  )

  rule(
    "reads the Reply-To of a mail in the blob store",
    Effect.gen(function* () {
      const owner = yield* paying()
      const [spool, blobs] = yield* Effect.all([MailSpool, Blobs])
      const headers = ["Reply-To: desk@elsewhere.org, log@elsewhere.org"]
      const raw = aMail({ headers, files: [{ name: "large.bin", bytes: Buffer.alloc(2 * 1024 * 1024, 1) }] })
      const { sizeBytes } = yield* blobs.put("raw/large", Stream.make(raw))
      const content = { kind: "blob", key: "raw/large", sizeBytes } as const
      yield* spool.accept([{ envelope: envelopeTo([owner.address], NOON), content }])
      yield* Engine.settle
      const { to } = recipientsOf(yield* reply(owner, (yield* newest(owner)).id))
      expect(to).toEqual(["desk@elsewhere.org", "log@elsewhere.org"])
    }),
  )

  rule(
    "accepts copies, attachments and every other field of a send",
    Effect.gen(function* () {
      const owner = yield* paying()
      const parent = yield* arrival(owner)
      const sent = yield* reply(owner, parent.id, {
        cc: ["carl@elsewhere.org"],
        bcc: ["dora@elsewhere.org"],
        bodyHtml: "<p>Yes.</p>",
        replyTo: "desk@acme.dev",
        headers: { "X-Custom-Run": "7" },
        attachments: [inline("menu.txt", Buffer.from("soup"))],
      })
      expect(sent.content).toMatchObject({ bccAddresses: ["dora@elsewhere.org"], bodyHtml: "<p>Yes.</p>" })
      const { mail } = yield* lastMailTo(SENDER)
      expect(yield* relayedTo(sent.content.messageId)).toEqual([
        SENDER,
        "carl@elsewhere.org",
        "dora@elsewhere.org",
      ])
      expect(mail).toMatchObject({
        cc: [{ address: "carl@elsewhere.org" }],
        replyTo: [{ address: "desk@acme.dev" }],
        headers: { "x-custom-run": "7" },
        attachments: [{ filename: "menu.txt" }],
      })
    }),
  )

  rule(
    "to a sent mail goes to its recipients, after it in the thread",
    Effect.gen(function* () {
      const owner = yield* paying()
      const first = yield* send(owner, { cc: ["carl@elsewhere.org"], bcc: ["dora@elsewhere.org"] })
      const second = yield* reply(owner, first.content.id)
      expect(recipientsOf(second)).toEqual({ to: [RECIPIENT], cc: [] })
      expect(second.threadId).toBe(first.threadId)
      expect(second.content).toMatchObject({
        inReplyTo: first.content.messageId,
        references: [first.content.messageId],
      })
      const third = yield* reply(owner, second.content.id)
      expect(third.content).toMatchObject({
        subject: "Re: Hello",
        references: [first.content.messageId, second.content.messageId],
      })
    }),
  )

  rule(
    "to a mail from the mailbox to itself goes to the mailbox",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* send(owner, { to: [owner.address], subject: "Note" })
      yield* Engine.settle
      const note = yield* newest(owner, { direction: "INBOUND" })
      const sent = yield* replyAll(owner, note.id)
      expect(recipientsOf(sent)).toEqual({ to: [owner.address], cc: [] })
      yield* Engine.settle
      expect((yield* threadsOf(owner)).threads).toMatchObject([{ messageCount: 4 }])
    }),
  )

  rule(
    "to a mail without a Message-ID joins its thread",
    Effect.gen(function* () {
      const owner = yield* paying()
      const parent = yield* arrival(owner, { id: null })
      const sent = yield* reply(owner, parent.id)
      expect(sent.threadId).toBe(parent.threadId)
      expect(sent.content).toMatchObject({ inReplyTo: parent.messageId, references: [parent.messageId] })
    }),
  )

  rule(
    "to a machine is allowed",
    Effect.gen(function* () {
      const owner = yield* paying()
      const parent = yield* arrival(owner, { headers: ["Auto-Submitted: auto-replied"] })
      expect(parent.automated).toBe(true)
      expect((yield* reply(owner, parent.id)).status).toBe("SENT")
    }),
  )
})
