/** Contract of `MessageStore`: removing messages and mailboxes leaves no rows and no blobs behind. */
import { describe, expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { RawMailId } from "@mailroom/domain"
import {
  AttachmentStore,
  MailboxStore,
  MessageStore,
  RawMailStore,
  SendStore,
  ThreadStore,
} from "@mailroom/engine"
import { Effect, Option, Schema } from "effect"
import type { Database } from "./support/databases.js"
import {
  aMessage,
  anAttachment,
  aQueueEntry,
  aRawMail,
  aThread,
  newId,
  type Owner,
  storedMailbox,
} from "./support/records.js"

const TABLES = [
  "messages",
  "message_details",
  "message_terms",
  "message_subjects",
  "threads",
  "thread_links",
  "thread_aliases",
  "thread_moves",
  "attachments",
  "raw_mails",
  "inbound_queue",
]

const decodeCount = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ count: Schema.NumberFromString })))

/** The number of rows of each table. */
const rowCounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const counts = yield* Effect.forEach(TABLES, (table) =>
    Effect.flatMap(sql`/* test */ SELECT CAST(count(*) AS TEXT) AS count FROM ${sql(table)}`, decodeCount),
  )
  return Object.fromEntries(TABLES.map((table, index) => [table, counts[index]?.[0].count]))
})

/** Ten messages in as many threads, each with a raw mail, a link and an attachment; a blob is shared with `other`. */
const fill = (owner: Owner, other: Owner) =>
  Effect.gen(function* () {
    const messages = yield* MessageStore
    const threads = yield* ThreadStore
    const raws = yield* RawMailStore
    const attachments = yield* AttachmentStore
    const made = Array.from({ length: 10 }, (_, index) => {
      const thread = aThread(owner)
      const raw = aRawMail(
        index % 2 === 0 ? {} : { content: { kind: "blob", key: `raw/${thread.id}`, sizeBytes: 70_000 } },
      )
      const message = aMessage(owner, {
        threadId: thread.id,
        rawId: raw.id,
        ...(index === 0 && { gate: "INBOUND_LIMIT_EXCEEDED" as const }),
      })
      const file = anAttachment(owner.accountId, { mailboxId: owner.id, messageId: message.content.id })
      return { thread, raw, message, file }
    })
    const shared = made[0]?.file.blobKey ?? "no blob"
    yield* raws.insert(made.map(({ raw }) => raw))
    yield* threads.save(made.map(({ thread }) => thread))
    yield* threads.link(
      made.map(({ thread, message }) => ({
        mailboxId: owner.id,
        rfcId: message.content.messageId,
        threadId: thread.id,
      })),
    )
    yield* messages.insert(made.map(({ message }) => message))
    yield* attachments.insert(made.map(({ file }) => file))
    yield* attachments.insert([{ ...anAttachment(other.accountId), blobKey: shared }])
    return { made, shared }
  })

