/** Contract of `ArrivalStore`. */
import { describe, expect, layer } from "@effect/vitest"
import {
  HOUR,
  type MailboxRecord,
  MINUTE,
  receivedEvent,
  SECOND,
  stubEvent,
  timestamp,
} from "@mailroom/domain"
import {
  type ArrivalPage,
  ArrivalStore,
  EventStore,
  type MessageRecord,
  MessageStore,
} from "@mailroom/engine"
import { Effect, TestClock } from "effect"
import type { Database } from "./support/databases.js"
import { aMessage, NOON, storedMailbox } from "./support/records.js"

/** The envelope of a message, and the stub of a gated one. */
const envelopeOf = (mailbox: MailboxRecord, { content, gate, threadId }: MessageRecord) =>
  gate === null
    ? receivedEvent(content, timestamp(NOON), mailbox, threadId, null, NOON)
    : stubEvent(
        content,
        timestamp(NOON),
        mailbox,
        { current: 1, limit: 1, percentage: 100, status: "limit_reached", reset_date: timestamp(NOON) },
        { browserUrl: "", apiEndpoint: { method: "POST", path: "/v1/billing/upgrade" }, hint: "" },
        NOON,
      )

/** Stores messages and then their events, which happened at these times. */
const arrive = (mailbox: MailboxRecord, messages: ReadonlyArray<MessageRecord>, at: number = NOON) =>
  Effect.gen(function* () {
    yield* Effect.flatMap(MessageStore, (store) => store.insert(messages))
    const events = yield* EventStore
    yield* events.append(
      messages.map((message) => ({
        accountId: mailbox.accountId,
        mailboxId: mailbox.id,
        kind: "message.received" as const,
        envelope: JSON.stringify(envelopeOf(mailbox, message)),
        happenedAt: at,
        random: 1,
      })),
    )
  })

export const arrivalsContract = (name: string, database: Database) =>
  describe(`${name}: arrivals`, () => {
    layer(database)((it) => {
      it.effect("messages come in the order of the log, without those that are gated or removed", () =>
        Effect.gen(function* () {
          const store = yield* ArrivalStore
          const mailbox = yield* storedMailbox
          const [late, gated, removed, last] = [
            aMessage(mailbox, {
              createdAt: NOON + 5,
              content: { subject: 'A "code"', fromName: "message_id" },
            }),
            aMessage(mailbox, { gate: "INBOUND_LIMIT_EXCEEDED" }),
            aMessage(mailbox),
            aMessage(mailbox, {
              labels: ["a"],
              content: { codes: [{ code: "1", context: "" }], links: [{ url: "u", text: "" }] },
            }),
          ]
          yield* arrive(mailbox, [late, gated, removed, last])
          yield* Effect.flatMap(MessageStore, (messages) => messages.remove(removed.content.id))
          const all = yield* store.page(mailbox.accountId, 0, 10)
          expect(all).toMatchObject({ through: 4, hasMore: false })
          expect(all.arrivals.map(({ seq, message }) => [seq, message.id])).toEqual([
            [1, late.content.id],
            [4, last.content.id],
          ])
          expect(all.arrivals[1]?.message).toMatchObject({
            labels: ["a"],
            hasCode: true,
            hasLink: true,
            threadId: last.threadId,
          })
          const first = yield* store.page(mailbox.accountId, 0, 1)
          expect(first).toMatchObject({ through: 1, hasMore: true })
          expect(yield* store.page(mailbox.accountId, 4, 10)).toEqual({
            arrivals: [],
            through: 4,
            hasMore: false,
          })
        }),
      )

      it.effect("a page ends by its bytes, and pages have every message once", () =>
        Effect.gen(function* () {
          const store = yield* ArrivalStore
          const mailbox = yield* storedMailbox
          const stored = [9, 3, 3, 3, 0].map((megabytes) =>
            aMessage(mailbox, { content: { references: ["r".repeat(megabytes * 1024 * 1024)] } }),
          )
          yield* arrive(mailbox, stored)
          const pages: Array<ReadonlyArray<string>> = []
          let page: Pick<ArrivalPage, "through" | "hasMore"> = { through: 0, hasMore: true }
          while (page.hasMore) {
            const read: ArrivalPage = yield* store.page(mailbox.accountId, page.through, 100)
            pages.push(read.arrivals.map(({ message }) => message.id))
            page = read
          }
          expect(pages.map(({ length }) => length)).toEqual([1, 2, 2])
          expect(page.through).toBe(5)
          expect(pages.flat()).toEqual(stored.map(({ content }) => content.id))
        }),
      )

      it.effect("a gated message that is unlocked is at the place of its event", () =>
        Effect.gen(function* () {
          const store = yield* ArrivalStore
          const mailbox = yield* storedMailbox
          const gated = aMessage(mailbox, { gate: "INBOUND_LIMIT_EXCEEDED" })
          yield* arrive(mailbox, [gated])
          yield* Effect.flatMap(MessageStore, (messages) => messages.unlock(mailbox.accountId, "all"))
          const { arrivals } = yield* store.page(mailbox.accountId, 0, 10)
          expect(arrivals.map(({ message }) => message.id)).toEqual([gated.content.id])
        }),
      )

      it.effect("a time is found in the log, whatever its length", () =>
        Effect.gen(function* () {
          const store = yield* ArrivalStore
          const mailbox = yield* storedMailbox
          expect(yield* store.before(mailbox.accountId, NOON)).toBe(0)
          for (let hour = 0; hour < 20; hour++)
            yield* arrive(mailbox, [aMessage(mailbox)], NOON + hour * HOUR)
          for (let hour = 0; hour < 20; hour++) {
            const before = yield* store.before(mailbox.accountId, NOON + hour * HOUR)
            expect(before).toBeLessThanOrEqual(hour)
            if (hour === 19) expect(before).toBe(19)
          }
          // The clocks of two processes may disagree by a minute.
          expect(yield* store.before(mailbox.accountId, NOON + 19 * HOUR + MINUTE)).toBe(19)
          expect(yield* store.before(mailbox.accountId, NOON + 19 * HOUR + MINUTE + SECOND)).toBe(20)
        }),
      )

      it.effect("an event of long ago that is recorded late does not hide messages that came before it", () =>
        Effect.gen(function* () {
          const store = yield* ArrivalStore
          const mailbox = yield* storedMailbox
          yield* TestClock.setTime(NOON + HOUR)
          yield* arrive(mailbox, [aMessage(mailbox)], NOON + HOUR)
          yield* arrive(mailbox, [aMessage(mailbox)], NOON)
          expect(yield* store.before(mailbox.accountId, NOON + HOUR)).toBe(0)
        }),
      )
    })
  })
