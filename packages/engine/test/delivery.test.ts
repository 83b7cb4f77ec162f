/** The deliver stage: accepted mail becomes messages and events. */
import { describe, expect } from "@effect/vitest"
import { Engine, MailSpool, MessageStore, Messages, RawMailStore } from "@mailroom/engine"
import { Clock, Effect, Option, Stream, TestClock } from "effect"
import { accepted, aMail, envelopeTo, received, receivedMany, SENDER } from "./support/arrivals.js"
import { blobKeys, watchedBlobs } from "./support/blobs.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, paying, unverified } from "./support/owners.js"
import { accountOf, eventsOf, listed, mailboxOf, newest, receivedOf, subjectsOf } from "./support/reading.js"

/** The raw mail of the newest message. */
const rawOfNewest = (owner: Owner) =>
  Effect.gen(function* () {
    const [messages, raws] = yield* Effect.all([MessageStore, RawMailStore])
    const message = yield* Effect.flatten(messages.byId(owner.mailboxId, (yield* newest(owner)).id))
    const raw = message.rawId === null ? Option.none() : yield* raws.byId(message.rawId)
    return Option.map(raw, ({ content }) => content)
  })

describe("a mail that arrives", () => {
  rule(
    "becomes a message with all of its fields",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* received(owner.address, {
        from: "Ada <Ada@Elsewhere.org>",
        headers: ["Cc: bob@elsewhere.org", "Reply-To: desk@elsewhere.org", "X-Kind: test"],
        subject: "Lunch",
        id: "<lunch@elsewhere.org>",
        inReplyTo: "<hunger@elsewhere.org>",
        references: ["<morning@elsewhere.org>", "<hunger@elsewhere.org>"],
        text: "At noon?",
      })
      const { id } = yield* newest(owner)
      const messages = yield* Messages
      const message = yield* messages.get(yield* as(owner), owner.mailboxId, id)
      expect(message.content).toMatchObject({
        mailboxId: owner.mailboxId,
        direction: "INBOUND",
        messageId: "<lunch@elsewhere.org>",
        inReplyTo: "<hunger@elsewhere.org>",
        references: ["<morning@elsewhere.org>", "<hunger@elsewhere.org>"],
        fromName: "Ada",
        ccAddresses: ["bob@elsewhere.org"],
        bccAddresses: [],
        replyTo: "desk@elsewhere.org",
        subject: "Lunch",
        bodyText: "At noon?",
        bodyHtml: null,
        hasAttachments: false,
        receivedAt: "2026-03-10T12:00:00.000Z",
      })
      expect(message.content.fromAddress.toLowerCase()).toBe("ada@elsewhere.org")
      expect(message).toMatchObject({ status: "RECEIVED", gate: null, headers: { "x-kind": "test" } })
    }),
  )

  rule(
    "keeps its raw bytes",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const raw = aMail({ headers: ["Received: from a by b"], id: "<1@elsewhere.org>" })
      yield* Effect.zipRight(accepted(owner.address, raw), Engine.settle)
      const content = yield* Effect.flatten(rawOfNewest(owner))
      expect(content).toMatchObject({ kind: "inline" })
      expect(content.kind === "inline" && Buffer.compare(content.bytes, raw)).toBe(0)
    }),
  )

  rule(
    "has its own text, however large the mail before it was",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const spool = yield* MailSpool
      const texts = [500, 300, 400].map((kB, index) => `${String(index).repeat(kB * 1000)} end`)
      for (const text of texts) {
        const content = yield* spool.stage(Stream.make(aMail({ text })))
        const envelope = envelopeTo([owner.address], yield* Clock.currentTimeMillis)
        yield* Effect.zipRight(spool.accept([{ envelope, content }]), Engine.settle)
        const messages = yield* Messages
        const { id } = yield* newest(owner)
        const { content: message } = yield* messages.get(yield* as(owner), owner.mailboxId, id)
        // `toBe` of strings this long takes seconds to describe a difference.
        expect(message.bodyText === text).toBe(true)
        yield* TestClock.adjust("1 second")
      }
    }),
  )

  rule(
    "counts for the account and the mailbox",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* receivedMany(owner.address, 3)
      expect(yield* accountOf(owner)).toMatchObject({ monthlyInboundCount: 3, receivedToday: 3 })
      expect((yield* mailboxOf(owner)).receivedThisMonth).toBe(3)
    }),
  )

  rule(
    "emits one message.received with all fields",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* received(owner.address, { subject: "Lunch", id: "<lunch@elsewhere.org>", text: "At noon?" })
      const message = yield* newest(owner)
      expect(yield* eventsOf(owner)).toEqual([
        {
          event: "message.received",
          timestamp: "2026-03-10T12:00:00.000Z",
          data: {
            message_id: message.id,
            rfc_message_id: "<lunch@elsewhere.org>",
            mailbox_id: owner.mailboxId,
            mailbox_address: owner.address,
            from: SENDER,
            from_name: null,
            to: [owner.address],
            cc: [],
            subject: "Lunch",
            body_text: "At noon?",
            body_html: null,
            thread_id: message.threadId,
            in_reply_to: null,
            automated: false,
            authentication: { spf: "none", dkim: "none", dmarc: "none", verified_domain: null },
            trust: { level: "unverified", reasons: [] },
            received_at: "2026-03-10T12:00:00.000Z",
            attachments: [],
          },
        },
      ])
    }),
  )

  rule(
    "for several mailboxes becomes one message and one event in each",
    Effect.gen(function* () {
      const owner = yield* unverified("acme")
      const other = yield* unverified("other")
      const recipients = [owner.address, other.address, owner.address, "agent+tag@acme.mailroom.localhost"]
      yield* received(recipients, { subject: "For all", id: "<1@elsewhere.org>" })
      for (const reader of [owner, other]) {
        expect(subjectsOf(yield* listed(reader))).toEqual(["For all"])
        expect(yield* receivedOf(reader)).toMatchObject([{ mailbox_address: reader.address }])
      }
    }),
  )

  rule(
    "is delivered in the order of acceptance, batch after batch",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* receivedMany(owner.address, 150)
      const order = (yield* listed(owner, { limit: 100 })).reverse().map(({ subject }) => subject)
      expect(order).toEqual(Array.from({ length: 100 }, (_, index) => `Mail ${index + 51}`))
      const told = (yield* receivedOf(owner)).map(({ subject }) => subject)
      expect(told).toEqual(order)
    }),
  )
})

