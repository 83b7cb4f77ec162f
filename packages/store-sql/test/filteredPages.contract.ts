/** Contract of `MessageStore`: filtered lists show exactly the messages that match, in order, each once. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import {
  anyMessage,
  MailboxId,
  matchesFilter,
  type MessageFilter,
  MessageListItem,
  parseAddressPattern,
  ThreadId,
} from "@mailroom/domain"
import {
  type FilteredQuery,
  MailboxStore,
  type MessagePage,
  type MessageRecord,
  MessageStore,
} from "@mailroom/engine"
import { Effect, Schema } from "effect"
import type { Database } from "./support/databases.js"
import { aMailbox, aMessage, newId, NOON, type Owner, storedMailbox } from "./support/records.js"

const idOf = Schema.decodeUnknown(Schema.parseJson(MessageListItem))

/** The id of each item of all pages, and how many pages there were. */
const readAll = (query: FilteredQuery, withUnlocked = false) =>
  Effect.gen(function* () {
    const store = yield* MessageStore
    const ids: Array<string> = []
    let after: FilteredQuery["after"] = null
    let pages = 0
    for (let more = true; more; pages++) {
      const page: MessagePage = yield* store.filtered({ ...query, after }, withUnlocked)
      expect(page.items.length).toBeLessThanOrEqual(query.limit)
      for (const item of page.items) ids.push((yield* idOf(item)).id)
      more = page.hasMore
      after = page.last
    }
    return { ids, pages }
  })

const mailboxOf = ({ accountId }: Owner) =>
  Effect.gen(function* () {
    const mailbox = aMailbox(accountId)
    yield* Effect.flatMap(MailboxStore, (store) => store.insert(mailbox)).pipe(Effect.orDie)
    return mailbox
  })

const SENDERS = ["ada@one.example", "Bob@One.example", "eve@two.example"]
const SUBJECTS = ["Invoice 50% off", "Re: invoice", "STRASSE Νέα προσφορά για όλους", "c:\\temp_1"]

/** `count` messages of a mailbox in two threads, with every mix of what filters ask for. */
const mixed = (owner: Owner, count: number, threads: ReadonlyArray<ThreadId>): ReadonlyArray<MessageRecord> =>
  Array.from({ length: count }, (_, index) =>
    aMessage(owner, {
      createdAt: NOON + Math.floor(index / 3),
      threadId: threads[index % threads.length] ?? ThreadId.make(newId()),
      labels: [...(index % 2 === 0 ? ["even"] : []), ...(index % 3 === 0 ? ["third", 'q"'] : [])],
      readAt: index % 5 < 2 ? NOON : null,
      content: {
        direction: index % 4 === 3 ? "OUTBOUND" : "INBOUND",
        fromAddress: SENDERS[index % 3] ?? "",
        toAddresses: [index % 2 === 0 ? "desk@acme.example" : "Desk+a@acme.example"],
        ccAddresses: index % 7 === 0 ? ["boss@other.example"] : [],
        deliveredTo: index % 4 === 3 ? null : "agent+tag@mailroom.example",
        subject: SUBJECTS[index % 4] ?? "",
        hasAttachments: index % 6 === 0,
      },
    }),
  )

const filtersOf = (threadId: ThreadId | undefined): ReadonlyArray<Partial<MessageFilter>> => [
  {},
  { direction: "OUTBOUND" },
  { threadId: threadId ?? null },
  { threadId: threadId ?? null, unread: true, subject: "invoice" },
  { labels: ["even"] },
  { labels: ["even", 'q"'] },
  { labels: ["none"] },
  { unread: true },
  { unread: false },
  { unread: true, hasAttachment: true, direction: "INBOUND" },
  { hasAttachment: true },
  { hasAttachment: false, labels: ["third"] },
  { from: parseAddressPattern("bob@one.example") },
  { from: parseAddressPattern("@one.example"), unread: true },
  { to: parseAddressPattern("desk+a@acme.example") },
  { to: parseAddressPattern("agent+tag@mailroom.example"), labels: ["third"] },
  { to: parseAddressPattern("@other.example"), from: parseAddressPattern("@two.example") },
  { subject: "50% OFF" },
  { subject: "0% off" },
  { subject: "c:\\temp_1" },
  { subject: "tempX1" },
  { subject: "straße", direction: "INBOUND" },
  { subject: "ΠΡΟΣ" },
  { subject: "όλους" },
  { since: NOON + 3, before: NOON + 9 },
  { since: NOON + 3, before: NOON + 9, labels: ["even"], unread: true },
]

const newestFirst = (a: MessageRecord, b: MessageRecord): number =>
  b.createdAt - a.createdAt || (a.content.id < b.content.id ? 1 : -1)

