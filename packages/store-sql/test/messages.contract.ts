/** Contract of `MessageStore`: what it stores, and how messages change. */
import { describe, expect, layer } from "@effect/vitest"
import { type InboundGate, MessageId, RawMailId, timestamp } from "@mailroom/domain"
import {
  AttachmentStore,
  type MessageQuery,
  type MessageRecord,
  MessageStore,
  SendStore,
  ThreadStore,
} from "@mailroom/engine"
import { Effect, Option } from "effect"
import type { Database } from "./support/databases.js"
import { aMessage, anAttachment, aThread, newId, NOON, type Owner, storedMailbox } from "./support/records.js"

const everything = (owner: Owner): MessageQuery => ({
  mailboxId: owner.id,
  direction: null,
  threadId: null,
  since: null,
  before: null,
  offset: 0,
  limit: 100,
})

const everyVisible = (owner: Owner) => Effect.flatMap(MessageStore, (store) => store.page(everything(owner)))

const idsOf = (messages: ReadonlyArray<MessageRecord>) => messages.map(({ content }) => content.id)

export const messagesContract = (name: string, database: Database) =>
  describe(`${name}: messages`, () => {
    layer(database)((it) => {
      it.effect("returns a message as it was inserted, to its mailbox only", () =>
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

      it.effect("returns the raw mail of a message and the size of its bodies", () =>
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
            Option.some({
              status: short.status,
              gate: short.gate,
              quarantine: null,
              rawId: short.rawId,
              bodyBytes: 0,
            }),
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

      it.effect("finds the newest message with a Message-ID, compared exactly, hidden ones too", () =>
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

      it.effect("inserts hundreds at once, or none", () =>
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

      it.effect("knows which mails are already stored, and stores none twice", () =>
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
          expect(yield* Effect.forEach(probes, store.copyOf)).toEqual([
            Option.some(message),
            Option.none(),
            Option.none(),
            Option.none(),
          ])
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

      it.effect("stores labels and the time of reading", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const [message, other] = [aMessage(owner, { labels: ["old"] }), aMessage(owner)]
          yield* store.insert([message, other])
          const flags = { labels: ["a", 'b"'], readAt: NOON + 1 }
          yield* store.setFlags([
            { before: { ...message, id: message.content.id, mailboxId: owner.id }, after: flags },
          ])
          const stored = yield* Effect.flatten(store.byId(owner.id, message.content.id))
          expect(stored).toEqual({ ...message, ...flags })
          expect(yield* Effect.flatten(store.byId(owner.id, other.content.id))).toEqual(other)
        }),
      )

      it.effect("removes everything of a withdrawn message", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const message = aMessage(owner, { status: "SENDING" })
          yield* store.insert([message])
          const sends = yield* SendStore
          expect(yield* sends.withdraw(message.content.id)).toBe(true)
          expect(yield* sends.withdraw(message.content.id)).toBe(false)
          expect(yield* store.byId(owner.id, message.content.id)).toEqual(Option.none())
          yield* store.insert([message])
        }),
      )

      it.effect("finds messages that have been SENDING for too long, oldest first", () =>
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

      it.effect(
        "unlocks the gated messages of one account and gate at once, and shows them a few at a time",
        () =>
          Effect.gen(function* () {
            const store = yield* MessageStore
            const attachments = yield* AttachmentStore
            const [owner, other] = [yield* storedMailbox, yield* storedMailbox]
            const gated = (minute: number, gate: InboundGate, of = owner) =>
              aMessage(of, { createdAt: NOON + minute, gate })
            const monthly = [2, 1, 3].map((minute) => gated(minute, "INBOUND_LIMIT_EXCEEDED"))
            const trial = gated(4, "INBOUND_TRIAL_LIMIT_EXCEEDED")
            const foreign = gated(5, "INBOUND_LIMIT_EXCEEDED", other)
            yield* store.insert([...monthly, trial, foreign])
            const files = [...monthly, trial].map(({ content }) =>
              anAttachment(owner.accountId, { mailboxId: owner.id, messageId: content.id }),
            )
            yield* attachments.insert(files)
            const gates = (of: typeof owner, messages: ReadonlyArray<MessageRecord>) =>
              Effect.forEach(messages, ({ content }) =>
                Effect.gen(function* () {
                  const { gate } = yield* Effect.flatten(store.byId(of.id, content.id))
                  const reference = yield* Effect.flatten(store.referenceById(of.id, content.id))
                  expect(reference.gate).toBe(gate)
                  return gate
                }),
              )
            const shownAt = Effect.map(store.showUnlocked(owner.accountId, 2), (shown) =>
              shown.map(({ createdAt }) => createdAt - NOON),
            )
            expect(yield* shownAt).toEqual([])

            yield* store.unlock(owner.accountId, "INBOUND_LIMIT_EXCEEDED")
            expect(yield* gates(owner, [...monthly, trial])).toEqual([null, null, null, trial.gate])
            expect(yield* gates(other, [foreign])).toEqual([foreign.gate])
            const found = yield* attachments.byIds(
              owner.accountId,
              files.map(({ id }) => id),
            )
            expect(found.filter(({ gate }) => gate !== null).map(({ attachment }) => attachment)).toEqual(
              files.slice(3),
            )
            const query = { ...everything(owner), limit: 2 }
            const unlockedIds = (offset: number) =>
              Effect.map(store.page({ ...query, offset }, true), ({ items, hasMore }) => [
                items.length,
                hasMore,
              ])
            expect(yield* unlockedIds(0)).toEqual([2, true])
            expect(yield* unlockedIds(2)).toEqual([1, false])
            expect((yield* everyVisible(owner)).items).toEqual([])
            // Messages gated after this wait for the next unlocking.
            const later = gated(0, "INBOUND_LIMIT_EXCEEDED")
            yield* store.insert([later])
            expect(yield* shownAt).toEqual([1, 2])
            expect(yield* unlockedIds(0)).toEqual([2, true])
            expect(yield* unlockedIds(2)).toEqual([1, false])
            expect(yield* shownAt).toEqual([3])
            expect(yield* shownAt).toEqual([])
            expect((yield* everyVisible(owner)).items).toHaveLength(3)
            expect(yield* gates(owner, [later, trial])).toEqual([later.gate, trial.gate])

            yield* store.unlock(owner.accountId, "all")
            expect(yield* gates(owner, [later, trial])).toEqual([null, null])
            expect(yield* shownAt).toEqual([0, 4])
            expect((yield* everyVisible(owner)).items).toHaveLength(5)
            expect((yield* everyVisible(other)).items).toEqual([])
          }),
      )

      it.effect("returns the fields of an unlocked message that its thread needs", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const message = aMessage(owner, { gate: "INBOUND_LIMIT_EXCEEDED" })
          yield* store.insert([message])
          yield* store.unlock(owner.accountId, "all")
          const { subject, fromAddress, toAddresses, ccAddresses } = message.content
          expect(yield* store.showUnlocked(owner.accountId, 10)).toMatchObject([
            {
              threadId: message.threadId,
              createdAt: message.createdAt,
              content: { subject, fromAddress, toAddresses, ccAddresses },
            },
          ])
        }),
      )

      it.effect("returns the gate of the message to which an attachment belongs", () =>
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
              { attachment: inside, gate: "INBOUND_LIMIT_EXCEEDED", isQuarantined: false },
              { attachment: uploaded, gate: null, isQuarantined: false },
            ]),
          )
          expect(yield* attachments.byLink(foreign.id)).toEqual(Option.some(foreign))
        }),
      )

      it.effect("hides a message with its attachments in quarantine, and uncounts it in its thread", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const attachments = yield* AttachmentStore
          const threads = yield* ThreadStore
          const owner = yield* storedMailbox
          const thread = aThread(owner, { messageCount: 2, lastMessageAt: NOON + 1 })
          yield* threads.save([thread])
          const [first, second] = [0, 1].map((later) =>
            aMessage(owner, { threadId: thread.id, createdAt: NOON + later }),
          )
          if (first === undefined || second === undefined) return
          yield* store.insert([first, second])
          const { id } = second.content
          const file = anAttachment(owner.accountId, { mailboxId: owner.id, messageId: id })
          yield* attachments.insert([file])
          const counted = Effect.map(threads.byIds([thread.id]), ([one]) => [
            one?.messageCount,
            one?.lastMessageAt,
          ])
          const quarantine = { at: NOON + 9, reasons: ["manual"] } as const
          yield* store.quarantine(id, quarantine)
          yield* store.quarantine(id, { at: NOON + 10, reasons: ["spam"] })
          expect(yield* store.byId(owner.id, id)).toEqual(Option.some({ ...second, quarantine }))
          expect(yield* store.referenceById(owner.id, id)).toMatchObject({ value: { quarantine } })
          expect((yield* everyVisible(owner)).items).toHaveLength(1)
          expect(yield* counted).toEqual([1, NOON])
          expect(yield* attachments.byIds(owner.accountId, [file.id])).toMatchObject([
            { isQuarantined: true },
          ])
          expect(yield* attachments.byLink(file.id)).toEqual(Option.none())

          expect([yield* store.release(id), yield* store.release(id)]).toEqual([true, false])
          expect(yield* store.byId(owner.id, id)).toEqual(Option.some(second))
          expect((yield* everyVisible(owner)).items).toHaveLength(2)
          expect(yield* attachments.byLink(file.id)).toEqual(Option.some(file))
        }),
      )

      it.effect(
        "keeps an unlocked message in quarantine, and shows one that is released before its turn",
        () =>
          Effect.gen(function* () {
            const store = yield* MessageStore
            const owner = yield* storedMailbox
            const quarantine = { at: NOON, reasons: ["blocked"] } as const
            const [kept, freed] = [0, 1].map(() =>
              aMessage(owner, { gate: "INBOUND_LIMIT_EXCEEDED", quarantine }),
            )
            if (kept === undefined || freed === undefined) return
            yield* store.insert([kept, freed])
            yield* store.unlock(owner.accountId, "all")
            expect(yield* store.release(freed.content.id)).toBe(false)
            expect((yield* store.page(everything(owner), true)).items).toHaveLength(1)
            const shown = yield* store.showUnlocked(owner.accountId, 10)
            expect(new Set(shown.map(({ isQuarantined }) => isQuarantined))).toEqual(new Set([true, false]))
            expect((yield* everyVisible(owner)).items).toHaveLength(1)
            expect(yield* store.byId(owner.id, kept.content.id)).toMatchObject({
              value: { gate: null, quarantine },
            })
          }),
      )

      it.effect("attaches uploads to a message, and detaches them after a refused send", () =>
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
          expect(yield* attachments.detach(messageId, ids, null)).toEqual([own.blobKey])
          const left = yield* attachments.byIds(owner.accountId, [...ids, inline.id, shared.id, own.id])
          expect(new Set(left.map(({ attachment }) => attachment))).toEqual(new Set(uploads))
        }),
      )

      it.effect("removes an attachment without a message, and returns its blob unless it is shared", () =>
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
