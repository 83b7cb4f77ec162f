/** What an `EventStore` does. */
import { describe, expect, layer } from "@effect/vitest"
import { AccountId, MailboxId, seqOf } from "@mailroom/domain"
import { type EventDraft, EventStore, storageFailureIn, Transactions } from "@mailroom/engine"
import { Effect, Exit, Option } from "effect"
import type { Database } from "./support/databases.js"
import { newId, NOON, storedAccount } from "./support/records.js"

const draft = (accountId: AccountId, over: Partial<EventDraft> = {}): EventDraft => ({
  accountId,
  mailboxId: MailboxId.make(newId()),
  kind: "message.received",
  envelope: '{"event":"message.received"}',
  createdAt: NOON,
  random: 0xabcd,
  ...over,
})

const drafts = (accountId: AccountId, count: number) => Array.from({ length: count }, () => draft(accountId))

const seqs = (events: ReadonlyArray<{ readonly seq: number }>) => events.map(({ seq }) => seq)

export const eventsContract = (name: string, database: Database) =>
  describe(`${name}: events`, () => {
    layer(database)((it) => {
      it.effect("numbers the events of each account without gaps, in the given order", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const [one, two] = [(yield* storedAccount).id, (yield* storedAccount).id]
          const appended = yield* store.append([two, one, two, one, two].map((id) => draft(id)))
          expect(appended.map(({ accountId, seq }) => [accountId, seq])).toEqual([
            [two, 1],
            [one, 1],
            [two, 2],
            [one, 2],
            [two, 3],
          ])
          expect(appended[0]?.id).toBe(`${NOON}-1-abcd`)
          expect(appended.map(({ id, seq }) => Option.contains(seqOf(id), seq))).not.toContain(false)
          expect(seqs(yield* store.append([draft(one)]))).toEqual([3])
          expect(yield* store.append([])).toEqual([])
          expect(yield* store.bySeq(two, 2)).toEqual(Option.fromNullable(appended[2]))
          expect(yield* store.bySeq(two, 4)).toEqual(Option.none())
        }),
      )

      it.effect("leaves no gap when a transaction is rolled back", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const { run } = yield* Transactions
          const { id } = yield* storedAccount
          yield* Effect.flip(run(Effect.zipRight(store.append(drafts(id, 3)), Effect.fail("no"))))
          expect(yield* store.lastSeq(id)).toBe(0)
          expect(seqs(yield* store.append([draft(id)]))).toEqual([1])
        }),
      )

      it.effect("numbers exactly when many append at the same time", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const { run } = yield* Transactions
          const { id } = yield* storedAccount
          const append = run(Effect.zipLeft(store.append(drafts(id, 3)), Effect.yieldNow()))
          yield* Effect.all(
            Array.from({ length: 30 }, () => append),
            { concurrency: "unbounded" },
          )
          expect(seqs(yield* store.after(id, 0, 1000))).toEqual(Array.from({ length: 90 }, (_, n) => n + 1))
        }),
      )

      it.effect("reads what came after a number, oldest first", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const { id } = yield* storedAccount
          const appended = yield* store.append(drafts(id, 100))
          expect(yield* store.after(id, 97, 10)).toEqual(appended.slice(97))
          expect(yield* store.after(id, 10, 5)).toEqual(appended.slice(10, 15))
          expect(yield* store.lastSeq(id)).toBe(100)
          expect(yield* store.lastSeq(AccountId.make(newId()))).toBe(0)
        }),
      )

      it.effect("starts a replay before the oldest of the newest events that are recent enough", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const { id } = yield* storedAccount
          expect(yield* store.replayStart(id, NOON, 100)).toBe(0)
          yield* store.append(
            Array.from({ length: 10 }, (_, minute) => draft(id, { createdAt: NOON + minute })),
          )
          expect(yield* store.replayStart(id, NOON, 100)).toBe(0)
          expect(yield* store.replayStart(id, NOON, 4)).toBe(6)
          expect(yield* store.replayStart(id, NOON + 8, 4)).toBe(8)
          expect(yield* store.replayStart(id, NOON + 10, 4)).toBe(10)
        }),
      )

      it.effect("refuses events of an account that is not there, and writes none", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const { id } = yield* storedAccount
          const exit = yield* Effect.exit(store.append([draft(id), draft(AccountId.make(newId()))]))
          const failure = Exit.isFailure(exit) ? storageFailureIn(exit.cause) : Option.none()
          expect(Option.map(failure, ({ reason }) => reason)).toEqual(Option.some("unexpected"))
          expect(yield* store.lastSeq(id)).toBe(0)
        }),
      )
    })
  })
