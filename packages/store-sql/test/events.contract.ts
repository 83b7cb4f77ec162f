/** Contract of `EventStore`. */
import { describe, expect, layer } from "@effect/vitest"
import { AccountId, type EventFilter, HOUR, MailboxId, seqOf } from "@mailroom/domain"
import {
  type AppendedEvent,
  type UnnumberedEvent,
  EventStore,
  storageFailureIn,
  Transactions,
  WebhookStore,
} from "@mailroom/engine"
import { Effect, Exit, HashSet, Option, Struct, TestClock } from "effect"
import type { Database } from "./support/databases.js"
import { aWebhook, newId, NOON, storedAccount } from "./support/records.js"

const unnumbered = (accountId: AccountId, over: Partial<UnnumberedEvent> = {}): UnnumberedEvent => ({
  accountId,
  mailboxId: MailboxId.make(newId()),
  kind: "message.received",
  envelope: '{"event":"message.received"}',
  happenedAt: NOON,
  random: 0xabcd,
  ...over,
})

const unnumberedEvents = (accountId: AccountId, count: number) =>
  Array.from({ length: count }, () => unnumbered(accountId))

const anything: EventFilter = { mailboxes: null, kinds: null }

/** An appended event as the log has it. */
const stored = (event: AppendedEvent) => Struct.omit(event, "hasWebhooks")

const seqs = (events: ReadonlyArray<{ readonly seq: number }>) => events.map(({ seq }) => seq)

