/** What a `MessageStore` keeps, and how it changes. */
import { describe, expect, layer } from "@effect/vitest"
import { MessageId, RawMailId, timestamp } from "@mailroom/domain"
import { AttachmentStore, type MessageRecord, MessageStore } from "@mailroom/engine"
import { Effect, Option } from "effect"
import type { Database } from "./support/databases.js"
import { aMessage, anAttachment, newId, NOON, type Owner, storedMailbox } from "./support/records.js"

const everyVisible = (owner: Owner) =>
  Effect.flatMap(MessageStore, (store) =>
    store.page({
      mailboxId: owner.id,
      direction: null,
      threadId: null,
      since: null,
      before: null,
      offset: 0,
      limit: 100,
    }),
  )

const idsOf = (messages: ReadonlyArray<MessageRecord>) => messages.map(({ content }) => content.id)

export const messagesContract = (name: string, database: Database) =>
  describe(`${name}: messages`, () => {
    layer(database)((it) => {
      it.effect("gives back a message as it was inserted, to its mailbox only", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const message = aMessage(owner, {
            labels: ["a", 'b"'],
            readAt: NOON,
            dedupKey: "key",
            rawId: RawMailId.make(newId()),
            content: {
              direction: "OUTBOUND",
              bccAddresses: ["blind@copy.org"],
              authentication: { spf: "pass", dkim: "none", dmarc: "fail", verifiedDomain: null },
              codes: [{ code: "123456", context: "Your code" }],
            },
          })
          yield* store.insert([message])
          expect(yield* store.byId(owner.id, message.content.id)).toEqual(Option.some(message))
          expect(yield* store.byId((yield* storedMailbox).id, message.content.id)).toEqual(Option.none())
        }),
      )

      it.effect("says where the source of a message is, and how large its bodies are", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const rawId = RawMailId.make(newId())
          const long = aMessage(owner, { rawId, content: { bodyText: "é".repeat(100_000), bodyHtml: null } })
          const short = aMessage(owner, { gate: "INBOUND_LIMIT_EXCEEDED", content: { bodyText: "short" } })
          yield* store.insert([long, short])
          const found = yield* Effect.flatten(store.referenceById(owner.id, long.content.id))
          expect(found).toMatchObject({ status: long.status, gate: null, rawId })
          expect(found.bodyBytes).toBeGreaterThanOrEqual(200_000)
          expect(yield* store.referenceById(owner.id, short.content.id)).toEqual(
            Option.some({ status: short.status, gate: short.gate, rawId: short.rawId, bodyBytes: 0 }),
          )
          expect(yield* store.referenceById((yield* storedMailbox).id, long.content.id)).toEqual(
            Option.none(),
          )
        }),
      )

      it.effect("keeps long bodies whole", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const message = aMessage(owner, {
            content: {
              bodyText: `${"é".repeat(100_000)}\n> Before`,
              bodyHtml: "<p>short</p>",
              extractedText: "é".repeat(100_000),
            },
          })
          yield* store.insert([message])
          expect(yield* store.byId(owner.id, message.content.id)).toEqual(Option.some(message))
        }),
      )

      it.effect("finds the newest message with an RFC id, compared exactly, hidden ones too", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const messageId = `<Mixed.${newId()}@sender.org>`
          const [old, fresh] = [NOON, NOON + 1].map((createdAt) =>
            aMessage(owner, { createdAt, gate: "INBOUND_LIMIT_EXCEEDED", content: { messageId } }),
          )
          if (old === undefined || fresh === undefined) throw new Error("two messages were made")
          yield* store.insert([fresh, old])
          expect(yield* store.byRfcId(owner.id, messageId)).toEqual(Option.some(fresh))
          expect(yield* store.byRfcId(owner.id, messageId.toLowerCase())).toEqual(Option.none())
        }),
      )

      it.effect("inserts hundreds at once, and none when one of them cannot be", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const messages = Array.from({ length: 131 }, () => aMessage(owner))
          const spoiled = [...messages, ...messages.slice(0, 1)]
          expect((yield* Effect.exit(store.insert(spoiled)))._tag).toBe("Failure")
          expect((yield* everyVisible(owner)).items).toEqual([])
          yield* store.insert(messages)
          expect((yield* everyVisible(owner)).hasMore).toBe(true)
          yield* store.insert([])
        }),
      )

      it.effect("knows which mails are stored already, and stores none twice", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const [one, two] = [yield* storedMailbox, yield* storedMailbox]
          const message = aMessage(one, { dedupKey: "same" })
          yield* store.insert([message, aMessage(one)])
          const probe = { mailboxId: one.id, rfcId: message.content.messageId, dedupKey: "same" }
          const probes = [
            probe,
            { ...probe, dedupKey: "other" },
            { ...probe, rfcId: "<other@x.org>" },
            { ...probe, mailboxId: two.id },
          ]
          expect(yield* store.stored(probes)).toEqual([probe])
          const again = aMessage(one, { dedupKey: "same" })
          const sameId = { ...again, content: { ...again.content, messageId: probe.rfcId } }
          expect((yield* Effect.exit(store.insert([sameId])))._tag).toBe("Failure")
        }),
      )

      it.effect("shows a message once it is sent, and keeps the time of sending", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const message = aMessage(owner, { status: "SENDING", content: { direction: "OUTBOUND" } })
          yield* store.insert([message])
          expect((yield* everyVisible(owner)).items).toEqual([])
          yield* store.setStatus(message.content.id, "SENT", NOON + 1)
          yield* store.setStatus(message.content.id, "BOUNCED", null)
          const [item] = (yield* everyVisible(owner)).items
          expect(JSON.parse(item ?? "")).toMatchObject({ status: "BOUNCED", sentAt: timestamp(NOON + 1) })
        }),
      )

      it.effect("keeps labels and the time of reading as they are set", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const [message, other] = [aMessage(owner, { labels: ["old"] }), aMessage(owner)]
          yield* store.insert([message, other])
          const flags = { labels: ["a", 'b"'], readAt: NOON + 1 }
          yield* store.setFlags(message.content.id, flags)
          const stored = yield* Effect.flatten(store.byId(owner.id, message.content.id))
          expect(stored).toEqual({ ...message, ...flags })
          expect(yield* Effect.flatten(store.byId(owner.id, other.content.id))).toEqual(other)
        }),
      )

      it.effect("leaves nothing of a withdrawn message", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const message = aMessage(owner, { status: "SENDING" })
          yield* store.insert([message])
          yield* store.withdraw(message.content.id)
          expect(yield* store.byId(owner.id, message.content.id)).toEqual(Option.none())
          yield* store.insert([message])
        }),
      )

      it.effect("finds what has been SENDING for too long, oldest first", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const sending = [3, 1, 2].map((createdAt) => aMessage(owner, { createdAt, status: "SENDING" }))
          yield* store.insert([...sending, aMessage(owner, { createdAt: 1, status: "SENT" })])
          const [three, one, two] = sending
          expect(yield* store.stale(3, 10)).toEqual([one, two])
          expect(yield* store.stale(4, 1)).toEqual([one])
          expect(yield* store.stale(4, 10)).toEqual([one, two, three])
        }),
      )

      it.effect("unlocks the gated messages of one account and gate, a few at a time", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const [owner, other] = [yield* storedMailbox, yield* storedMailbox]
          const monthly = [2, 1, 3].map((minute) =>
            aMessage(owner, { createdAt: NOON + minute, gate: "INBOUND_LIMIT_EXCEEDED" }),
          )
          const trial = aMessage(owner, { gate: "INBOUND_TRIAL_LIMIT_EXCEEDED" })
          const foreign = aMessage(other, { gate: "INBOUND_LIMIT_EXCEEDED" })
          yield* store.insert([...monthly, trial, foreign])
          const [two, one, three] = monthly.map((message) => ({ ...message, gate: null }))
          expect(yield* store.unlock(owner.accountId, "INBOUND_LIMIT_EXCEEDED", 2)).toEqual([one, two])
          expect(yield* store.unlock(owner.accountId, "INBOUND_LIMIT_EXCEEDED", 2)).toEqual([three])
          expect(yield* store.unlock(owner.accountId, "INBOUND_LIMIT_EXCEEDED", 2)).toEqual([])
          expect((yield* everyVisible(owner)).items).toHaveLength(3)
          expect(yield* store.unlock(owner.accountId, "all", 2)).toEqual([{ ...trial, gate: null }])
          expect((yield* everyVisible(other)).items).toEqual([])
        }),
      )

      it.effect("tells the gate of the message an attachment belongs to", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const attachments = yield* AttachmentStore
          const owner = yield* storedMailbox
          const gated = aMessage(owner, { gate: "INBOUND_LIMIT_EXCEEDED" })
          yield* store.insert([gated])
          const inside = anAttachment(owner.accountId, { mailboxId: owner.id, messageId: gated.content.id })
          const uploaded = anAttachment(owner.accountId)
          const foreign = anAttachment((yield* storedMailbox).accountId)
          yield* attachments.insert([inside, uploaded, foreign])
          const found = yield* attachments.byIds(owner.accountId, [inside.id, uploaded.id, foreign.id])
          expect(new Set(found)).toEqual(
            new Set([
              { attachment: inside, gate: "INBOUND_LIMIT_EXCEEDED" },
              { attachment: uploaded, gate: null },
            ]),
          )
          expect(yield* attachments.byLink(foreign.id)).toEqual(Option.some(foreign))
        }),
      )

      it.effect("ties uploads to a message, and undoes a refused send", () =>
        Effect.gen(function* () {
          const attachments = yield* AttachmentStore
          const owner = yield* storedMailbox
          const messageId = MessageId.make(newId())
          const uploads = [anAttachment(owner.accountId), anAttachment(owner.accountId)]
          const inline = anAttachment(owner.accountId, { mailboxId: owner.id, messageId })
          const shared = anAttachment(owner.accountId, { ...inline, id: anAttachment(owner.accountId).id })
          const kept = { ...anAttachment(owner.accountId), blobKey: shared.blobKey }
          const own = anAttachment(owner.accountId, { mailboxId: owner.id, messageId })
          yield* attachments.insert([...uploads, inline, shared, kept, own])
          const ids = uploads.map(({ id }) => id)
          yield* attachments.attach(ids, owner.id, messageId)
          const tied = yield* attachments.byIds(owner.accountId, ids)
          expect(tied.map(({ attachment }) => attachment.messageId)).toEqual([messageId, messageId])
          expect(yield* attachments.detach(messageId, ids)).toEqual([own.blobKey])
          const left = yield* attachments.byIds(owner.accountId, [...ids, inline.id, shared.id, own.id])
          expect(new Set(left.map(({ attachment }) => attachment))).toEqual(new Set(uploads))
        }),
      )

      it.effect("removes an attachment of no message, and tells its blob unless it is shared", () =>
        Effect.gen(function* () {
          const attachments = yield* AttachmentStore
          const owner = yield* storedMailbox
          const sent = anAttachment(owner.accountId, { messageId: MessageId.make(newId()) })
          const one = anAttachment(owner.accountId)
          const two = { ...anAttachment(owner.accountId), blobKey: one.blobKey }
          yield* attachments.insert([sent, one, two])
          expect(yield* attachments.remove(sent.id)).toEqual(Option.none())
          expect(yield* attachments.byLink(sent.id)).toEqual(Option.some(sent))
          expect(yield* attachments.remove(one.id)).toEqual(Option.none())
          expect(yield* attachments.remove(two.id)).toEqual(Option.some(one.blobKey))
          expect(yield* attachments.byLink(two.id)).toEqual(Option.none())
        }),
      )

      it.effect("keeps messages apart that were created in one millisecond", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const messages = [aMessage(owner), aMessage(owner)]
          yield* store.insert(messages)
          const { items } = yield* everyVisible(owner)
          const shown = items.map((item) => /"id":"([^"]+)"/.exec(item)?.[1])
          expect(shown).toEqual([...idsOf(messages)].reverse())
        }),
      )
    })
  })