describe("the same mail again", () => {
  const mail = { subject: "Once", id: "<once@elsewhere.org>" }

  ruleWith(watchedBlobs)(
    "is stored once, whatever its envelope is, and leaves no bytes behind",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const files = [{ name: "a.bin", bytes: Buffer.alloc(100) }]
      yield* received(owner.address, { ...mail, files })
      yield* received(owner.address, { ...mail, files, headers: ["Received: from a by b"] })
      expect(yield* listed(owner)).toHaveLength(1)
      expect(yield* eventsOf(owner)).toHaveLength(1)
      expect(yield* accountOf(owner)).toMatchObject({ monthlyInboundCount: 1, storageUsedBytes: 100 })
      yield* Engine.settle
      expect(yield* blobKeys).toHaveLength(1)
    }),
  )

  rule(
    "is stored once also when both are in one batch",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* accepted(owner.address, aMail(mail))
      yield* accepted(owner.address, aMail(mail))
      yield* Engine.settle
      expect(yield* listed(owner)).toHaveLength(1)
      expect(yield* eventsOf(owner)).toHaveLength(1)
    }),
  )

  rule(
    "is stored in each mailbox of its recipients",
    Effect.gen(function* () {
      const owner = yield* unverified("acme")
      const other = yield* unverified("other")
      yield* received(owner.address, mail)
      yield* received([owner.address, other.address], mail)
      expect(yield* listed(owner)).toHaveLength(1)
      expect(yield* listed(other)).toHaveLength(1)
    }),
  )

  rule(
    "is a second message when its content differs under the same Message-ID, or without a Message-ID",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* received(owner.address, mail)
      yield* received(owner.address, { ...mail, text: "Something else." })
      yield* received(owner.address, { subject: "No id", id: null })
      yield* received(owner.address, { subject: "No id", id: null })
      expect(subjectsOf(yield* listed(owner))).toEqual(["No id", "No id", "Once", "Once"])
    }),
  )
})

describe("a mail that is not well formed", () => {
  for (const [what, raw] of [
    ["nothing but bytes", Buffer.from([0, 255, 13, 10, 0, 1, 2, 128])],
    ["an empty mail", new Uint8Array()],
    [
      "a multipart without its end",
      Buffer.from('Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n\r\nhi'),
    ],
  ] as const)
    rule(
      `is delivered with what could be read, its raw bytes kept: ${what}`,
      Effect.gen(function* () {
        const owner = yield* unverified()
        yield* Effect.zipRight(accepted(owner.address, raw), Engine.settle)
        const message = yield* newest(owner)
        expect(message).toMatchObject({ status: "RECEIVED", fromAddress: SENDER })
        expect(message.messageId).toBe(`<${message.id}@mailroom.localhost>`)
        const content = yield* Effect.flatten(rawOfNewest(owner))
        expect(content.kind === "inline" && Buffer.compare(content.bytes, raw)).toBe(0)
        expect(yield* receivedOf(owner)).toHaveLength(1)
      }),
    )
})
