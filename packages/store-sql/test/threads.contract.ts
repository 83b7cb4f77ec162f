/** Contract of `ThreadStore`. */
import { describe, expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { MessageListItem, MINUTE, ThreadId, type ThreadRecord } from "@mailroom/domain"
import { MessageStore, type ThreadsQuery, ThreadStore, SendStore } from "@mailroom/engine"
import { Effect, Option, Schema } from "effect"
import { createHash } from "node:crypto"
import type { Database } from "./support/databases.js"
import { aMessage, aThread, newId, NOON, type Owner, storedMailbox } from "./support/records.js"

const inMailbox = ({ id, accountId }: Owner, limit: number): ThreadsQuery => ({
  accountId,
  mailboxIds: [id],
  after: null,
  limit,
})

const decodeItem = Schema.decodeUnknownSync(Schema.parseJson(MessageListItem))

export const threadsContract = (name: string, database: Database) =>
  describe(`${name}: threads`, () => {
    layer(database)((it) => {
      it.effect(
        "finds threads by texts of any length, also when they differ in the last character only or contain a NUL",
        () =>
          Effect.gen(function* () {
            const store = yield* ThreadStore
            const owner = yield* storedMailbox
            // Random, so that Postgres cannot compress it to fit into an index.
            const noise = (n: number) => createHash("sha256").update(String(n)).digest("base64")
            const long = Array.from({ length: 400 }, (_, n) => noise(n)).join("漢")
            const ids = [`<${long}1@x>`, `<${long}2@x>`, "<nul\0@x>", "<short@x>"]
            const threads = ids.map(() => aThread(owner))
            yield* store.save(threads)
            const links = ids.map((rfcId, n) => ({
              mailboxId: owner.id,
              rfcId,
              threadId: threads[n]?.id ?? aThread(owner).id,
            }))
            yield* store.link(links)
            const found = yield* store.links(ids.map((rfcId) => ({ mailboxId: owner.id, rfcId })))
            expect(new Set(found)).toEqual(new Set(links))
          }),
      )

      it.effect("inserts and replaces threads", () =>
        Effect.gen(function* () {
          const store = yield* ThreadStore
          const owner = yield* storedMailbox
          const [one, two] = [aThread(owner, { participants: ["a@b.c", 'q"'] }), aThread(owner)]
          yield* store.save([one, two])
          const after = {
            ...one,
            messageCount: 5,
            subject: "Later",
            lastMessageAt: NOON + 5,
            takenOverAt: NOON + 6,
          }
          yield* store.save([after])
          expect(new Set(yield* store.byIds([one.id, two.id, ThreadId.make(newId())]))).toEqual(
            new Set([after, two]),
          )
          expect(yield* store.byId(owner.id, one.id)).toEqual(Option.some(after))
          expect(yield* store.byId((yield* storedMailbox).id, one.id)).toEqual(Option.none())
        }),
      )

      it.effect("finds a thread of an account, also by the id of a thread that was merged into it", () =>
        Effect.gen(function* () {
          const store = yield* ThreadStore
          const owner = yield* storedMailbox
          const [into, from] = [aThread(owner), aThread(owner)]
          yield* store.save([into, from])
          yield* store.absorb(from.id, into.id, 100)
          const idOf = Option.map(({ id }: ThreadRecord) => id)
          for (const { id } of [into, from])
            expect(idOf(yield* store.ofAccount(owner.accountId, id))).toEqual(Option.some(into.id))
          const other = yield* storedMailbox
          expect(yield* store.ofAccount(other.accountId, into.id)).toEqual(Option.none())
        }),
      )

      it.effect("lists threads with visible messages, newest activity first", () =>
        Effect.gen(function* () {
          const store = yield* ThreadStore
          const owner = yield* storedMailbox
          const [late, early, middle] = [3, 1, 2].map((minute) =>
            aThread(owner, { lastMessageAt: NOON + minute }),
          )
          if (late === undefined || early === undefined || middle === undefined)
            throw new Error("three were made")
          yield* store.save([late, early, middle, aThread(owner, { messageCount: 0 })])
          expect(yield* store.recent(inMailbox(owner, 10))).toEqual({
            threads: [late, middle, early],
            next: null,
          })
          const { threads, next } = yield* store.recent(inMailbox(owner, 2))
          expect(threads).toEqual([late, middle])
          expect(yield* store.recent({ ...inMailbox(owner, 2), after: next })).toEqual({
            threads: [early],
            next: null,
          })
        }),
      )

      it.effect("compares Message-IDs exactly within a mailbox, and keeps the first link", () =>
        Effect.gen(function* () {
          const store = yield* ThreadStore
          const [owner, other] = [yield* storedMailbox, yield* storedMailbox]
          const [one, two] = [ThreadId.make(newId()), ThreadId.make(newId())]
          const link = { mailboxId: owner.id, rfcId: "<Case'\"%_👋@Host>", threadId: one }
          yield* store.link([link])
          yield* store.link([{ ...link, threadId: two }])
          const wanted = [link.rfcId, link.rfcId.toLowerCase(), `${link.rfcId} `].map((rfcId) => ({
            mailboxId: owner.id,
            rfcId,
          }))
          expect(yield* store.links([...wanted, { mailboxId: other.id, rfcId: link.rfcId }])).toEqual([link])
          expect(yield* store.links([])).toEqual([])
        }),
      )

      it.effect("finds the links of hundreds of ids", () =>
        Effect.gen(function* () {
          const store = yield* ThreadStore
          const owner = yield* storedMailbox
          const links = Array.from({ length: 300 }, (_, index) => ({
            mailboxId: owner.id,
            rfcId: `<${index}@sender.org>`,
            threadId: ThreadId.make(newId()),
          }))
          yield* store.link(links)
          expect(new Set(yield* store.links(links))).toEqual(new Set(links))
        }),
      )

      it.effect("finds the most recently active thread of a base subject that has a participant", () =>
        Effect.gen(function* () {
          const store = yield* ThreadStore
          const owner = yield* storedMailbox
          const [minute, hour] = [MINUTE, 60 * MINUTE]
          const ofAda = Array.from({ length: 3 }, (_, index) =>
            aThread(owner, {
              baseSubject: "weekly report",
              participants: ["agent@x.org", 'a"\0da@x.org'],
              createdAt: NOON,
              lastMessageAt: NOON + index * minute,
            }),
          )
          const others = Array.from({ length: 25 }, (_, index) =>
            aThread(owner, {
              baseSubject: "weekly report",
              participants: [`${index}@x.org`, "da@x.org"],
              createdAt: NOON,
              lastMessageAt: NOON + hour + index * minute,
            }),
          )
          const otherSubject = aThread(owner, { baseSubject: "other", participants: ['a"\0da@x.org'] })
          yield* store.save([...ofAda, ...others, otherSubject])
          const probe = {
            mailboxId: owner.id,
            baseSubject: "weekly report",
            participants: ['a"\0da@x.org', "nobody@x.org"],
            since: NOON,
            until: NOON,
          }
          expect(yield* store.bySubjects([probe])).toEqual(ofAda.slice(-1))
          expect(yield* store.bySubjects([probe, { ...probe, participants: ["7@x.org"] }])).toEqual([
            ...ofAda.slice(-1),
            ...others.slice(7, 8),
          ])
          expect(yield* store.bySubjects([{ ...probe, since: NOON + 2 * minute }])).toEqual(ofAda.slice(-1))
          expect(yield* store.bySubjects([{ ...probe, since: NOON + 2 * minute + 1 }])).toEqual([])
          expect(yield* store.bySubjects([{ ...probe, until: NOON - 1 }])).toEqual([])
        }),
      )

      it.effect("looks for a participant in some thousand threads of a subject, and no more", () =>
        Effect.gen(function* () {
          const store = yield* ThreadStore
          const owner = yield* storedMailbox
          const thread = (index: number, from: string) =>
            aThread(owner, {
              baseSubject: "hi",
              participants: [from],
              createdAt: NOON,
              lastMessageAt: NOON + index,
            })
          const probe = {
            mailboxId: owner.id,
            baseSubject: "hi",
            participants: ["ada@x.org"],
            since: 0,
            until: NOON,
          }
          const ofAda = thread(0, "ada@x.org")
          yield* store.save([
            ofAda,
            ...Array.from({ length: 1_000 }, (_, index) => thread(index + 1, "bob@x.org")),
          ])
          expect(yield* store.bySubjects([probe])).toEqual([ofAda])
          yield* store.save([thread(1_001, "bob@x.org")])
          expect(yield* store.bySubjects([probe])).toEqual([])
        }),
      )

      it.effect("merges two threads: messages, links, counts, participants", () =>
        Effect.gen(function* () {
          const store = yield* ThreadStore
          const messages = yield* MessageStore
          const owner = yield* storedMailbox
          const into = aThread(owner, {
            subject: "Kept",
            participants: ["a@x.org", "b@x.org"],
            messageCount: 2,
            createdAt: NOON,
          })
          const from = aThread(owner, {
            subject: "Dropped",
            participants: ["b@x.org", "c@x.org"],
            messageCount: 3,
            lastMessageAt: NOON + 9,
            createdAt: NOON - 1,
          })
          yield* store.save([into, from])
          const link = { mailboxId: owner.id, rfcId: "<of@from>", threadId: from.id }
          yield* store.link([link])
          const message = aMessage(owner, { threadId: from.id })
          yield* messages.insert([message])

          yield* store.absorb(from.id, into.id, 100)
          const merged = {
            ...into,
            participants: ["a@x.org", "b@x.org", "c@x.org"],
            messageCount: 5,
            lastMessageAt: NOON + 9,
            createdAt: NOON - 1,
          }
          expect(yield* store.byIds([from.id, into.id])).toEqual([merged])
          expect(yield* store.byId(owner.id, from.id)).toEqual(Option.some(merged))
          expect(yield* store.links([link])).toEqual([{ ...link, threadId: into.id }])
          const moved = yield* messages.byId(owner.id, message.content.id)
          expect(Option.map(moved, ({ threadId }) => threadId)).toEqual(Option.some(into.id))
          expect(yield* messages.inThread(into.id, 10)).toHaveLength(1)
        }),
      )

      it.effect("is one thread for every reader while rows move, and after each step", () =>
        Effect.gen(function* () {
          const store = yield* ThreadStore
          const messages = yield* MessageStore
          const owner = yield* storedMailbox
          const threads = Array.from({ length: 3 }, () => aThread(owner, { messageCount: 3 }))
          const [into, middle, last] = threads
          if (into === undefined || middle === undefined || last === undefined) throw new Error("three")
          yield* store.save(threads)
          const all = Array.from({ length: 9 }, (_, index) =>
            aMessage(owner, {
              threadId: threads[index % 3]?.id ?? into.id,
              createdAt: NOON + index,
              automaticTurn: index % 4 === 0,
            }),
          )
          yield* messages.insert(all)
          const linkOf = (message: (typeof all)[number]) => ({
            mailboxId: owner.id,
            rfcId: message.content.messageId,
            threadId: message.threadId,
          })
          yield* store.link(all.map(linkOf))

          // The second merge begins while the first one still moves.
          expect(yield* store.absorb(last.id, middle.id, 1)).toEqual({ rows: 2, done: false })
          expect(yield* store.absorb(middle.id, into.id, 0)).toEqual({ rows: 0, done: false })
          const idsOf = (items: ReadonlyArray<string>) =>
            items.map((item) => decodeItem(item)).map(({ id, threadId }) => [id, threadId])
          const newestFirst = [...all].reverse().map(({ content }) => [content.id, into.id])
          const query = {
            mailboxId: owner.id,
            direction: null,
            since: null,
            before: null,
            threadId: into.id,
            offset: 0,
            limit: 50,
          }
          const check = Effect.gen(function* () {
            for (const { id } of threads) {
              const thread = Option.getOrThrow(yield* store.byId(owner.id, id))
              expect([thread.id, thread.messageCount]).toEqual([into.id, 9])
            }
            expect(yield* store.currentIds([last.id, middle.id, into.id])).toEqual(
              new Map(threads.map(({ id }) => [id, into.id])),
            )
            expect(idsOf((yield* messages.page(query)).items)).toEqual(newestFirst)
            const part = yield* messages.page({ ...query, offset: 2, limit: 4 })
            expect([idsOf(part.items), part.hasMore]).toEqual([newestFirst.slice(2, 6), true])
            const foreign = yield* messages.page({ ...query, mailboxId: (yield* storedMailbox).id })
            expect(foreign.items).toEqual([])
            expect(idsOf((yield* messages.page({ ...query, threadId: null })).items)).toEqual(newestFirst)
            expect(idsOf(yield* messages.inThread(into.id, 4))).toEqual(newestFirst.slice(0, 4).reverse())
            expect(yield* (yield* SendStore).automaticTurns({ threadId: last.id }, NOON, 10)).toEqual([
              NOON,
              NOON + 4,
              NOON + 8,
            ])
            expect(new Set(yield* store.links(all.map(linkOf)))).toEqual(
              new Set(all.map((message) => ({ ...linkOf(message), threadId: into.id }))),
            )
            for (const message of all) {
              const stored = yield* Effect.flatten(messages.byId(owner.id, message.content.id))
              expect(stored.threadId).toBe(into.id)
            }
          })
          yield* check
          for (const from of [last.id, middle.id]) while (!(yield* store.move(from, 1))) yield* check
          yield* check
          expect(yield* store.move(last.id, 1)).toBe(true)
          const sql = yield* SqlClient.SqlClient
          expect(yield* sql`/* test */ SELECT 1 FROM thread_moves`).toEqual([])
        }),
      )

      it.effect("resolves every id of a chain of absorbed threads", () =>
        Effect.gen(function* () {
          const store = yield* ThreadStore
          const owner = yield* storedMailbox
          const threads = Array.from({ length: 5 }, () => aThread(owner))
          yield* store.save(threads)
          for (let index = 4; index > 0; index--) {
            const [into, from] = [threads[index - 1], threads[index]]
            if (into !== undefined && from !== undefined) yield* store.absorb(from.id, into.id, 100)
          }
          for (const { id } of threads) {
            const found = Option.getOrThrow(yield* store.byId(owner.id, id))
            expect(found).toEqual({ ...threads[0], messageCount: 5 })
          }
          expect((yield* store.recent(inMailbox(owner, 10))).threads).toHaveLength(1)
        }),
      )

      it.effect("takes the subject of the absorbed thread when it had no visible message", () =>
        Effect.gen(function* () {
          const store = yield* ThreadStore
          const owner = yield* storedMailbox
          const hidden = aThread(owner, {
            subject: "",
            baseSubject: "",
            participants: [],
            messageCount: 0,
            lastMessageAt: NOON + 9,
          })
          const shown = aThread(owner, { subject: "Shown", baseSubject: "shown" })
          yield* store.save([hidden, shown])
          yield* store.absorb(shown.id, hidden.id, 100)
          expect(yield* store.byIds([hidden.id])).toEqual([{ ...shown, id: hidden.id }])
        }),
      )

      it.effect("keeps that a thread was taken over, at the later time when both were", () =>
        Effect.gen(function* () {
          const store = yield* ThreadStore
          const owner = yield* storedMailbox
          const merged = (into: number | null, from: number | null) =>
            Effect.gen(function* () {
              const [one, two] = [
                aThread(owner, { takenOverAt: into }),
                aThread(owner, { takenOverAt: from }),
              ]
              yield* store.save([one, two])
              yield* store.absorb(two.id, one.id, 100)
              const found = yield* Effect.flatten(store.byId(owner.id, two.id))
              return found.takenOverAt
            })
          expect(yield* merged(null, NOON)).toBe(NOON)
          expect(yield* merged(NOON, null)).toBe(NOON)
          expect(yield* merged(NOON, NOON + 1)).toBe(NOON + 1)
          expect(yield* merged(null, null)).toBe(null)
        }),
      )

      it.effect("changes nothing when a thread absorbs itself", () =>
        Effect.gen(function* () {
          const store = yield* ThreadStore
          const owner = yield* storedMailbox
          const thread = aThread(owner)
          yield* store.save([thread])
          yield* store.absorb(thread.id, thread.id, 100)
          expect(yield* store.byId(owner.id, thread.id)).toEqual(Option.some(thread))
        }),
      )
    })
  })
