/** Contract of `ReportStore` and `PlatformKeyStore`, and of the automatic turns of messages. */
import { describe, expect, layer } from "@effect/vitest"
import { MailboxId, ThreadId } from "@mailroom/domain"
import { MessageStore, PlatformKeyStore, type ReportRecord, ReportStore, SendStore } from "@mailroom/engine"
import { Effect } from "effect"
import type { Database } from "./support/databases.js"
import { aMessage, newId, NOON, storedMailbox } from "./support/records.js"

const outbound = (over: Parameters<typeof aMessage>[1] = {}) =>
  Effect.gen(function* () {
    const store = yield* MessageStore
    const message = aMessage(yield* storedMailbox, {
      status: "SENT",
      ...over,
      content: { direction: "OUTBOUND", ...over.content },
    })
    yield* store.insert([message])
    return message
  })

export const reportsContract = (name: string, database: Database) =>
  describe(`${name}: reports`, () => {
    layer(database)((it) => {
      it.effect("stores each report once, also when a list has it twice", () =>
        Effect.gen(function* () {
          const reports = yield* ReportStore
          const { content } = yield* outbound()
          const one: ReportRecord = {
            messageId: content.id,
            recipient: "bob@elsewhere.org",
            outcome: "bounced",
            reportedAt: NOON,
          }
          const two: ReportRecord = { ...one, outcome: "delivered" }
          expect(yield* reports.insertNew([one, one])).toEqual([one])
          expect(yield* reports.insertNew([{ ...one, reportedAt: NOON + 1 }, two])).toEqual([two])
          expect(yield* reports.insertNew([])).toEqual([])
        }),
      )

      it.effect("removes the reports about a message with the message", () =>
        Effect.gen(function* () {
          const reports = yield* ReportStore
          const store = yield* MessageStore
          const message = yield* outbound()
          const report: ReportRecord = {
            messageId: message.content.id,
            recipient: "bob@elsewhere.org",
            outcome: "complained",
            reportedAt: NOON,
          }
          yield* reports.insertNew([report])
          yield* store.remove(message.content.id)
          yield* store.insert([message])
          expect(yield* reports.insertNew([report])).toEqual([report])
        }),
      )

      it.effect("finds sent messages by their ids, and no received ones", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const one = yield* outbound()
          const two = yield* outbound()
          const received = aMessage(yield* storedMailbox)
          yield* store.insert([received])
          const found = yield* store.sent([one, two, received].map(({ content }) => content.id))
          expect(new Set(found.map(({ content }) => content.id))).toEqual(
            new Set([one.content.id, two.content.id]),
          )
          expect(found.find(({ content }) => content.id === one.content.id)).toEqual(one)
          expect(yield* store.sent([])).toEqual([])
        }),
      )

      it.effect("returns the times of the automatic turns of a thread, those being sent too", () =>
        Effect.gen(function* () {
          const store = yield* SendStore
          const threadId = ThreadId.make(newId())
          for (const [createdAt, automaticTurn] of [
            [NOON, true],
            [NOON + 1, false],
            [NOON + 2, true],
            [NOON + 3, true],
          ] as const)
            yield* outbound({ threadId, createdAt, automaticTurn, status: "SENDING" })
          yield* outbound({ createdAt: NOON + 2, automaticTurn: true })
          expect(yield* store.automaticTurns({ threadId }, NOON + 1, 10)).toEqual([NOON + 2, NOON + 3])
          expect(yield* store.automaticTurns({ threadId }, NOON, 2)).toEqual([NOON, NOON + 2])
        }),
      )

      it.effect("keeps one current and one next key of the platform; the next replaces the current", () =>
        Effect.gen(function* () {
          const keys = yield* PlatformKeyStore
          const key = (selector: string, role: "CURRENT" | "NEXT") => ({
            selector,
            role,
            publicKey: "MIIBIjANBgkq",
            sealedKey: "sealed",
            createdAt: NOON,
          })
          const [one, two] = [`mr${newId()}`, `mr${newId()}`]
          expect(yield* keys.insert(key(one, "CURRENT"))).toBe(true)
          expect(yield* keys.insert(key(`mr${newId()}`, "CURRENT"))).toBe(false)
          expect(yield* keys.all).toEqual([key(one, "CURRENT")])
          yield* keys.promote(one)
          expect(yield* keys.all).toEqual([key(one, "CURRENT")])
          const inserted = yield* Effect.forEach([two, `mr${newId()}`], (selector) =>
            keys.insert(key(selector, "NEXT")),
          )
          expect(inserted).toEqual([true, false])
          yield* keys.promote(MailboxId.make(newId()))
          expect(new Set(yield* keys.all)).toEqual(new Set([key(one, "CURRENT"), key(two, "NEXT")]))
          yield* keys.promote(two)
          expect(yield* keys.all).toEqual([key(two, "CURRENT")])
        }),
      )
    })
  })