export const purgeContract = (name: string, database: Database) =>
  describe(`${name}: removing messages`, () => {
    layer(database)((it) => {
      it.effect("removes every row, and returns every blob without a reference", () =>
        Effect.gen(function* () {
          const messages = yield* MessageStore
          const threads = yield* ThreadStore
          const [owner, other] = [yield* storedMailbox, yield* storedMailbox]
          const kept = aMessage(other)
          yield* messages.insert([kept])
          const before = yield* rowCounts

          const { made, shared } = yield* fill(owner, other)
          const [first, second] = made
          if (first === undefined || second === undefined) throw new Error("ten messages were made")
          yield* threads.absorb(second.thread.id, first.thread.id, 0)
          // The thread of a withdrawn message, its only one.
          const empty = aThread(owner, { messageCount: 0 })
          yield* threads.save([empty])
          yield* threads.link([{ mailboxId: owner.id, rfcId: "<gone@sender.org>", threadId: empty.id }])
          yield* Effect.flatMap(MailboxStore, (store) => store.remove(owner.id))

          const blobKeys: Array<string> = []
          let attachmentBytes = 0
          const removed: Array<number> = []
          do {
            const purged = yield* messages.purge(owner.id, 4)
            removed.push(purged.removed)
            blobKeys.push(...purged.blobKeys)
            attachmentBytes += purged.attachmentBytes
          } while (removed.at(-1) === 4)
          // Ten messages, eleven links, one moving thread, ten threads: every step but the last is full.
          expect(removed).toEqual([4, 4, 4, 4, 4, 4, 4, 4, 0])
          expect(attachmentBytes).toBe(1000)
          const blobs = made.flatMap(({ raw, file }) => [
            ...(raw.content.kind === "blob" ? [raw.content.key] : []),
            ...(file.blobKey === shared ? [] : [file.blobKey]),
          ])
          expect(blobKeys.sort()).toEqual(blobs.sort())
          expect(yield* rowCounts).toEqual({ ...before, attachments: (before["attachments"] ?? 0) + 1 })
          expect(yield* messages.byId(other.id, kept.content.id)).toEqual(Option.some(kept))
        }),
      )

      it.effect("removes one message from its thread, and the thread with its last message", () =>
        Effect.gen(function* () {
          const messages = yield* MessageStore
          const threads = yield* ThreadStore
          const owner = yield* storedMailbox
          const before = yield* rowCounts
          const [early, late, hidden] = [10, 20, 30].map((createdAt) =>
            aMessage(owner, {
              createdAt,
              ...(createdAt === 30 && { gate: "INBOUND_LIMIT_EXCEEDED" as const }),
            }),
          )
          if (early === undefined || late === undefined || hidden === undefined) throw new Error("three")
          const thread = aThread(owner, { messageCount: 2, lastMessageAt: 20 })
          yield* threads.save([thread])
          yield* messages.insert([early, late, hidden].map((one) => ({ ...one, threadId: thread.id })))

          expect(yield* messages.remove(late.content.id)).toEqual({
            removed: 1,
            blobKeys: [],
            attachmentBytes: 0,
            emptied: null,
          })
          const left = { ...thread, messageCount: 1, lastMessageAt: 10 }
          expect(yield* threads.byId(owner.id, thread.id)).toEqual(Option.some(left))
          yield* messages.remove(early.content.id)
          expect(yield* threads.byId(owner.id, thread.id)).toEqual(Option.some({ ...left, messageCount: 0 }))
          yield* messages.remove(hidden.content.id)
          expect(yield* threads.byId(owner.id, thread.id)).toEqual(Option.none())
          expect(yield* rowCounts).toEqual(before)
          expect((yield* messages.remove(hidden.content.id)).removed).toBe(0)
        }),
      )

      it.effect("subtracts a removed message from its thread's count, without counting the others", () =>
        Effect.gen(function* () {
          const messages = yield* MessageStore
          const threads = yield* ThreadStore
          const owner = yield* storedMailbox
          const thread = aThread(owner, { messageCount: 7, lastMessageAt: 30 })
          const [one, two, three, sending] = [10, 20, 30, 40].map((createdAt) =>
            aMessage(owner, {
              threadId: thread.id,
              createdAt,
              ...(createdAt === 40 && { status: "SENDING" }),
            }),
          )
          if (one === undefined || two === undefined || three === undefined || sending === undefined)
            throw new Error("four")
          yield* threads.save([thread])
          yield* messages.insert([one, two, three, sending])
          const after = ({ content }: typeof one) =>
            Effect.map(
              Effect.zipRight(messages.remove(content.id), Effect.flatten(threads.byId(owner.id, thread.id))),
              ({ messageCount, lastMessageAt }) => [messageCount, lastMessageAt],
            )
          expect(yield* after(two)).toEqual([6, 30])
          expect(yield* after(three)).toEqual([5, 10])
          expect(yield* after(sending)).toEqual([5, 10])
        }),
      )

      it.effect(
        "removes the links of an emptied thread a few at a time, unless it gets another message",
        () =>
          Effect.gen(function* () {
            const messages = yield* MessageStore
            const threads = yield* ThreadStore
            const owner = yield* storedMailbox
            const before = yield* rowCounts
            const long = Effect.gen(function* () {
              const thread = aThread(owner)
              const message = aMessage(owner, { threadId: thread.id })
              yield* threads.save([thread])
              yield* messages.insert([message])
              yield* threads.link(
                Array.from({ length: 205 }, (_, index) => ({
                  mailboxId: owner.id,
                  rfcId: `<${index}@${thread.id}>`,
                  threadId: thread.id,
                })),
              )
              expect(yield* messages.remove(message.content.id)).toMatchObject({ emptied: thread.id })
              return thread
            })
            const gone = yield* long
            expect(yield* threads.byId(owner.id, gone.id)).toEqual(Option.some({ ...gone, messageCount: 0 }))
            expect(yield* threads.removeEmpty(gone.id, 3)).toBe(false)
            expect(yield* threads.removeEmpty(gone.id, 3)).toBe(true)
            expect(yield* threads.removeEmpty(gone.id, 3)).toBe(true)
            expect(yield* rowCounts).toEqual(before)
            const revived = yield* long
            yield* messages.insert([aMessage(owner, { threadId: revived.id })])
            expect(yield* threads.removeEmpty(revived.id, 3)).toBe(true)
            expect(Option.isSome(yield* threads.byId(owner.id, revived.id))).toBe(true)
          }),
      )

      it.effect("keeps raw mail that another mailbox's message or the queue refers to", () =>
        Effect.gen(function* () {
          const messages = yield* MessageStore
          const raws = yield* RawMailStore
          const [owner, other] = [yield* storedMailbox, yield* storedMailbox]
          const [shared, queued] = [aRawMail(), aRawMail()]
          yield* raws.insert([shared, queued])
          yield* raws.enqueue([aQueueEntry(queued.id)])
          yield* messages.insert([
            aMessage(owner, { rawId: shared.id }),
            aMessage(other, { rawId: shared.id }),
            aMessage(owner, { rawId: queued.id }),
          ])
          yield* messages.purge(owner.id, 100)
          const left = (id: RawMailId) => Effect.map(raws.byId(id), Option.isSome)
          expect(yield* Effect.forEach([shared.id, queued.id], left)).toEqual([true, true])
          yield* messages.purge(other.id, 100)
          expect(yield* Effect.forEach([shared.id, queued.id], left)).toEqual([false, true])
        }),
      )

      it.effect("removes raw mail only when nothing refers to it", () =>
        Effect.gen(function* () {
          const raws = yield* RawMailStore
          const messages = yield* MessageStore
          const owner = yield* storedMailbox
          const inline = aRawMail()
          const large = aRawMail({ content: { kind: "blob", key: `raw/${newId()}`, sizeBytes: 1 } })
          yield* raws.insert([inline, large])
          const message = aMessage(owner, { rawId: large.id, status: "SENDING" })
          yield* messages.insert([message])
          expect(yield* raws.removeUnused([large.id])).toEqual([])
          expect(yield* raws.byId(large.id)).toEqual(Option.some(large))
          yield* (yield* SendStore).withdraw(message.content.id)
          expect(yield* raws.removeUnused([large.id])).toEqual([
            large.content.kind === "blob" ? large.content.key : "",
          ])
          expect(yield* raws.removeUnused([inline.id])).toEqual([])
          expect(yield* raws.byId(inline.id)).toEqual(Option.none())
          expect(yield* raws.removeUnused([RawMailId.make(newId())])).toEqual([])
        }),
      )
    })
  })
