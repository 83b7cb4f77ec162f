/** Contract of `SearchStore`: it finds exactly what the reference evaluator finds, and nothing that is hidden or removed. */
import { describe, expect, layer } from "@effect/vitest"
import { SqlClient, Statement } from "@effect/sql"
import { MINUTE, matchesQuery, searchedMessageOf, type SearchQuery, SEGMENT_MESSAGES } from "@mailroom/domain"
import {
  AttachmentStore,
  AttachmentTextStore,
  MailboxStore,
  type MessagePosition,
  type MessageRecord,
  MessageStore,
  type SearchScope,
  SearchStore,
} from "@mailroom/engine"
import { Clock, Effect, TestClock } from "effect"
import type { Database } from "./support/databases.js"
import { realMails, wordsOf } from "./support/realMail.js"
import { aMailbox, aMessage, anAttachment, NOON, type Owner, storedMailbox } from "./support/records.js"
import {
  documentOf,
  randomFiles,
  type RandomFile,
  randomFrom,
  randomMessages,
  randomQueries,
  textOf,
} from "./support/searchCorpus.js"

/**
 * `npm run test:samples` takes 300 queries, and `npm run search:property` 5,000 messages and 10,000 queries. With `MAIL_CORPUS`, a
 * folder, half of the messages and of the words are those of its mails.
 */
const MESSAGES = Number(process.env["SEARCH_MESSAGES"] ?? 400)
const QUERIES = Number(process.env["SEARCH_QUERIES"] ?? 80)
const CORPUS = process.env["MAIL_CORPUS"]

const everywhere = ({ accountId }: Owner): SearchScope => ({ accountId, mailboxIds: null })
const inside = ({ accountId, id }: Owner): SearchScope => ({ accountId, mailboxIds: [id] })

/** Indexes everything that is queued. `inSegments`: each batch in a segment of its own. */
const indexBy = (batch: number, inSegments: boolean) =>
  Effect.gen(function* () {
    const [store, sql] = [yield* SearchStore, yield* SqlClient.SqlClient]
    yield* store.takeWriter(NOON, NOON + MINUTE)
    while (yield* store.isBehind) {
      yield* store.add((yield* store.pending(batch)).texts.map(documentOf))
      if (inSegments) yield* sql`/* test */ UPDATE search_segments SET messages = ${SEGMENT_MESSAGES}`
    }
    yield* Effect.repeat(store.merge, { while: (more) => more })
  })
const index = indexBy(100, false)

/** Stores files and keeps their texts. */
const keepTexts = (files: ReadonlyArray<RandomFile>) =>
  Effect.gen(function* () {
    const [attachments, texts] = [yield* AttachmentStore, yield* AttachmentTextStore]
    yield* attachments.insert(files.map(({ record }) => record))
    for (const { record, text } of files)
      yield* texts.keep(record.id, { kind: "text", text, truncated: false }, NOON)
  })

/** A deadline that does not pass. */
const NEVER = Number.MAX_SAFE_INTEGER

/** The ids of all messages that match, newest first, read in pages. */
const find = (scope: SearchScope, query: SearchQuery, limit: number, deadline = NEVER) =>
  Effect.gen(function* () {
    const store = yield* SearchStore
    const ids: Array<string> = []
    let before: MessagePosition | null = null
    do {
      const page: Effect.Effect.Success<ReturnType<typeof store.find>> = yield* store.find(
        scope,
        query,
        before,
        limit,
        deadline,
      )
      const uncertain = page.found.filter(({ isCertain }) => !isCertain).map(({ id }) => id)
      const texts = yield* store.texts(scope.accountId, uncertain)
      const wrong = new Set(
        texts.filter((text) => !matchesQuery(searchedMessageOf(text), query)).map(({ id }) => id),
      )
      ids.push(...page.found.map(({ id }) => id).filter((id) => !wrong.has(id)))
      before = page.next
    } while (before !== null)
    return ids
  })

/** A word more often than a tsvector counts it, and text after it. */
const OFTEN = `${"due ".repeat(300)} invoice payment`

