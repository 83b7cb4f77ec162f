/** Contract of `MailCountStore` and `SendingHealthStore`. */
import { describe, expect, layer } from "@effect/vitest"
import { DAY, HOUR, type MailboxRecord, type MessageId, noMetrics, periodStart } from "@mailroom/domain"
import {
  MailboxStore,
  MailCountStore,
  MessageStore,
  SendingHealthStore,
  type SendReport,
  Transactions,
} from "@mailroom/engine"
import { Effect, Option } from "effect"
import type { Database } from "./support/databases.js"
import { aMailbox, aMessage, NOON, storedMailbox } from "./support/records.js"

const HOUR_OF_NOON = periodStart(NOON, "hour")
const DAY_OF_NOON = periodStart(NOON, "day")
const hours = { period: "hour", from: DAY_OF_NOON, to: DAY_OF_NOON + DAY } as const
const days = { period: "day", from: DAY_OF_NOON, to: DAY_OF_NOON + 2 * DAY } as const

/** Stores a message of the mailbox and counts its sends. Returns its id and the sends in the window. */
const counted = (mailbox: MailboxRecord, sends = 1) =>
  Effect.gen(function* () {
    const message = aMessage(mailbox, { status: "SENT", content: { direction: "OUTBOUND" } })
    yield* Effect.flatMap(MessageStore, (store) => store.insert([message]))
    const health = yield* SendingHealthStore
    const { run } = yield* Transactions
    const send = {
      accountId: mailbox.accountId,
      mailboxId: mailbox.id,
      messageId: message.content.id,
      sends,
      at: NOON,
    }
    return { id: message.content.id, inWindow: yield* run(health.countSend(send)) }
  })

const bounced = (messageId: MessageId, distance = 0): SendReport => ({
  messageId,
  distance,
  outcome: "bounced",
})

const windowOf = ({ id }: MailboxRecord) =>
  Effect.gen(function* () {
    const [window] = yield* (yield* SendingHealthStore).windows([id])
    return window === undefined ? null : [window.sends, window.hardBounces, window.complaints, window.warned]
  })

const reported = (...reports: ReadonlyArray<SendReport>) =>
  Effect.gen(function* () {
    const health = yield* SendingHealthStore
    const { run } = yield* Transactions
    return (yield* run(health.addReports(reports))).length
  })