const expected = (
  messages: ReadonlyArray<MessageRecord>,
  filter: MessageFilter,
  order: FilteredQuery["order"],
): ReadonlyArray<string> => {
  const found = messages
    .filter((message) => matchesFilter(filter, { ...message.content, ...message }))
    .sort(newestFirst)
    .map(({ content }) => content.id)
  return order === "desc" ? found : found.reverse()
}

/** Checks filters in both orders, in one mailbox, in two, and in the account: all combinations, or one in `oneIn`. */
const check = (
  messages: ReadonlyArray<MessageRecord>,
  mailboxes: ReadonlyArray<MailboxId>,
  accountId: Owner["accountId"],
  threadId: ThreadId | undefined,
  { oneIn = 1, withUnlocked = false, withQuarantined = false, onlyQuarantined = false } = {},
) =>
  Effect.gen(function* () {
    let combination = 0
    for (const over of filtersOf(threadId))
      for (const mailboxIds of [mailboxes.slice(0, 1), mailboxes.slice(0, 2), null])
        for (const order of ["desc", "asc"] as const) {
          if (combination++ % oneIn > 0) continue
          const filter = { ...anyMessage, ...over }
          const inScope = messages.filter(
            ({ content, quarantine }) =>
              (mailboxIds === null || mailboxIds.includes(content.mailboxId)) &&
              (quarantine === null ? !onlyQuarantined : withQuarantined && filter.claim === null),
          )
          const { ids } = yield* readAll(
            { accountId, mailboxIds, filter, order, withQuarantined, onlyQuarantined, after: null, limit: 7 },
            withUnlocked,
          )
          expect(ids, JSON.stringify({ over, mailboxIds, order })).toEqual(expected(inScope, filter, order))
        }
  })

const quarantined = { at: NOON, reasons: ["blocked"] } as const

const scene = (
  gate: (index: number) => MessageRecord["gate"],
  isQuarantined: (index: number) => boolean = () => false,
) =>
  Effect.gen(function* () {
    const store = yield* MessageStore
    const one = yield* storedMailbox
    const two = yield* mailboxOf(one)
    const three = yield* mailboxOf(one)
    const stranger = yield* storedMailbox
    const threads = [ThreadId.make(newId()), ThreadId.make(newId())]
    const messages = [one, two, three]
      .flatMap((owner) => mixed(owner, 26, threads))
      .map((message, index) => ({
        ...message,
        gate: gate(index),
        quarantine: isQuarantined(index) && message.content.direction === "INBOUND" ? quarantined : null,
      }))
    yield* store.insert([...messages, ...mixed(stranger, 5, threads)])
    return { messages, mailboxes: [one.id, two.id, three.id], owner: one, threadId: threads[0] }
  })

const rowsOfTerms = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.flatMap(
    sql`/* test */ SELECT CAST((SELECT count(*) FROM message_terms) + (SELECT count(*) FROM message_subjects) AS TEXT) AS count`,
    Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ count: Schema.NumberFromString }))),
  ),
)

