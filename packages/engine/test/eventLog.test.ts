/** The durable event log and its retention (`spec: decisions.log.list`, `decisions.log.after`). */
import { describe, expect } from "@effect/vitest"
import {
  DAY,
  DeliveryId,
  type DeliveryRecord,
  type EventFilter,
  HOUR,
  type MailboxId,
  newDelivery,
} from "@mailroom/domain"
import {
  Engine,
  EventLog,
  EventStore,
  EventStreams,
  type LogQuery,
  Mailboxes,
  Retention,
  WebhookStore,
} from "@mailroom/engine"
import { Chunk, Effect, HashSet, Option, Stream, TestClock } from "effect"
import { randomUUID } from "node:crypto"
import { received, receivedMany } from "./support/arrivals.js"
import { NOON, rule } from "./support/mailroom.js"
import { as, type Owner, paying } from "./support/owners.js"
import { envelopeOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { send } from "./support/sends.js"
import { deliveriesOf, subscribe } from "./support/webhooks.js"

const everything: EventFilter = { mailboxes: null, kinds: null }

interface Wanted extends Partial<Omit<LogQuery, "after">> {
  readonly after?: string | null | undefined
}

const page = (owner: Owner, { after = null, filter = everything, limit = 100 }: Wanted = {}) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { account } = yield* as(owner)
    return yield* log.page(account.id, { after: Option.fromNullable(after), filter, limit })
  })

const seqsOf = (events: ReadonlyArray<{ readonly seq: number }>) => events.map(({ seq }) => seq)

describe("the event log", () => {
  rule(
    "lists events oldest first, in pages",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* receivedMany(owner.address, 4)
      yield* send(owner)
      const all = yield* page(owner)
      expect(seqsOf(all.events)).toEqual([1, 2, 3, 4, 5])
      expect(all).toMatchObject({ hasMore: false, nextAfter: all.events[4]?.id })
      const first = yield* page(owner, { limit: 3 })
      expect([seqsOf(first.events), first.hasMore]).toEqual([[1, 2, 3], true])
      const second = yield* page(owner, { limit: 3, after: first.nextAfter })
      expect([seqsOf(second.events), second.hasMore]).toEqual([[4, 5], false])
      expect(yield* page(owner, { after: second.nextAfter })).toEqual({
        events: [],
        hasMore: false,
        nextAfter: second.nextAfter,
      })
    }),
  )

  rule(
    "is empty at first",
    Effect.gen(function* () {
      expect(yield* page(yield* paying())).toEqual({ events: [], hasMore: false, nextAfter: null })
    }),
  )

  rule(
    "continues after one of its events, and refuses any other id",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const other = yield* paying("other")
      yield* receivedMany(owner.address, 2)
      yield* TestClock.adjust("1 millis")
      yield* receivedMany(other.address, 2, "Theirs")
      const [, theirs] = (yield* page(other)).events
      for (const after of ["", "nonsense", `${NOON}-0-0000`, `${NOON}-3-0000`, `${NOON}-2-zzzz`, theirs?.id])
        expect(yield* refused(page(owner, { after: after ?? "" }))).toMatchObject({
          _tag: "InvalidInput",
          issues: [{ path: "after" }],
        })
    }),
  )

  rule(
    "applies the same filters as a stream",
    Effect.gen(function* () {
      const owner = yield* paying()
      const mailboxes = yield* Mailboxes
      const wanted = { localPart: "second", displayName: null, domainId: null }
      const second = yield* mailboxes.create(yield* as(owner), wanted)
      yield* Engine.settle
      const streams = yield* EventStreams
      const only = (id: MailboxId): EventFilter => ({
        mailboxes: HashSet.make(id),
        kinds: HashSet.make("message.received" as const),
      })
      const { account } = yield* as(owner)
      const stream = yield* streams.open(account.id, only(second.id), Option.none())
      yield* receivedMany(owner.address, 3)
      yield* received(second.fullAddress, { subject: "One" })
      yield* send({ ...owner, mailboxId: second.id })
      yield* receivedMany(owner.address, 3, "More")
      yield* received(second.fullAddress, { subject: "Two" })
      const { events, hasMore } = yield* page(owner, { filter: only(second.id) })
      expect(events.map((event) => envelopeOf(event).data)).toMatchObject([
        { subject: "One" },
        { subject: "Two" },
      ])
      expect(hasMore).toBe(false)
      const streamed = yield* Stream.runCollect(Stream.take(stream, 2))
      expect(Chunk.toReadonlyArray(streamed)).toEqual(events)
    }),
  )
})