export const reputationContract = (name: string, database: Database) =>
  describe(`${name}: reputation`, () => {
    layer(database)((it) => {
      it.effect("adds to the counters of the mailbox and its account, by hour and by day", () =>
        Effect.gen(function* () {
          const counts = yield* MailCountStore
          const { run } = yield* Transactions
          const mailbox = yield* storedMailbox
          const other = aMailbox(mailbox.accountId)
          const { accountId } = mailbox
          const add = (given: Parameters<typeof counts.add>[0], at: number) => run(counts.add(given, at))
          yield* add(
            [
              { accountId, mailboxId: mailbox.id, received: 1 },
              { accountId, mailboxId: other.id, received: 1, gated: 1 },
              { accountId, mailboxId: mailbox.id, received: 1, quarantined: 1 },
            ],
            NOON,
          )
          yield* add([{ accountId, mailboxId: mailbox.id, delivered: 2, bounced: 3, complained: 4 }], NOON)
          yield* add([{ accountId, mailboxId: mailbox.id, sent: 1 }], NOON + HOUR)
          yield* add([{ accountId, mailboxId: mailbox.id, sent: 1 }], NOON + DAY)
          const own = { received: 2, quarantined: 1, delivered: 2, bounced: 3, complained: 4 }
          expect(yield* counts.read(mailbox.id, hours)).toEqual([
            { ...noMetrics, ...own, at: HOUR_OF_NOON },
            { ...noMetrics, sent: 1, at: HOUR_OF_NOON + HOUR },
          ])
          expect(yield* counts.read(mailbox.id, days)).toEqual([
            { ...noMetrics, ...own, sent: 1, at: DAY_OF_NOON },
            { ...noMetrics, sent: 1, at: DAY_OF_NOON + DAY },
          ])
          expect(yield* counts.read(accountId, hours)).toMatchObject([
            { ...own, received: 3, gated: 1 },
            { sent: 1 },
          ])
          expect(yield* counts.read(other.id, { ...days, to: days.from })).toEqual([])
          yield* counts.add([], NOON)
        }),
      )

      it.effect("removes counters of one period before an instant, some at a time", () =>
        Effect.gen(function* () {
          const counts = yield* MailCountStore
          const mailbox = yield* storedMailbox
          const { accountId, id: mailboxId } = mailbox
          const long = NOON - 1000 * DAY
          for (const at of [long, long + HOUR, long + 2 * HOUR])
            yield* counts.add([{ accountId, mailboxId, sent: 1 }], at)
          const range = { from: long - DAY, to: long + DAY }
          expect(yield* counts.removeBefore("hour", periodStart(long, "hour") + 2 * HOUR, 3)).toBe(3)
          expect(yield* counts.removeBefore("hour", periodStart(long, "hour") + 2 * HOUR, 3)).toBe(1)
          expect(yield* counts.read(mailboxId, { ...range, period: "hour" })).toHaveLength(1)
          expect(yield* counts.read(mailboxId, { ...range, period: "day" })).toHaveLength(1)
        }),
      )

      it.effect("keeps the counters of removed messages, and removes those of a removed mailbox", () =>
        Effect.gen(function* () {
          const counts = yield* MailCountStore
          const messages = yield* MessageStore
          const mailbox = yield* storedMailbox
          const { id } = yield* counted(mailbox)
          yield* messages.remove(id)
          expect(yield* counts.read(mailbox.id, days)).toMatchObject([{ sent: 1 }])
          yield* Effect.flatMap(MailboxStore, (store) => store.remove(mailbox.id))
          yield* messages.purge(mailbox.id, 200)
          expect(yield* counts.read(mailbox.id, days)).toEqual([])
          expect(yield* counts.read(mailbox.id, hours)).toEqual([])
          expect(yield* counts.read(mailbox.accountId, days)).toMatchObject([{ sent: 1 }])
        }),
      )

      it.effect("numbers the sends of a mailbox, and counts each report of a send once", () =>
        Effect.gen(function* () {
          const mailbox = yield* storedMailbox
          expect(yield* windowOf(mailbox)).toBeNull()
          const one = yield* counted(mailbox)
          const three = yield* counted(mailbox, 3)
          expect([one.inWindow, three.inWindow]).toEqual([Option.some(1), Option.some(4)])
          expect(yield* reported(bounced(three.id, 1), bounced(three.id, 1))).toBe(1)
          expect(yield* reported(bounced(three.id, 1), bounced(three.id, 2))).toBe(1)
          expect(yield* reported({ ...bounced(three.id, 1), outcome: "complained" })).toBe(1)
          expect(yield* windowOf(mailbox)).toEqual([4, 2, 1, false])
        }),
      )

      it.effect("the window is exactly the last 1,000 sends", () =>
        Effect.gen(function* () {
          const mailbox = yield* storedMailbox
          const first = yield* counted(mailbox)
          const second = yield* counted(mailbox, 2)
          yield* reported(bounced(first.id), bounced(second.id, 1))
          yield* counted(mailbox, 997)
          expect(yield* windowOf(mailbox)).toEqual([1000, 2, 0, false])
          yield* counted(mailbox)
          expect(yield* windowOf(mailbox)).toEqual([1000, 1, 0, false])
          expect(yield* reported({ ...bounced(first.id), outcome: "complained" })).toBe(0)
          expect(yield* reported(bounced(second.id, 0))).toBe(1)
          yield* counted(mailbox)
          expect(yield* windowOf(mailbox)).toEqual([1000, 1, 0, false])
          yield* counted(mailbox)
          expect(yield* windowOf(mailbox)).toEqual([1000, 0, 0, false])
        }),
      )

      it.effect("a window that restarts has no sends, and no reports about earlier ones", () =>
        Effect.gen(function* () {
          const health = yield* SendingHealthStore
          const mailbox = yield* storedMailbox
          const early = yield* counted(mailbox)
          yield* reported(bounced(early.id))
          yield* health.setWarned(mailbox.id, true)
          expect(yield* windowOf(mailbox)).toEqual([1, 1, 0, true])
          yield* health.restart(mailbox.id)
          expect(yield* windowOf(mailbox)).toEqual([0, 0, 0, false])
          const late = yield* counted(mailbox)
          expect(late.inWindow).toEqual(Option.some(1))
          expect(yield* reported({ ...bounced(early.id), outcome: "complained" }, bounced(late.id))).toBe(1)
          expect(yield* windowOf(mailbox)).toEqual([1, 1, 0, false])
        }),
      )

      it.effect("keeps what reports about a removed message need, until it is forgotten", () =>
        Effect.gen(function* () {
          const health = yield* SendingHealthStore
          const messages = yield* MessageStore
          const mailbox = yield* storedMailbox
          const { accountId } = mailbox
          const sent = yield* counted(mailbox, 2)
          const uncounted = aMessage(mailbox, { status: "UNKNOWN", content: { direction: "OUTBOUND" } })
          yield* messages.insert([uncounted])
          const addressed = { toAddresses: ["ada@x.org"], ccAddresses: [], bccAddresses: ["bob@x.org"] }
          const long = NOON - 1000 * DAY
          for (const id of [sent.id, uncounted.content.id]) {
            yield* health.keepRemoved({ ...addressed, id, mailboxId: mailbox.id }, long)
            yield* messages.remove(id)
          }
          const ids = [sent.id, uncounted.content.id]
          expect(yield* health.removed(ids)).toEqual([
            { accountId, content: { ...addressed, id: sent.id, mailboxId: mailbox.id } },
          ])
          expect(
            yield* reported(bounced(sent.id, 1), bounced(sent.id, 1), bounced(uncounted.content.id)),
          ).toBe(1)
          expect(yield* windowOf(mailbox)).toEqual([2, 1, 0, false])
          expect(yield* health.forgetRemoved(long, 10)).toBe(0)
          expect(yield* health.forgetRemoved(long + 1, 10)).toBe(1)
          expect(yield* health.removed(ids)).toEqual([])
        }),
      )

      it.effect("forgets the removed messages of a removed mailbox", () =>
        Effect.gen(function* () {
          const health = yield* SendingHealthStore
          const messages = yield* MessageStore
          const mailbox = yield* storedMailbox
          const { id } = yield* counted(mailbox)
          const none = { toAddresses: [], ccAddresses: [], bccAddresses: [] }
          yield* health.keepRemoved({ ...none, id, mailboxId: mailbox.id }, NOON)
          yield* messages.remove(id)
          yield* Effect.flatMap(MailboxStore, (store) => store.remove(mailbox.id))
          expect(yield* health.removed([id])).toEqual([])
          expect((yield* messages.purge(mailbox.id, 200)).removed).toBeGreaterThan(0)
          expect(yield* health.forgetRemoved(NOON + 1, 10)).toBe(0)
        }),
      )

      it.effect("counts no send of a mailbox that is gone, and no report about an uncounted message", () =>
        Effect.gen(function* () {
          const mailbox = yield* storedMailbox
          const message = aMessage(mailbox, { status: "UNKNOWN", content: { direction: "OUTBOUND" } })
          yield* Effect.flatMap(MessageStore, (store) => store.insert([message]))
          const send = yield* counted(mailbox)
          expect(yield* reported(bounced(message.content.id))).toBe(0)
          yield* reported(bounced(send.id))
          yield* Effect.flatMap(MailboxStore, (store) => store.remove(mailbox.id))
          expect(yield* windowOf(mailbox)).toBeNull()
          expect((yield* counted(mailbox)).inWindow).toEqual(Option.none())
          expect(yield* reported({ ...bounced(send.id), outcome: "complained" })).toBe(0)
        }),
      )

      it.effect("sends and reports at the same time are all counted", () =>
        Effect.gen(function* () {
          const mailbox = yield* storedMailbox
          const sent = yield* Effect.all(
            Array.from({ length: 20 }, () => counted(mailbox)),
            { concurrency: 5 },
          )
          expect(
            sent.map(({ inWindow }) => Option.getOrNull(inWindow)).sort((a, b) => Number(a) - Number(b)),
          ).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
          yield* Effect.all(
            [...sent.slice(0, 6).map(({ id }) => reported(bounced(id))), counted(mailbox), counted(mailbox)],
            { concurrency: 5 },
          )
          expect(yield* windowOf(mailbox)).toEqual([22, 6, 0, false])
        }),
      )
    })
  })
