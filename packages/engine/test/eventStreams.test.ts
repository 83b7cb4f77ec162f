/** Live event streams of an account (`spec: events.stream.rule-1` to `events.stream.rule-8`). */
import { describe, expect } from "@effect/vitest"
import { type EventFilter, HOUR, type MailboxId } from "@mailroom/domain"
import { EventStreams, Mailboxes } from "@mailroom/engine"
import { Chunk, Effect, Exit, Fiber, HashSet, Option, Scope, Stream, TestClock } from "effect"
import { received, receivedMany } from "./support/arrivals.js"
import { NOON, rule } from "./support/mailroom.js"
import { as, type Owner, paying } from "./support/owners.js"
import { envelopeOf, logOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { send } from "./support/sends.js"

const everything: EventFilter = { mailboxes: null, kinds: null }

const open = (owner: Owner, lastEventId: string | null = null, filter: EventFilter = everything) =>
  Effect.gen(function* () {
    const streams = yield* EventStreams
    const { account } = yield* as(owner)
    return yield* streams.open(account.id, filter, Option.fromNullable(lastEventId))
  })

const take = <A>(stream: Stream.Stream<A>, count: number) =>
  Effect.map(Stream.runCollect(Stream.take(stream, count)), Chunk.toReadonlyArray)

/** The events of the account's log, oldest first. */
const log = (owner: Owner) => Effect.flatMap(as(owner), ({ account }) => logOf(account.id))

const idsOf = (events: ReadonlyArray<{ readonly id: string }>) => events.map(({ id }) => id)

/** Events of a stream from `lastEventId` up to an event that this function records. */
const replayed = (owner: Owner, lastEventId: string) =>
  Effect.gen(function* () {
    const stream = yield* open(owner, lastEventId)
    yield* received(owner.address, { subject: "The last one" })
    const last = (yield* log(owner)).at(-1)
    const events = yield* Stream.runCollect(Stream.takeUntil(stream, ({ id }) => id === last?.id))
    return idsOf(Chunk.toReadonlyArray(events)).slice(0, -1)
  }).pipe(Effect.scoped)

describe("a stream", () => {
  rule(
    "starts with the next event, in the order of the log",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* receivedMany(owner.address, 3, "Before")
      const stream = yield* open(owner)
      yield* receivedMany(owner.address, 70)
      yield* send(owner)
      const events = yield* take(stream, 71)
      expect(events).toEqual((yield* log(owner)).slice(3))
      expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 71 }, (_, index) => index + 4))
      expect(events.at(-1)).toMatchObject({ kind: "message.sent" })
    }),
  )

  rule(
    "has event ids of time, counter and four hex digits",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* receivedMany(owner.address, 2)
      const [first, second] = idsOf(yield* log(owner))
      expect(first).toMatch(new RegExp(`^${NOON}-1-[0-9a-f]{4}$`))
      expect(second).toMatch(new RegExp(`^${NOON}-2-[0-9a-f]{4}$`))
    }),
  )

  rule(
    "misses no event of concurrent writers",
    Effect.gen(function* () {
      const owner = yield* paying()
      const stream = yield* open(owner)
      const reading = yield* Effect.fork(take(stream, 60))
      yield* Effect.forEach(
        Array.from({ length: 30 }, (_, index) => `${index}`),
        (name) => Effect.all([send(owner, { subject: name }), received(owner.address, { subject: name })]),
        { concurrency: "unbounded", discard: true },
      )
      expect(idsOf(yield* Fiber.join(reading))).toEqual(idsOf(yield* log(owner)))
    }),
  )

  rule(
    "has no events of another account",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const other = yield* paying("other")
      const stream = yield* open(owner)
      yield* received(other.address, { subject: "Theirs" })
      yield* received(owner.address, { subject: "Mine" })
      const [event] = yield* take(stream, 1)
      expect(event).toMatchObject({ seq: 1, mailboxId: owner.mailboxId })
    }),
  )
})