/** Every twelfth message has a text whose order a tsvector does not hold. */
const withLongTexts = (messages: ReadonlyArray<MessageRecord>): ReadonlyArray<MessageRecord> =>
  messages.map((message, index) =>
    index % 12 === 0
      ? {
          ...message,
          content: { ...message.content, bodyText: `${message.content.bodyText ?? ""} ${OFTEN}` },
        }
      : message,
  )

const isVisible = ({ status, gate }: MessageRecord): boolean => status !== "SENDING" && gate === null

const newestFirst = (messages: ReadonlyArray<MessageRecord>): ReadonlyArray<string> =>
  [...messages]
    .sort((a, b) => b.createdAt - a.createdAt || (a.content.id < b.content.id ? 1 : -1))
    .map(({ content }) => content.id)

const word = (token: string): SearchQuery => ({ kind: "text", field: null, tokens: [token], isPrefix: false })
const phrase = (first: string, ...rest: ReadonlyArray<string>): SearchQuery => ({
  kind: "text",
  field: null,
  tokens: [first, ...rest],
  isPrefix: false,
})

/** The texts of the newest queued messages that the scope has, newest first. */
const unindexedIn = (scope: SearchScope, limit: number) =>
  Effect.gen(function* () {
    const store = yield* SearchStore
    const ids = yield* store.queued(scope.accountId, limit)
    const texts = yield* store.shownTexts(scope, ids)
    return [...texts].sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
  })