export const eventsContract = (name: string, database: Database) =>
  describe(`${name}: events`, () => {
    layer(database)((it) => {
      it.effect("numbers the events of each account without gaps, in the given order", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const [one, two] = [(yield* storedAccount).id, (yield* storedAccount).id]
          const appended = yield* store.append([two, one, two, one, two].map((id) => unnumbered(id)))
          expect(appended.map(({ accountId, seq }) => [accountId, seq])).toEqual([
            [two, 1],
            [one, 1],
            [two, 2],
            [one, 2],
            [two, 3],
          ])
          expect(appended[0]?.id).toBe(`${NOON}-1-abcd`)
          expect(appended.map(({ id, seq }) => Option.contains(seqOf(id), seq))).not.toContain(false)
          expect(seqs(yield* store.append([unnumbered(one)]))).toEqual([3])
          expect(yield* store.append([])).toEqual([])
          expect(yield* store.bySeq(two, 2)).toEqual(
            Option.fromNullable(appended[2]).pipe(Option.map(stored)),
          )
          expect(yield* store.bySeq(two, 4)).toEqual(Option.none())
        }),
      )

      it.effect("knows which of the accounts have an active webhook", () =>
        Effect.gen(function* () {
          const [store, webhooks] = [yield* EventStore, yield* WebhookStore]
          const [active, paused, none] = [yield* storedAccount, yield* storedAccount, yield* storedAccount]
          yield* webhooks.insert(aWebhook(active.id))
          yield* webhooks.insert(aWebhook(active.id))
          yield* webhooks.insert(aWebhook(paused.id, { status: "PAUSED" }))
          const appended = yield* store.append([active, paused, none, active].map(({ id }) => unnumbered(id)))
          expect(appended.map(({ hasWebhooks }) => hasWebhooks)).toEqual([true, false, false, true])
        }),
      )

      it.effect("leaves no gap when a transaction is rolled back", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const { run } = yield* Transactions
          const { id } = yield* storedAccount
          yield* Effect.flip(run(Effect.zipRight(store.append(unnumberedEvents(id, 3)), Effect.fail("no"))))
          expect(yield* store.lastSeq(id)).toBe(0)
          expect(seqs(yield* store.append([unnumbered(id)]))).toEqual([1])
        }),
      )

      it.effect("numbers without gaps when many append concurrently", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const { run } = yield* Transactions
          const { id } = yield* storedAccount
          const append = run(Effect.zipLeft(store.append(unnumberedEvents(id, 3)), Effect.yieldNow()))
          yield* Effect.all(
            Array.from({ length: 30 }, () => append),
            { concurrency: "unbounded" },
          )
          const { events } = yield* store.page(id, { after: 0, filter: anything, limit: 100 })
          expect(seqs(events)).toEqual(Array.from({ length: 90 }, (_, n) => n + 1))
        }),
      )

      it.effect("reads the events after a number, oldest first", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const { id } = yield* storedAccount
          const appended = yield* store.append(unnumberedEvents(id, 100))
          const page = (after: number, limit: number) => store.page(id, { after, filter: anything, limit })
          expect(yield* page(97, 10)).toEqual({
            events: appended.slice(97).map(stored),
            through: { seq: 100, id: appended[99]?.id },
            hasMore: false,
          })
          expect(yield* page(10, 5)).toMatchObject({
            events: appended.slice(10, 15).map(stored),
            through: { seq: 15 },
            hasMore: true,
          })
          expect((yield* page(95, 5)).hasMore).toBe(false)
          expect(yield* page(100, 5)).toEqual({ events: [], through: null, hasMore: false })
          expect(yield* store.lastSeq(id)).toBe(100)
          expect(yield* store.lastSeq(AccountId.make(newId()))).toBe(0)
        }),
      )

      it.effect("returns the events that pass a filter, and the last one examined", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const { id } = yield* storedAccount
          const [one, two] = [MailboxId.make(newId()), MailboxId.make(newId())]
          yield* store.append([
            unnumbered(id, { mailboxId: one }),
            unnumbered(id, { mailboxId: two }),
            unnumbered(id, { mailboxId: one, kind: "message.sent" }),
            unnumbered(id, { mailboxId: two, kind: "message.sent" }),
            unnumbered(id, { mailboxId: one }),
          ])
          const of = (filter: EventFilter, limit = 10, after = 0) =>
            Effect.map(store.page(id, { after, filter, limit }), ({ events, through, hasMore }) => [
              seqs(events),
              through?.seq,
              hasMore,
            ])
          expect(yield* of({ mailboxes: HashSet.make(one), kinds: null })).toEqual([[1, 3, 5], 5, false])
          expect(yield* of({ mailboxes: null, kinds: HashSet.make("message.sent" as const) })).toEqual([
            [3, 4],
            5,
            false,
          ])
          const sentByOne = { mailboxes: HashSet.make(one), kinds: HashSet.make("message.sent" as const) }
          expect(yield* of(sentByOne)).toEqual([[3], 5, false])
          expect(yield* of({ mailboxes: HashSet.make(one), kinds: null }, 2)).toEqual([[1, 3], 3, true])
          expect(yield* of({ mailboxes: HashSet.make(one), kinds: null }, 2, 3)).toEqual([[5], 5, false])
          expect(yield* of({ mailboxes: HashSet.empty(), kinds: null })).toEqual([[], 5, false])
        }),
      )

      it.effect("returns events of a kind that only a later version knows", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const { id } = yield* storedAccount
          yield* store.append([unnumbered(id, { kind: "message.invented" }), unnumbered(id, {})])
          const { events } = yield* store.page(id, { after: 0, filter: anything, limit: 10 })
          expect(events.map(({ kind }) => kind)).toEqual(["message.invented", "message.received"])
        }),
      )

      it.effect(
        "examines a bounded part of a log in which nothing passes the filter, and continues from there",
        () =>
          Effect.gen(function* () {
            const store = yield* EventStore
            const { id } = yield* storedAccount
            yield* store.append(unnumberedEvents(id, 1500))
            yield* store.append([unnumbered(id, { kind: "message.bounced" })])
            const filter = { mailboxes: null, kinds: HashSet.make("message.bounced" as const) }
            const first = yield* store.page(id, { after: 0, filter, limit: 10 })
            expect(first).toMatchObject({ events: [], hasMore: true })
            expect(first.through?.seq).toBeLessThan(1500)
            const second = yield* store.page(id, { after: first.through?.seq ?? 0, filter, limit: 10 })
            expect([seqs(second.events), second.hasMore]).toEqual([[1501], false])
          }),
      )

      it.effect("ends a page at 8 MB, never before its first event", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const { id } = yield* storedAccount
          const mb = 1024 * 1024
          const sizes = [3 * mb, 3 * mb, 3 * mb, 9 * mb, 1]
          yield* store.append(sizes.map((size) => unnumbered(id, { envelope: "e".repeat(size) })))
          const from = (after: number) =>
            Effect.map(
              store.page(id, { after, filter: anything, limit: 100 }),
              ({ events, through, hasMore }) => [seqs(events), through?.seq, hasMore],
            )
          expect(yield* from(0)).toEqual([[1, 2], 2, true])
          expect(yield* from(2)).toEqual([[3], 3, true])
          expect(yield* from(3)).toEqual([[4], 4, true])
          expect(yield* from(4)).toEqual([[5], 5, false])
        }),
      )

      it.effect("ends a page at the requested number of bytes, never before its first event", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const { id } = yield* storedAccount
          yield* store.append(
            [400, 400, 400, 2_000].map((size) => unnumbered(id, { envelope: "e".repeat(size) })),
          )
          const from = (after: number) =>
            Effect.map(
              store.page(id, { after, filter: anything, limit: 100, maxBytes: 1_000 }),
              ({ events, hasMore }) => [seqs(events), hasMore],
            )
          expect(yield* from(0)).toEqual([[1, 2], true])
          expect(yield* from(2)).toEqual([[3], true])
          expect(yield* from(3)).toEqual([[4], false])
        }),
      )

      it.effect("returns the newest number of each of many accounts", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const [one, two] = [(yield* storedAccount).id, (yield* storedAccount).id]
          yield* store.append(unnumberedEvents(one, 3))
          const found = yield* store.lastSeqs([one, two, AccountId.make(newId())])
          expect(new Map(found.map(({ accountId, seq }) => [accountId, seq]))).toEqual(
            new Map([
              [one, 3],
              [two, 0],
            ]),
          )
          expect(yield* store.lastSeqs([])).toEqual([])
        }),
      )

      it.effect("removes events older than an instant, a few at a time, and keeps counting", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const { id } = yield* storedAccount
          const old = Array.from({ length: 5 }, (_, n) => unnumbered(id, { happenedAt: n + 1 }))
          yield* store.append([...old, unnumbered(id)])
          expect(yield* store.prune(5, 3)).toBe(3)
          expect(yield* store.prune(5, 3)).toBe(1)
          expect(yield* store.prune(5, 3)).toBe(0)
          const { events } = yield* store.page(id, { after: 0, filter: anything, limit: 10 })
          expect(seqs(events)).toEqual([5, 6])
          expect(yield* store.prune(6, 3)).toBe(1)
          expect(yield* store.bySeq(id, 5)).toEqual(Option.none())
          expect(seqs(yield* store.append([unnumbered(id)]))).toEqual([7])
        }),
      )

      it.effect("starts a replay before the oldest of the newest events that are recent enough", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const { id } = yield* storedAccount
          expect(yield* store.replayStart(id, NOON, 100)).toBe(0)
          yield* store.append(
            Array.from({ length: 10 }, (_, minute) => unnumbered(id, { happenedAt: NOON + minute })),
          )
          expect(yield* store.replayStart(id, NOON, 100)).toBe(0)
          expect(yield* store.replayStart(id, NOON, 4)).toBe(6)
          expect(yield* store.replayStart(id, NOON + 8, 4)).toBe(8)
          expect(yield* store.replayStart(id, NOON + 10, 4)).toBe(10)
        }),
      )

      it.effect("refuses events of an unknown account, and writes none", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const { id } = yield* storedAccount
          const exit = yield* Effect.exit(store.append([unnumbered(id), unnumbered(AccountId.make(newId()))]))
          const failure = Exit.isFailure(exit) ? storageFailureIn(exit.cause) : Option.none()
          expect(Option.map(failure, ({ reason }) => reason)).toEqual(Option.some("unexpected"))
          expect(yield* store.lastSeq(id)).toBe(0)
        }),
      )

      it.effect(
        "an event that is recorded long after it happened is created then: after the one before it",
        () =>
          Effect.gen(function* () {
            const store = yield* EventStore
            const { id } = yield* storedAccount
            yield* TestClock.setTime(NOON + HOUR)
            const appended = yield* store.append([
              unnumbered(id, { happenedAt: NOON + HOUR }),
              unnumbered(id),
            ])
            expect(appended.map(({ createdAt }) => createdAt)).toEqual([NOON + HOUR, NOON + HOUR])
            expect(appended[1]?.id).toBe(`${NOON}-2-abcd`)
          }),
      )

      it.effect("an event is not created before an earlier one by a clock that is a second ahead", () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const { id } = yield* storedAccount
          const createdAt = (now: number) =>
            Effect.zipRight(
              TestClock.setTime(now),
              Effect.map(store.append([unnumbered(id, { happenedAt: now })]), ([event]) => event?.createdAt),
            )
          expect(yield* createdAt(NOON + 1_000)).toBe(NOON + 1_000)
          expect(yield* createdAt(NOON)).toBe(NOON + 1_000)
          expect(yield* createdAt(NOON + 1_001)).toBe(NOON + 1_001)
          // A clock that was an hour ahead does not hold later events up.
          expect(yield* createdAt(NOON + HOUR)).toBe(NOON + HOUR)
          expect(yield* createdAt(NOON + 2_000)).toBe(NOON + 2_000)
        }),
      )
    })
  })