describe("a stream that continues after an event", () => {
  rule(
    "replays the later events in order",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* receivedMany(owner.address, 5)
      const ids = idsOf(yield* log(owner))
      expect(yield* replayed(owner, ids[1] ?? "")).toEqual(ids.slice(2))
    }),
  )

  rule(
    "replays nothing after the last event",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* receivedMany(owner.address, 5)
      expect(yield* replayed(owner, idsOf(yield* log(owner)).at(-1) ?? "")).toEqual([])
    }),
  )

  rule(
    "replays at most the newest 100 events",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, { subject: "The first" })
      const [first] = idsOf(yield* log(owner))
      yield* receivedMany(owner.address, 150)
      const newest = idsOf(yield* log(owner))
      expect(newest).toHaveLength(100)
      expect(yield* replayed(owner, first ?? "")).toEqual(newest)
    }),
  )

  rule(
    "replays events of the last hour",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* receivedMany(owner.address, 2, "Old")
      const [first] = idsOf(yield* log(owner))
      yield* TestClock.adjust("1 millis")
      yield* receivedMany(owner.address, 2, "Young")
      const young = idsOf(yield* log(owner)).slice(2)
      yield* TestClock.setTime(NOON + HOUR + 1)
      expect(yield* replayed(owner, first ?? "")).toEqual(young)
    }),
  )

  rule(
    "replays the whole window for an unknown id",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const other = yield* paying("other")
      yield* receivedMany(owner.address, 3)
      yield* receivedMany(other.address, 3)
      const [theirs] = idsOf(yield* log(other))
      for (const unknown of ["", "nonsense", `${NOON}-99-0000`, `${NOON}-2-zzzz`, theirs ?? ""]) {
        const ids = idsOf(yield* log(owner))
        expect(yield* replayed(owner, unknown)).toEqual(ids)
      }
    }),
  )
})

describe("the filters of a stream", () => {
  const second = (owner: Owner) =>
    Effect.gen(function* () {
      const mailboxes = yield* Mailboxes
      const wanted = { localPart: "second", displayName: null, domainId: null }
      return yield* mailboxes.create(yield* as(owner), wanted)
    })
  const only = (id: MailboxId): EventFilter => ({ mailboxes: HashSet.make(id), kinds: null })

  rule(
    "select one mailbox",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id } = yield* second(owner)
      const stream = yield* open(owner, null, only(id))
      yield* send(owner)
      yield* send({ ...owner, mailboxId: id }, { subject: "Second" })
      const [event] = yield* take(stream, 1)
      expect(event === undefined ? null : envelopeOf(event).data).toMatchObject({ subject: "Second" })
    }),
  )

  rule(
    "keep kinds",
    Effect.gen(function* () {
      const owner = yield* paying()
      const stream = yield* open(owner, null, {
        mailboxes: null,
        kinds: HashSet.make("message.sent" as const),
      })
      yield* receivedMany(owner.address, 120)
      yield* send(owner)
      expect(yield* take(stream, 1)).toMatchObject([{ kind: "message.sent", seq: 121 }])
    }),
  )
})

describe("the slots of an account", () => {
  rule(
    "are five, and another account has its own",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const other = yield* paying("other")
      yield* Effect.forEach([1, 2, 3, 4, 5], () => open(owner))
      expect(yield* refused(open(owner))).toMatchObject({ _tag: "TooManyStreams", limit: 5 })
      yield* open(other)
    }),
  )

  rule(
    "are freed when a stream ends, and a refused stream takes none",
    Effect.gen(function* () {
      const owner = yield* paying()
      const scope = yield* Scope.make()
      yield* Scope.extend(open(owner), scope)
      yield* Effect.forEach([2, 3, 4, 5], () => open(owner))
      yield* refused(open(owner))
      yield* refused(open(owner))
      yield* Scope.close(scope, Exit.void)
      yield* open(owner)
      expect(yield* refused(open(owner))).toMatchObject({ _tag: "TooManyStreams" })
    }),
  )
})