export const searchContract = (name: string, database: Database) =>
  describe(`${name}: search`, () => {
    layer(database)((it) => {
      it.effect(
        "finds what the reference evaluator finds, in every script, for random queries",
        () =>
          Effect.gen(function* () {
            const random = randomFrom(20_260_301)
            const mails = CORPUS === undefined ? [] : yield* Effect.promise(() => realMails(CORPUS))
            const [first, second] = [yield* storedMailbox, yield* storedMailbox]
            const sibling = aMailbox(first.accountId)
            yield* Effect.flatMap(MailboxStore, (store) => store.insert(sibling)).pipe(Effect.orDie)
            const messages = withLongTexts(randomMessages([first, sibling], MESSAGES, random, mails))
            const foreign = randomMessages([second], 20, random)
            const messageStore = yield* MessageStore
            yield* messageStore.insert([...messages, ...foreign])
            // Some files are read before their message is indexed, some after it, and some never.
            const files = randomFiles(messages, random)
            yield* keepTexts(files.slice(0, files.length / 2))
            yield* indexBy(Math.ceil(MESSAGES / 40), true)
            yield* keepTexts(files.slice(files.length / 2))
            yield* index
            const visible = messages.filter(isVisible)
            const textsOf = ({ content }: MessageRecord) =>
              files.filter(({ record }) => record.messageId === content.id).map(({ text }) => text)
            const searched = visible.map((record) => ({
              record,
              message: searchedMessageOf(textOf(record, textsOf(record))),
            }))
            const threads = [...new Set(messages.map(({ threadId }) => threadId))]
            const asked = randomQueries(QUERIES, random, threads, wordsOf(mails)).map((one) => ({
              ...one,
              inSibling: random() < 0.3,
              // A fifth is read in pages: 20 at most, so that a common word costs no thousand statements.
              inPages: random() < 0.2,
            }))
            const check = ({ text, query, inSibling, inPages }: (typeof asked)[number]) =>
              Effect.gen(function* () {
                const expected = searched
                  .filter(({ record }) => !inSibling || record.content.mailboxId === sibling.id)
                  .filter(({ message }) => matchesQuery(message, query))
                  .map(({ record }) => record)
                const scope = inSibling ? inside(sibling) : everywhere(first)
                const limit = inPages ? Math.max(7, Math.ceil(expected.length / 20)) : 10_000
                expect([text, yield* find(scope, query, limit)]).toEqual([text, newestFirst(expected)])
              })
            // Side by side: Postgres searches in processes of its own.
            yield* Effect.forEach(asked, check, { concurrency: 4, discard: true })
          }),
        { timeout: 3_600_000 },
      )

      it.effect("hides gated and unsent messages, and those of a deleted mailbox; shows unlocked ones", () =>
        Effect.gen(function* () {
          const messages = yield* MessageStore
          const owner = yield* storedMailbox
          const gated = aMessage(owner, { gate: "INBOUND_LIMIT_EXCEEDED" })
          const sending = aMessage(owner, { status: "SENDING", content: { direction: "OUTBOUND" } })
          yield* messages.insert([gated, sending])
          yield* index
          expect(yield* find(everywhere(owner), word("hello"), 10)).toEqual([])
          yield* messages.unlock(owner.accountId, "all")
          expect(yield* find(everywhere(owner), word("hello"), 10)).toEqual([gated.content.id])
          yield* messages.setStatus(sending.content.id, "SENT", NOON)
          expect(yield* find(inside(owner), word("hello"), 10)).toEqual([
            sending.content.id,
            gated.content.id,
          ])
          yield* Effect.flatMap(MailboxStore, (store) => store.remove(owner.id))
          expect(yield* find(everywhere(owner), word("hello"), 10)).toEqual([])
        }),
      )

      it.effect("passes over any number of hidden messages in time", () =>
        Effect.gen(function* () {
          const messages = yield* MessageStore
          const owner = yield* storedMailbox
          const shown = new Set([3, 700, 701, 702, 1_499])
          const stored = Array.from({ length: 1_500 }, (_, second) =>
            aMessage(owner, {
              createdAt: NOON - second,
              gate: shown.has(second) ? null : "INBOUND_LIMIT_EXCEEDED",
            }),
          )
          yield* messages.insert(stored)
          yield* index
          const deadline = (yield* Clock.currentTimeMillis) + 4_000
          // Each statement takes 100 ms.
          const slow = Statement.setTransformer((statement) =>
            Effect.as(TestClock.adjust("100 millis"), statement),
          )
          const found = yield* find(everywhere(owner), word("hello"), 2, deadline).pipe(Effect.provide(slow))
          expect(found).toEqual(newestFirst(stored.filter(isVisible)))
        }),
      )

      it.effect("removing a message removes it from the index and from the queue in the same statement", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const [messages, store] = [yield* MessageStore, yield* SearchStore]
          const owner = yield* storedMailbox
          const rows = (id: string) =>
            Effect.map(
              Effect.all([
                sql`/* test */ SELECT 1 FROM search_documents WHERE message_id = ${id}`,
                sql`/* test */ SELECT 1 FROM search_queue WHERE message_id = ${id}`,
              ]),
              (found) => found.map((list) => list.length),
            )
          const [indexed, queued] = [aMessage(owner), aMessage(owner)]
          yield* messages.insert([indexed])
          yield* index
          yield* messages.insert([queued])
          expect([yield* rows(indexed.content.id), yield* rows(queued.content.id)]).toEqual([
            [1, 0],
            [0, 1],
          ])
          yield* messages.remove(indexed.content.id)
          const late = yield* store.texts(owner.accountId, [queued.content.id])
          yield* messages.remove(queued.content.id)
          // The indexer has read it before it was removed.
          yield* store.add(late.map(documentOf))
          expect([yield* rows(indexed.content.id), yield* rows(queued.content.id)]).toEqual([
            [0, 0],
            [0, 0],
          ])
          expect(yield* find(everywhere(owner), word("hello"), 10)).toEqual([])
        }),
      )

      it.effect(
        "a message whose file is read while it is indexed is indexed again, in the segment where it is",
        () =>
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const [messages, store] = [yield* MessageStore, yield* SearchStore]
            const owner = yield* storedMailbox
            const message = aMessage(owner)
            const { id } = message.content
            const of = { mailboxId: owner.id, messageId: id }
            const fileOf = (text: string) => ({ record: anAttachment(owner.accountId, of), text })
            yield* messages.insert([message])
            yield* store.takeWriter(NOON, NOON + MINUTE)
            const read = yield* store.pending(10)
            yield* keepTexts([fileOf("first file")])
            yield* store.add(read.texts.map(documentOf))
            expect(yield* find(everywhere(owner), word("hello"), 10)).toEqual([])
            yield* index
            expect(yield* find(everywhere(owner), phrase("first", "file"), 10)).toEqual([id])
            yield* keepTexts([fileOf("second file")])
            const unindexed = yield* unindexedIn(everywhere(owner), 10)
            expect(unindexed.map(({ fileTexts }) => fileTexts.toSorted())).toEqual([
              ["first file", "second file"],
            ])
            yield* index
            expect(yield* find(everywhere(owner), phrase("second", "file"), 10)).toEqual([id])
            expect(
              yield* sql`/* test */ SELECT messages FROM search_segments WHERE account_id = ${owner.accountId}`,
            ).toEqual([{ messages: expect.toSatisfy((count) => Number(count) === 1) }])
            yield* messages.remove(id)
            expect(yield* find(everywhere(owner), word("second"), 10)).toEqual([])
          }),
      )

      it.effect("a message that does not decode is named, and hides no other", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const [messages, store] = [yield* MessageStore, yield* SearchStore]
          const owner = yield* storedMailbox
          const [whole, broken] = [aMessage(owner), aMessage(owner, { createdAt: NOON + 1 })]
          yield* messages.insert([whole, broken])
          yield* sql`/* test */ UPDATE messages SET listing = replace(listing, '"codes"', '"-"')
            WHERE id = ${broken.content.id}`
          const { texts, unreadable } = yield* store.pending(10)
          expect(texts.map(({ id }) => id)).toEqual([whole.content.id])
          expect(unreadable).toMatchObject([{ id: broken.content.id, createdAt: NOON + 1, revision: 0 }])
          const unindexed = yield* unindexedIn(everywhere(owner), 10)
          expect(unindexed.map(({ id }) => id)).toEqual([whole.content.id])
          for (const entry of unreadable) yield* store.skip(entry)
          yield* index
          expect(yield* find(everywhere(owner), word("hello"), 10)).toEqual([whole.content.id])
        }),
      )

      it.effect("knows the newest messages that are not in the index yet", () =>
        Effect.gen(function* () {
          const messages = yield* MessageStore
          const owner = yield* storedMailbox
          const made = [1, 2, 3].map((second) => aMessage(owner, { createdAt: NOON + second, labels: ["a"] }))
          const other = aMessage(yield* storedMailbox)
          yield* messages.insert([...made, aMessage(owner, { gate: "INBOUND_LIMIT_EXCEEDED" }), other])
          const unindexed = yield* unindexedIn(inside(owner), 2)
          expect(unindexed.map(({ id }) => id)).toEqual([made[2]?.content.id, made[1]?.content.id])
          expect(unindexed.map(({ labels }) => labels)).toEqual([["a"], ["a"]])
          yield* index
          expect(yield* unindexedIn(everywhere(owner), 10)).toEqual([])
          expect(yield* find(everywhere(owner), word("hello"), 10)).toEqual(newestFirst(made))
        }),
      )

      it.effect(
        "ends a full segment where older mail comes in, and indexes the few newer messages again",
        () =>
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const messages = yield* MessageStore
            const owner = yield* storedMailbox
            const at = (second: number) => aMessage(owner, { createdAt: NOON + second })
            const [oldest, between, live] = [at(1), at(500), at(1000)]
            yield* messages.insert([oldest, live])
            yield* index
            yield* sql`/* test */ UPDATE search_segments SET messages = ${SEGMENT_MESSAGES}
            WHERE account_id = ${owner.accountId}`
            yield* messages.insert([between])
            yield* index
            const segments = yield* sql<{ newestAt: number; messages: number }>`/* test */
            SELECT newest_at AS "newestAt", messages FROM search_segments WHERE account_id = ${owner.accountId}
            ORDER BY starts_at`
            expect(segments.map(({ newestAt, messages: count }) => [newestAt, count])).toEqual([
              [NOON + 500, SEGMENT_MESSAGES],
              [NOON + 1000, 1],
            ])
            const found = yield* find(everywhere(owner), word("hello"), 1)
            expect(found).toEqual([live, between, oldest].map(({ content }) => content.id))
          }),
      )

      it.effect("indexes mail of before the index, newest first, beside mail that arrives meanwhile", () =>
        Effect.gen(function* () {
          const [messages, store] = [yield* MessageStore, yield* SearchStore]
          const owner = yield* storedMailbox
          const old = Array.from({ length: 20 }, (_, second) => aMessage(owner, { createdAt: second }))
          yield* messages.insert(old)
          yield* store.takeWriter(NOON, NOON + MINUTE)
          const some = (yield* store.pending(5)).texts
          expect(some.map(({ id }) => id)).toEqual(newestFirst(old).slice(0, 5))
          yield* store.add(some.map(documentOf))
          const fresh = aMessage(owner, { createdAt: 100 })
          yield* messages.insert([fresh])
          yield* index
          expect(yield* find(everywhere(owner), word("hello"), 3)).toEqual(newestFirst([...old, fresh]))
        }),
      )

      it.effect("one process writes the index, until its lease ends", () =>
        Effect.gen(function* () {
          const [messages, store, sql] = [yield* MessageStore, yield* SearchStore, yield* SqlClient.SqlClient]
          const owner = yield* storedMailbox
          const message = aMessage(owner)
          yield* messages.insert([message])
          yield* sql`/* test */ UPDATE search_writer SET locked_by = 'another', locked_until = ${NOON + MINUTE}`
          yield* store.add([documentOf(textOf(message))])
          expect(yield* find(everywhere(owner), word("hello"), 10)).toEqual([])
          yield* store.takeWriter(NOON + MINUTE, NOON + 2 * MINUTE)
          yield* store.add([documentOf(textOf(message))])
          expect(yield* find(everywhere(owner), word("hello"), 10)).toEqual([message.content.id])
          yield* sql`/* test */ UPDATE search_writer SET locked_until = 0`
        }),
      )

      it.effect("finds words and phrases of texts beyond the limits of a tsvector", () =>
        Effect.gen(function* () {
          const messages = yield* MessageStore
          const owner = yield* storedMailbox
          const bodies = {
            // Words beyond position 16,383, and one more often than 255 times.
            long: `${"filler of text ".repeat(8_000)} the hidden needle`,
            // Each word is another.
            wide: `${Array.from({ length: 43_000 }, (_, n) => (n + 46_656).toString(36)).join(" ")} rare needle`,
            // Each character is a word.
            chinese: `${String.fromCodePoint(...Array.from({ length: 20_000 }, (_, n) => 0x4e00 + n))} hidden needle`,
            none: "the needle is hidden",
          }
          const made = Object.entries(bodies).map(([subject, bodyText], second) =>
            aMessage(owner, {
              createdAt: NOON + second,
              content: { subject, bodyText, extractedText: bodyText },
            }),
          )
          yield* messages.insert(made)
          yield* index
          const subjects = (query: SearchQuery) =>
            Effect.map(find(everywhere(owner), query, 10), (ids) =>
              ids.map((id) => made.find(({ content }) => content.id === id)?.content.subject),
            )
          expect(yield* subjects(word("needle"))).toEqual(["none", "chinese", "wide", "long"])
          expect(yield* subjects(phrase("hidden", "needle"))).toEqual(["chinese", "long"])
          expect(yield* subjects(phrase("rare", "needle"))).toEqual(["wide"])
          const without = { kind: "not", of: phrase("hidden", "needle") } as const
          expect(yield* subjects({ kind: "and", of: [word("needle"), without] })).toEqual(["none", "wide"])
          expect(yield* subjects(phrase("\u9c1f", "\u9c20"))).toEqual([])
          expect(yield* subjects(phrase("\u7c1f", "\u7c20"))).toEqual(["chinese"])
        }),
      )

      it.effect("evaluates no stored text that facts, labels, words or a stored phrase decide", () =>
        Effect.gen(function* () {
          const [messages, store] = [yield* MessageStore, yield* SearchStore]
          const owner = yield* storedMailbox
          const bodyText = `the first terms ${"contract of terms ".repeat(300)} the last needle`
          const [plain, labelled] = [0, 1].map((second) =>
            aMessage(owner, {
              createdAt: NOON + second,
              labels: second === 1 ? ["todo"] : [],
              content: { bodyText, extractedText: bodyText },
            }),
          )
          if (plain === undefined || labelled === undefined) throw new Error("two messages")
          yield* messages.insert([plain, labelled])
          yield* index
          const certain = (query: SearchQuery, reach?: "newest") =>
            Effect.map(store.find(everywhere(owner), query, null, 10, NEVER, reach), ({ found }) =>
              found.map(({ id, isCertain }) => (isCertain ? id : "uncertain")),
            )
          const all = newestFirst([plain, labelled])
          const label = { kind: "label", label: "todo" } as const
          const not = (of: SearchQuery): SearchQuery => ({ kind: "not", of })
          const [stored, absent] = [phrase("first", "terms"), phrase("no", "terms")]
          const invoice = { kind: "has", part: "attachment" } as const
          expect(yield* certain(label)).toEqual([labelled.content.id])
          expect(yield* certain(not(label))).toEqual([plain.content.id])
          expect(yield* certain(not(invoice))).toEqual(all)
          expect(yield* certain({ kind: "and", of: [word("needle"), label] })).toEqual([labelled.content.id])
          expect(yield* certain({ kind: "and", of: [word("needle"), not(word("terms"))] })).toEqual([])
          expect(yield* certain({ kind: "and", of: [word("needle"), not(word("soup"))] })).toEqual(all)
          expect(yield* certain(not(word("soup")))).toEqual(all)
          expect(yield* certain(stored)).toEqual(all)
          expect(yield* certain({ kind: "and", of: [word("needle"), not(stored)] })).toEqual([])
          expect(yield* certain({ kind: "or", of: [absent, label] })).toEqual([labelled.content.id])
          expect(yield* certain({ kind: "or", of: [stored, label] })).toEqual(all)
          // Where a text has to be evaluated, the newest messages by relevance do without it.
          expect(yield* certain(phrase("last", "terms"), "newest")).toEqual([])
        }),
      )

      it.effect("finds a message whose words exceed 1 MB by its stored text", () =>
        Effect.gen(function* () {
          const [messages, store] = [yield* MessageStore, yield* SearchStore]
          const owner = yield* storedMailbox
          const message = aMessage(owner, {
            content: { bodyText: "the needle", extractedText: "the needle" },
          })
          yield* messages.insert([message])
          yield* store.takeWriter(NOON, NOON + MINUTE)
          const document = documentOf(textOf(message))
          const many = Array.from({ length: 150_000 }, (_, n) => `w${n}`)
          yield* store.add([
            { ...document, tokens: { ...document.tokens, body: [...many, "the", "needle"] } },
          ])
          expect(yield* find(everywhere(owner), word("needle"), 10)).toEqual([message.content.id])
          expect(yield* find(everywhere(owner), phrase("the", "needle"), 10)).toEqual([message.content.id])
          expect(yield* find(everywhere(owner), word("haystack"), 10)).toEqual([])
          // Facts are exact, and what must not match is evaluated.
          const attachment = { kind: "has", part: "attachment" } as const
          const without = (of: SearchQuery): SearchQuery => ({ kind: "not", of })
          const { found } = yield* store.find(everywhere(owner), attachment, null, 10, NEVER)
          expect(found).toEqual([])
          expect(yield* find(everywhere(owner), without(word("needle")), 10)).toEqual([])
          const soup = without(word("haystack"))
          expect(yield* find(everywhere(owner), soup, 10)).toEqual([message.content.id])
          const either: SearchQuery = { kind: "or", of: [word("haystack"), without(attachment)] }
          expect(yield* find(everywhere(owner), either, 10)).toEqual([message.content.id])
        }),
      )
    })
  })
