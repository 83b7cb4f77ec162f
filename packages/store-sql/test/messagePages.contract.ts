/** Contract of `MessageStore`: lists of messages, and their order. */
import { describe, expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import {
  anyMessage,
  cutForList,
  type Direction,
  LIST_BODY_MAX_LENGTH,
  MessageListItem,
  ThreadId,
  timestampOrNull,
  viewQuarantine,
} from "@mailroom/domain"
import {
  type MessagePage,
  type MessageQuery,
  type MessageRecord,
  MessageStore,
  SearchStore,
} from "@mailroom/engine"
import { Effect, Option, Schema } from "effect"
import type { Database } from "./support/databases.js"
import { aMessage, newId, NOON, type Owner, storedMailbox } from "./support/records.js"

const query = (owner: Owner, over: Partial<MessageQuery> = {}): MessageQuery => ({
  mailboxId: owner.id,
  direction: null,
  threadId: null,
  since: null,
  before: null,
  offset: 0,
  limit: 50,
  ...over,
})

/** Fails for a text that is not a valid encoded item, or has unknown members. */
const decodeItem = Schema.decodeUnknown(Schema.parseJson(MessageListItem), { onExcessProperty: "error" })

const decodeId = Schema.decodeUnknown(Schema.parseJson(Schema.Struct({ id: Schema.String })))

const itemOf = (message: MessageRecord): MessageListItem => {
  const { content, truncated } = cutForList(message.content)
  return {
    ...content,
    threadId: message.threadId,
    status: message.status,
    overLimit: false,
    labels: message.labels,
    readAt: timestampOrNull(message.readAt),
    sentAt: timestampOrNull(message.sentAt),
    claim: message.claim,
    quarantined: viewQuarantine(message.quarantine),
    ...(truncated && { truncated }),
  }
}

const listed = (wanted: MessageQuery, withUnlocked = false) =>
  Effect.gen(function* () {
    const page = yield* Effect.flatMap(MessageStore, (store) => store.page(wanted, withUnlocked))
    return yield* Effect.forEach(page.items, (item) => decodeItem(item))
  })

const nasty = [
  'quotes " and \\ backslashes \\"',
  "separators \u2028 and \u2029",
  "emoji 👩‍👩‍👧‍👦 and half of one \ud83d",
  'ends like an object"}',
  "}",
  "}}]",
  "NUL \u0000 and BEL \u0007",
  "",
]

export const messagePagesContract = (name: string, database: Database) =>
  describe(`${name}: lists of messages`, () => {
    layer(database)((it) => {
      it.effect("shows valid items whatever the content is", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const messages = nasty.map((text, index) =>
            aMessage(owner, {
              createdAt: NOON - index,
              labels: [text],
              readAt: NOON,
              sentAt: NOON + 1,
              content: {
                subject: text,
                bodyText: text,
                bodyHtml: text,
                fromName: text,
                links: [{ url: text, text }],
                attachments: [],
              },
            }),
          )
          yield* store.insert(messages)
          expect(yield* listed(query(owner))).toEqual(messages.map(itemOf))
        }),
      )

      it.effect("shows the extracted text, whether or not it is the whole body", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const ends = ["", " ", "\n", "\r\n\t ", "\\n", "\\\\\n", "\u00a0", "\f", ',"bodyText":"']
          const messages = nasty.flatMap((text, n) =>
            ends.map((end, index) => {
              const bodyText = `${end}${text}${end}`
              const extractedText = index % 3 === 0 && n % 2 === 0 ? text : bodyText.trim()
              return aMessage(owner, {
                createdAt: NOON - n * ends.length - index,
                content: { subject: ',"extractedText":', bodyText, extractedText },
              })
            }),
          )
          yield* store.insert(messages)
          expect(yield* listed(query(owner, { limit: 100 }))).toEqual(messages.map(itemOf))
          for (const message of messages)
            expect(yield* store.byId(owner.id, message.content.id)).toEqual(Option.some(message))
        }),
      )

      it.effect("ends a page by its bytes, and pages have every message once", () =>
        Effect.gen(function* () {
          const [store, search] = [yield* MessageStore, yield* SearchStore]
          const owner = yield* storedMailbox
          const threadId = ThreadId.make(newId())
          // An earlier version stored them so: a megabyte each, and 40 MB together.
          const references = [`<${"r".repeat(1024 * 1024)}@a.example>`]
          const messages = Array.from({ length: 40 }, (_, index) =>
            aMessage(owner, { createdAt: NOON - index, threadId, content: { references } }),
          )
          for (const message of messages) yield* store.insert([message])
          const ids = messages.map(({ content }) => content.id)
          const fitting = 31
          const idsOf = (items: ReadonlyArray<string>) =>
            Effect.forEach(items, (item) => Effect.map(decodeId(item), ({ id }) => id))
          const filtered = (after: MessagePage["last"]) =>
            store.filtered({
              accountId: owner.accountId,
              mailboxIds: null,
              filter: { ...anyMessage, hasAttachment: false },
              order: "desc",
              after,
              limit: 100,
            })
          for (const page of [
            (after: MessagePage["last"]) => store.page(query(owner, { before: after, limit: 100 })),
            filtered,
          ]) {
            const first = yield* page(null)
            expect([first.items.length, first.hasMore]).toEqual([fitting, true])
            const second = yield* page(first.last)
            expect(second.hasMore).toBe(false)
            expect(yield* idsOf([...first.items, ...second.items])).toEqual(ids)
          }
          const newest = yield* store.inThread(threadId, 500)
          expect(yield* idsOf(newest)).toEqual(ids.slice(0, fitting).reverse())
          const found = yield* search.items(owner.accountId, ids)
          expect([found.items.length, found.count]).toEqual([fitting, fitting])
        }),
      )

      it.effect("shows no calendar of messages that were stored without the field", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const messages = [
            aMessage(owner, { createdAt: NOON, content: { bodyText: "a", extractedText: "a" } }),
            aMessage(owner, { createdAt: NOON - 1, content: { bodyText: "b", extractedText: null } }),
          ]
          yield* store.insert(messages)
          const sql = yield* SqlClient.SqlClient
          yield* sql`/* test */ UPDATE messages SET listing = replace(listing, ${',"calendar":null'}, '')
            WHERE mailbox_id = ${owner.id}`
          expect(yield* listed(query(owner))).toEqual(messages.map(itemOf))
          for (const message of messages)
            expect(yield* store.byId(owner.id, message.content.id)).toEqual(Option.some(message))
        }),
      )

      it.effect("cuts long bodies and says so, also inside a surrogate pair", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const message = aMessage(owner, {
            content: { bodyText: `x${"😀".repeat(LIST_BODY_MAX_LENGTH)}`, bodyHtml: "<p>short}</p>" },
          })
          yield* store.insert([message])
          const [item] = yield* listed(query(owner))
          expect(item).toEqual(itemOf(message))
          expect(item).toMatchObject({ truncated: true, bodyHtml: "<p>short}</p>" })
          expect(item?.bodyText).toHaveLength(LIST_BODY_MAX_LENGTH - 1)
        }),
      )

      it.effect("hides what is gated and what is being sent", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const visible = aMessage(owner)
          yield* store.insert([
            aMessage(owner, { gate: "INBOUND_LIMIT_EXCEEDED" }),
            aMessage(owner, { status: "SENDING" }),
            visible,
          ])
          expect(yield* listed(query(owner))).toEqual([itemOf(visible)])
        }),
      )

      for (const unlocked of [false, true])
        it.effect(
          `answers every combination of direction, thread, since, position and offset${
            unlocked ? ", a third just unlocked" : ""
          }`,
          () =>
            Effect.gen(function* () {
              const store = yield* MessageStore
              const owner = yield* storedMailbox
              const threads = [ThreadId.make(newId()), ThreadId.make(newId())]
              const messages = Array.from({ length: 40 }, (_, index) =>
                aMessage(owner, {
                  createdAt: NOON + Math.floor(index / 3),
                  threadId: threads[index % 2] ?? ThreadId.make(newId()),
                  gate: unlocked && index % 3 === 0 ? "INBOUND_LIMIT_EXCEEDED" : null,
                  content: { direction: index % 5 < 2 ? "OUTBOUND" : "INBOUND" },
                }),
              )
              yield* store.insert([
                ...messages,
                aMessage(yield* storedMailbox, { threadId: threads[0] ?? ThreadId.make(newId()) }),
              ])
              yield* store.unlock(owner.accountId, "all")
              yield* store.insert([aMessage(owner, { gate: "INBOUND_LIMIT_EXCEEDED" })])
              const newestFirst = [...messages].reverse()
              const middle = newestFirst[20]
              if (middle === undefined) throw new Error("forty messages were made")
              const position = { createdAt: middle.createdAt, id: middle.content.id }
              const directions: ReadonlyArray<Direction | null> = [null, "INBOUND", "OUTBOUND"]
              for (const direction of directions)
                for (const threadId of [null, ...threads])
                  for (const since of [null, NOON + 3])
                    for (const before of [null, position])
                      for (const offset of [0, 3]) {
                        const expected = newestFirst.filter(
                          (message, index) =>
                            (direction === null || message.content.direction === direction) &&
                            (threadId === null || message.threadId === threadId) &&
                            (since === null || message.createdAt >= since) &&
                            (before === null || index > 20),
                        )
                        const wanted = query(owner, { direction, threadId, since, before, offset })
                        expect(yield* listed(wanted, unlocked)).toEqual(expected.slice(offset).map(itemOf))
                      }
            }),
        )

      it.effect("pages through 1,000 messages by position, each once", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const messages = Array.from({ length: 1000 }, (_, index) =>
            aMessage(owner, { createdAt: NOON + Math.floor(index / 7) }),
          )
          yield* store.insert(messages)
          const seen: Array<string> = []
          let before: MessageQuery["before"] = null
          for (let more = true; more;) {
            const page: MessagePage = yield* store.page(query(owner, { before, limit: 30 }))
            for (const item of page.items) seen.push((yield* decodeItem(item)).id)
            more = page.hasMore
            before = page.last
          }
          expect(seen).toEqual(messages.map(({ content }) => content.id).reverse())
        }),
      )

      it.effect("pages through 1,000 messages by offset, each once", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const messages = Array.from({ length: 1000 }, () => aMessage(owner))
          yield* store.insert(messages)
          const seen: Array<string> = []
          for (let offset = 0; offset < 1000; offset += 100) {
            const page = yield* store.page(query(owner, { offset, limit: 100 }))
            for (const item of page.items) seen.push((yield* decodeItem(item)).id)
            expect(page.hasMore).toBe(offset < 900)
          }
          expect(seen).toEqual(messages.map(({ content }) => content.id).reverse())
        }),
      )

      it.effect("gives an empty page of an empty mailbox", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          expect(yield* store.page(query(owner))).toEqual({ items: [], hasMore: false, last: null })
        }),
      )

      it.effect("gives the newest visible messages of a thread, oldest first", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const threadId = ThreadId.make(newId())
          const messages = [1, 2, 3].map((minute) => aMessage(owner, { threadId, createdAt: NOON + minute }))
          yield* store.insert([
            ...messages,
            aMessage(owner, { threadId, createdAt: NOON + 4, gate: "INBOUND_LIMIT_EXCEEDED" }),
            aMessage(owner),
          ])
          const items = yield* Effect.forEach(yield* store.inThread(threadId, 2), (item) => decodeItem(item))
          expect(items).toEqual(messages.slice(1).map(itemOf))
        }),
      )
    })
  })
