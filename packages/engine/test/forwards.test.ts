/** Forwarding a message: text, attachments, and the new thread (`spec: decisions.messages.forward`). */
import { describe, expect } from "@effect/vitest"
import { MessageId } from "@mailroom/domain"
import { ApiKeys, Attachments, Engine } from "@mailroom/engine"
import { Effect } from "effect"
import { accepted, received } from "./support/arrivals.js"
import { blobKeys, watchedBlobs } from "./support/blobs.js"
import { changeAccount, suppress } from "./support/changes.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { anyReturnPath, lastMailTo } from "./support/outbox.js"
import { as, paying } from "./support/owners.js"
import { accountOf, arrival, eventsOf, listed, newest, stubsOf, threadsOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { forward, inline, RECIPIENT, send } from "./support/sends.js"

const MB = 1024 * 1024

/** A mail with an inline image in its HTML, and an attachment. */
const illustrated = Buffer.from(
  [
    "From: Ada <ada@elsewhere.org>",
    "To: agent@acme.mailroom.localhost",
    "Subject: Menu",
    "Date: Tue, 10 Mar 2026 13:00:00 +0100",
    "Message-ID: <menu@elsewhere.org>",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="outer"',
    "",
    "--outer",
    'Content-Type: multipart/related; boundary="inner"',
    "",
    "--inner",
    "Content-Type: text/html; charset=utf-8",
    "",
    '<p>Soup</p><img src="cid:soup@elsewhere.org">',
    "--inner",
    "Content-Type: image/png",
    "Content-ID: <soup@elsewhere.org>",
    "Content-Disposition: inline; filename=soup.png",
    "",
    "pixels",
    "--inner--",
    "--outer",
    "Content-Type: text/csv",
    "Content-Disposition: attachment; filename=prices.csv",
    "",
    "1,2",
    "--outer--",
    "",
  ].join("\r\n"),
)

describe("a forwarded message", () => {
  rule(
    "has the comment, the header block and the text",
    Effect.gen(function* () {
      const owner = yield* paying()
      const original = yield* arrival(owner, {
        from: "Ada <ada@elsewhere.org>",
        subject: "Lunch",
        text: "Shall we?",
        headers: ["Date: Tue, 10 Mar 2026 13:00:00 +0100", "Cc: carl@elsewhere.org"],
      })
      const sent = yield* forward(owner, original.id, { bodyText: "For you." })
      const text = [
        "For you.",
        "",
        "---------- Forwarded message ---------",
        "From: Ada <ada@elsewhere.org>",
        "Date: Tue, 10 Mar 2026 13:00:00 +0100",
        "Subject: Lunch",
        `To: ${owner.address}`,
        "Cc: carl@elsewhere.org",
        "",
        "Shall we?",
      ].join("\n")
      expect(sent).toMatchObject({ status: "SENT", content: { subject: "Fwd: Lunch", bodyHtml: null } })
      expect(sent.content.bodyText?.trim()).toBe(text)
      const { envelope, mail } = yield* lastMailTo(RECIPIENT)
      expect(envelope).toMatchObject({ from: anyReturnPath(owner), to: [RECIPIENT] })
      expect(mail.subject).toBe("Fwd: Lunch")
      expect(mail.text?.trim()).toBe(text)
    }),
  )

  rule(
    "starts a new thread and counts as one send",
    Effect.gen(function* () {
      const owner = yield* paying()
      const original = yield* arrival(owner, { id: "<b@elsewhere.org>", references: ["<a@elsewhere.org>"] })
      const sent = yield* forward(owner, original.id)
      expect(sent.threadId).not.toBe(original.threadId)
      expect(sent.content).toMatchObject({ inReplyTo: null, references: [] })
      expect((yield* lastMailTo(RECIPIENT)).mail).toMatchObject({ inReplyTo: [], references: [] })
      expect((yield* threadsOf(owner)).threads).toHaveLength(2)
      expect((yield* eventsOf(owner)).map(({ event }) => event)).toEqual(["message.received", "message.sent"])
      expect(yield* accountOf(owner)).toMatchObject({ sentToday: 1 })
    }),
  )

  rule(
    "is not truncated, whatever its length",
    Effect.gen(function* () {
      const owner = yield* paying()
      const text = "long line\r\n".repeat(20_000)
      const original = yield* arrival(owner, { text })
      expect(original.bodyText?.length).toBeLessThan(text.length)
      const sent = yield* forward(owner, original.id)
      expect(sent.content.bodyText?.match(/long line/g)).toHaveLength(20_000)
    }),
  )

  rule(
    "does not name blind copies when we sent the original",
    Effect.gen(function* () {
      const owner = yield* paying()
      const original = yield* send(owner, { to: ["carl@elsewhere.org"], bcc: ["dora@elsewhere.org"] })
      const sent = yield* forward(owner, original.content.id)
      expect(sent.content.toAddresses).toEqual([RECIPIENT])
      expect(sent.content.bodyText).toContain(`From: ${owner.address}\n`)
      expect((yield* lastMailTo(RECIPIENT)).raw).not.toContain("dora")
    }),
  )
})

describe("the attachments of a forwarded message", () => {
  ruleWith(watchedBlobs)(
    "are sent along: an inline image by its content id, the others attached",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* accepted(owner.address, illustrated)
      yield* Engine.settle
      const original = yield* newest(owner)
      const sent = yield* forward(owner, original.id, {
        attachments: [inline("mine.txt", Buffer.from("me"))],
      })
      const { mail, raw } = yield* lastMailTo(RECIPIENT)
      expect(mail.html).toContain('<p>Soup</p><img src="cid:soup@elsewhere.org">')
      expect(mail.attachments.map(({ filename, contentId }) => [filename, contentId])).toEqual([
        ["soup.png", "soup@elsewhere.org"],
        ["prices.csv", null],
        ["mine.txt", null],
      ])
      expect(raw).toContain("multipart/related")
      expect(raw).toMatch(/Content-Disposition: inline; filename=soup\.png/)
      const originals = original.attachments.map(({ id }) => id)
      expect(sent.content.attachments.map(({ filename }) => filename)).toEqual([
        "soup.png",
        "prices.csv",
        "mine.txt",
      ])
      for (const { id } of sent.content.attachments) expect(originals).not.toContain(id)
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(2 * (6 + 3) + 2)
      expect(yield* blobKeys).toHaveLength(3)
    }),
  )

  rule(
    "arrive unchanged at a mailbox of the platform",
    Effect.gen(function* () {
      const acme = yield* paying("acme")
      const other = yield* paying("other")
      yield* accepted(acme.address, illustrated)
      yield* Engine.settle
      yield* forward(acme, (yield* newest(acme)).id, { to: [other.address], bodyText: "Look." })
      yield* Engine.settle
      const arrived = yield* newest(other)
      expect(arrived).toMatchObject({ subject: "Fwd: Menu", fromAddress: acme.address })
      expect(arrived.bodyHtml).toContain("<div>Look.</div>")
      const soup = arrived.attachments.find(({ filename }) => filename === "soup.png")
      expect(soup).toMatchObject({ contentId: "soup@elsewhere.org", contentType: "image/png", sizeBytes: 6 })
      expect((yield* forward(other, arrived.id)).content.subject).toBe("Fwd: Menu")
    }),
  )

  rule(
    "are available to a key scoped to that mailbox",
    Effect.gen(function* () {
      const owner = yield* paying()
      const keys = yield* ApiKeys
      const original = yield* arrival(owner, { files: [{ name: "a.bin", bytes: Buffer.from("12345") }] })
      const { key } = yield* keys.create(yield* as(owner), { name: "one", mailboxIds: [owner.mailboxId] })
      const sent = yield* forward({ ...owner, key }, original.id)
      const attachments = yield* Attachments
      for (const { id } of sent.content.attachments)
        expect(yield* attachments.get(yield* as({ key }), id)).toMatchObject({
          filename: "a.bin",
          sizeBytes: 5,
        })
    }),
  )

  rule(
    "are refused above 20, above 25 MB, and where the storage has no room",
    Effect.gen(function* () {
      const owner = yield* paying()
      const files = Array.from({ length: 20 }, (_, index) => ({
        name: `${index}.bin`,
        bytes: Buffer.from("1"),
      }))
      const full = yield* arrival(owner, { files })
      const another = [inline("another.bin", Buffer.from("1"))]
      expect(yield* refused(forward(owner, full.id, { attachments: another }))).toMatchObject({
        _tag: "InvalidInput",
        issues: [{ path: "attachments" }],
      })
      expect((yield* forward(owner, full.id)).content.attachments).toHaveLength(20)

      const large = yield* arrival(owner, { files: [{ name: "l.bin", bytes: Buffer.alloc(13 * MB) }] })
      const attachments = [inline("m.bin", Buffer.alloc(13 * MB))]
      expect(yield* refused(forward(owner, large.id, { attachments }))).toMatchObject({
        _tag: "SizeExceeded",
        limitBytes: 25 * MB,
      })
      yield* changeAccount(owner, { storageUsedBytes: 10 * 1024 * MB })
      expect(yield* refused(forward(owner, large.id))).toMatchObject({ _tag: "StorageFull" })
    }),
  )
})

describe("a forward is refused for", () => {
  rule(
    "a gated message, with the error of a read",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* changeAccount(owner, { lapsed: true })
      yield* received(owner.address)
      yield* changeAccount(owner, { lapsed: false })
      const id = (yield* stubsOf(owner)).at(-1)?.message_id ?? MessageId.make(owner.mailboxId)
      expect(yield* refused(forward(owner, id))).toMatchObject({
        _tag: "OverInboundLimit",
        resource: { type: "message", id },
      })
      expect(yield* listed(owner)).toEqual([])
    }),
  )

  rule(
    "a message of another account, and a recipient that a send refuses",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const other = yield* paying("other")
      const original = yield* arrival(owner)
      expect(yield* refused(forward(other, original.id))).toMatchObject({
        _tag: "NotFound",
        resource: "message",
      })
      yield* suppress(owner, RECIPIENT)
      expect(yield* refused(forward(owner, original.id))).toMatchObject({
        _tag: "RecipientSuppressed",
        address: RECIPIENT,
      })
    }),
  )
})