describe("events and finished deliveries older than 30 days", () => {
  rule(
    "are removed; younger ones stay, and numbering continues",
    Effect.gen(function* () {
      const owner = yield* paying()
      const made = yield* subscribe(owner)
      yield* receivedMany(owner.address, 2, "Old")
      const [first] = (yield* page(owner)).events
      yield* TestClock.setTime(NOON + 1)
      yield* receivedMany(owner.address, 2, "Young")
      yield* TestClock.setTime(NOON + 30 * DAY)
      yield* Engine.settle
      expect(seqsOf((yield* page(owner)).events)).toEqual([1, 2, 3, 4])
      expect(yield* deliveriesOf(owner, made)).toHaveLength(4)
      yield* TestClock.setTime(NOON + 30 * DAY + 1)
      yield* Effect.flatMap(Retention, ({ sweep }) => sweep)
      expect(seqsOf((yield* page(owner)).events)).toEqual([3, 4])
      expect(yield* deliveriesOf(owner, made)).toHaveLength(2)
      yield* received(owner.address, { subject: "New" })
      expect(seqsOf((yield* page(owner)).events)).toEqual([3, 4, 5])

      // After a removed event: the rest of the log.
      expect(seqsOf((yield* page(owner, { after: first?.id })).events)).toEqual([3, 4, 5])
    }),
  )

  rule(
    "are removed in batches until none is left",
    Effect.gen(function* () {
      const owner = yield* paying()
      const made = yield* subscribe(owner)
      const { account } = yield* as(owner)
      const many = Array.from({ length: 1100 }, (_, random) => random)
      const events = yield* EventStore
      const draft = { accountId: account.id, mailboxId: owner.mailboxId, envelope: "{}", happenedAt: NOON }
      yield* events.append(many.map((random) => ({ ...draft, kind: "message.sent" as const, random })))
      const webhooks = yield* WebhookStore
      yield* webhooks.enqueue(
        many.map((): DeliveryRecord => {
          const id = DeliveryId.make(randomUUID())
          const event = { eventId: "", eventSeq: 1, event: "message.sent", payload: null } as const
          const facts = { id, webhookId: made.webhook.id, accountId: account.id, createdAt: NOON }
          return { ...newDelivery({ ...facts, ...event }), status: "DELIVERED" }
        }),
      )
      yield* TestClock.setTime(NOON + 31 * DAY)
      yield* Engine.settle
      expect((yield* page(owner)).events).toEqual([])
      expect(yield* deliveriesOf(owner, made)).toEqual([])
    }),
  )

  rule(
    "replay the whole window to a stream that continues after one of them",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, { subject: "Old" })
      const [old] = (yield* page(owner)).events
      yield* TestClock.setTime(NOON + 31 * DAY)
      yield* Engine.settle
      yield* receivedMany(owner.address, 2, "Young")
      const streams = yield* EventStreams
      const { account } = yield* as(owner)
      const stream = yield* streams.open(account.id, everything, Option.fromNullable(old?.id))
      const events = Chunk.toReadonlyArray(yield* Stream.runCollect(Stream.take(stream, 2)))
      expect(seqsOf(events)).toEqual([2, 3])
    }),
  )

  rule(
    "are pruned every hour",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address)
      const retention = yield* Retention
      yield* TestClock.setTime(NOON + 30 * DAY)
      yield* Effect.forkScoped(retention.run)
      yield* TestClock.adjust(HOUR - 1)
      expect((yield* page(owner)).events).toHaveLength(1)
      yield* TestClock.adjust(1)
      expect((yield* page(owner)).events).toHaveLength(0)
    }),
  )
})