export const filteredPagesContract = (name: string, database: Database) =>
  describe(`${name}: filtered lists of messages`, () => {
    layer(database)((it) => {
      it.effect(
        "show exactly what matches, each once, in both orders, in one mailbox, several, and all",
        () =>
          Effect.gen(function* () {
            const { messages, mailboxes, owner, threadId } = yield* scene(() => null)
            yield* check(messages, mailboxes, owner.accountId, threadId)
          }),
      )

      it.effect("hide gated messages until they are unlocked, and then show them at once and after it", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const { messages, mailboxes, owner, threadId } = yield* scene((index) =>
            index % 3 === 0 ? "INBOUND_LIMIT_EXCEEDED" : null,
          )
          const open = messages.filter(({ gate }) => gate === null)
          yield* check(open, mailboxes, owner.accountId, threadId, { oneIn: 5 })
          yield* store.unlock(owner.accountId, "all")
          yield* check(messages, mailboxes, owner.accountId, threadId, { oneIn: 5, withUnlocked: true })
          yield* store.showUnlocked(owner.accountId, 100)
          yield* check(messages, mailboxes, owner.accountId, threadId, { oneIn: 5 })
        }),
      )

      it.effect("hide quarantined messages unless they are asked for, and those that a gate hides too", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const { messages, mailboxes, owner, threadId } = yield* scene(
            (index) => (index % 5 === 0 ? "INBOUND_LIMIT_EXCEEDED" : null),
            (index) => index % 2 === 0,
          )
          expect(messages.filter(({ quarantine }) => quarantine !== null).length).toBeGreaterThan(9)
          const open = messages.filter(({ gate }) => gate === null)
          const checked = (some: typeof messages, withUnlocked = false) =>
            Effect.forEach(
              [{}, { withQuarantined: true }, { withQuarantined: true, onlyQuarantined: true }],
              (shown) =>
                check(some, mailboxes, owner.accountId, threadId, { oneIn: 7, withUnlocked, ...shown }),
            )
          yield* checked(open)
          yield* store.unlock(owner.accountId, "all")
          yield* checked(messages, true)
          yield* store.showUnlocked(owner.accountId, 100)
          yield* checked(messages)
          for (const { content, quarantine } of messages)
            if (quarantine !== null) yield* store.release(content.id)
          yield* checked(messages.map((message) => ({ ...message, quarantine: null })))
        }),
      )

      it.effect("show messages of an earlier version before and after they are indexed", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const sql = yield* SqlClient.SqlClient
          const { messages, mailboxes, owner, threadId } = yield* scene(() => null)
          const all = yield* rowsOfTerms
          yield* sql`/* test */ UPDATE messages SET indexed = 0 WHERE account_id = ${owner.accountId}`
          yield* sql`/* test */ DELETE FROM message_terms WHERE message_id IN (SELECT id FROM messages WHERE indexed = 0)`
          yield* sql`/* test */ DELETE FROM message_subjects WHERE message_id IN (SELECT id FROM messages WHERE indexed = 0)`
          yield* check(messages, mailboxes, owner.accountId, threadId, { oneIn: 5 })
          expect(yield* store.unindexed).toMatchObject({ value: owner.accountId })
          expect(yield* store.index(owner.accountId, 50)).toBe(false)
          yield* check(messages, mailboxes, owner.accountId, threadId, { oneIn: 5 })
          expect(yield* store.index(owner.accountId, 50)).toBe(true)
          expect(yield* store.unindexed).toMatchObject({ _tag: "None" })
          yield* check(messages, mailboxes, owner.accountId, threadId, { oneIn: 5 })
          expect(yield* rowsOfTerms).toEqual(all)
        }),
      )

      it.effect("follow changes of labels and read marks, and leave nothing of removed messages", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const before = yield* rowsOfTerms
          const { messages, mailboxes, owner, threadId } = yield* scene(() => null)
          const afterwards = messages.map((message, index) => ({
            ...message,
            labels: index % 3 === 0 ? ["even", "new"] : message.labels,
            readAt: index % 2 === 0 ? NOON : null,
          }))
          yield* store.setFlags(
            messages.map((message, index) => ({
              before: { ...message, id: message.content.id, mailboxId: message.content.mailboxId },
              after: afterwards[index] ?? message,
            })),
          )
          yield* check(afterwards, mailboxes, owner.accountId, threadId, { oneIn: 5 })
          for (const { content } of afterwards) yield* store.remove(content.id)
          const [strangers] = [5 * 6]
          const [{ count }] = yield* rowsOfTerms
          expect(count - before[0].count).toBeLessThan(strangers * 8)
          yield* check([], mailboxes, owner.accountId, threadId, { oneIn: 5 })
        }),
      )

      it.effect("examine 500 messages at most, and continue there with the next page", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const messages = Array.from({ length: 2_300 }, (_, index) =>
            aMessage(owner, {
              createdAt: NOON + index,
              content: { subject: index === 0 ? "Needle" : "Hay" },
            }),
          )
          yield* store.insert(messages)
          const filter = { ...anyMessage, subject: "needle" }
          const { accountId } = owner
          const query = {
            accountId,
            mailboxIds: [owner.id],
            filter,
            order: "desc",
            after: null,
            limit: 50,
          } as const
          const page = yield* store.filtered(query)
          expect(page).toMatchObject({ items: [], hasMore: true, last: { createdAt: NOON + 1_800 } })
          expect(yield* readAll(query)).toEqual({ ids: [messages[0]?.content.id], pages: 5 })
        }),
      )

      it.effect("read as many mailboxes as a key may have, also while messages are unlocked", () =>
        Effect.gen(function* () {
          const owner = yield* storedMailbox
          const message = aMessage(owner)
          yield* Effect.flatMap(MessageStore, (store) => store.insert([message]))
          const others = Array.from({ length: 199 }, () => MailboxId.make(newId()))
          const query = {
            accountId: owner.accountId,
            mailboxIds: [...others, owner.id],
            filter: anyMessage,
            order: "desc",
            withQuarantined: true,
            after: null,
            limit: 50,
          } as const
          expect(yield* readAll(query, true)).toEqual({ ids: [message.content.id], pages: 1 })
        }),
      )

      it.effect("leave out mailboxes that are removed, before their messages are", () =>
        Effect.gen(function* () {
          const { messages, mailboxes, owner } = yield* scene(() => null)
          const [, , removed] = mailboxes
          yield* Effect.flatMap(MailboxStore, (store) => store.remove(removed ?? owner.id))
          const { ids } = yield* readAll({
            accountId: owner.accountId,
            mailboxIds: null,
            filter: anyMessage,
            order: "desc",
            after: null,
            limit: 50,
          })
          const left = messages.filter(({ content }) => content.mailboxId !== removed)
          expect(ids).toEqual(expected(left, anyMessage, "desc"))
        }),
      )
    })
  })
