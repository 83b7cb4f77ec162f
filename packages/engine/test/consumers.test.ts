/** Consumers: each event is handled at least once, whatever fails (docs/embedding.md). */
import { describe, expect } from "@effect/vitest"
import { CONSUMER_ATTEMPTS_MAX, DAY, HOUR, type MailEvent, MINUTE, SECOND } from "@mailroom/domain"
import { Consumers, ConsumerStore, type HandledEvent, MessageChanges, Transactions } from "@mailroom/engine"
import { Clock, Deferred, Effect, Fiber, HashSet, Layer, Option, Queue, TestClock } from "effect"
import { received } from "./support/arrivals.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, paying } from "./support/owners.js"
import { newest } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { send } from "./support/sends.js"

const EVERYTHING = { mailboxes: null, kinds: null }

const subjectOf = (event: MailEvent): string =>
  event._tag === "message.received" ? event.message.subject : event._tag

interface Terms {
  readonly name?: string
  readonly from?: "now" | "start"
  readonly concurrency?: number
}

const consuming = <E>(
  owner: Owner,
  handler: (handled: HandledEvent) => Effect.Effect<unknown, E>,
  { name = "worker", from = "now", concurrency = 1 }: Terms = {},
) =>
  Effect.gen(function* () {
    const consumers = yield* Consumers
    const principal = yield* as(owner)
    return yield* consumers.consume(principal, { name, from, concurrency, filter: EVERYTHING }, handler)
  })

/** Runs a consumer in the background. */
const running = (...given: Parameters<typeof consuming>) =>
  Effect.tap(Effect.forkScoped(consuming(...given)), () => TestClock.adjust(1))

/** What is due now, for a consumer of which no process runs. */
const drained = (owner: Owner, { name = "worker", from = "now" }: Terms = {}) =>
  Effect.gen(function* () {
    const consumers = yield* Consumers
    const seen: Array<string> = []
    yield* consumers.drain(yield* as(owner), { name, from, filter: EVERYTHING }, ({ event }) =>
      Effect.sync(() => seen.push(subjectOf(event))),
    )
    return seen
  })

const passes = (millis: number) => TestClock.adjust(millis)

describe("a consumer", () => {
  rule(
    "handles each event as it comes, typed and with the whole message",
    Effect.gen(function* () {
      const owner = yield* paying()
      const seen: Array<MailEvent> = []
      yield* running(owner, ({ event }) => Effect.sync(() => seen.push(event)))
      yield* received(owner.address, { subject: "One", text: "x".repeat(300_000) })
      yield* passes(1)
      yield* send(owner)
      yield* passes(1)
      const [first, second, ...more] = seen
      expect(first).toMatchObject({
        _tag: "message.received",
        mailboxId: owner.mailboxId,
        mailboxAddress: owner.address,
        message: { subject: "One", direction: "INBOUND", labels: [] },
      })
      expect(first?._tag === "message.received" && first.message.bodyText).toHaveLength(300_000)
      expect(second).toMatchObject({ _tag: "message.sent", rfcMessageId: expect.any(String) })
      expect(more).toEqual([])
    }),
  )

  rule(
    "handles what came while no process of it ran, in its order",
    Effect.gen(function* () {
      const owner = yield* paying()
      expect(yield* drained(owner)).toEqual([])
      for (const subject of ["One", "Two", "Three"]) yield* received(owner.address, { subject })
      yield* passes(10 * DAY)
      expect(yield* drained(owner)).toEqual(["One", "Two", "Three"])
      expect(yield* drained(owner)).toEqual([])
    }),
  )

  rule(
    "that is new starts with the next event, or with the oldest in the log",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, { subject: "Before" })
      expect(yield* drained(owner, { name: "late" })).toEqual([])
      expect(yield* drained(owner, { name: "whole", from: "start" })).toEqual(["Before"])
      yield* received(owner.address, { subject: "After" })
      expect(yield* drained(owner, { name: "late", from: "start" })).toEqual(["After"])
    }),
  )

  rule(
    "has its own position: another name handles the same events",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* drained(owner, { name: "one" })
      yield* drained(owner, { name: "two" })
      yield* received(owner.address, { subject: "Both" })
      expect(yield* drained(owner, { name: "one" })).toEqual(["Both"])
      expect(yield* drained(owner, { name: "two" })).toEqual(["Both"])
    }),
  )

  rule(
    "passes over events of other kinds and mailboxes",
    Effect.gen(function* () {
      const owner = yield* paying()
      const consumers = yield* Consumers
      const principal = yield* as(owner)
      const filter = { mailboxes: null, kinds: HashSet.make("message.sent" as const) }
      const seen: Array<string> = []
      const drain = consumers.drain(principal, { name: "sent", from: "start", filter }, ({ event }) =>
        Effect.sync(() => seen.push(event._tag)),
      )
      yield* received(owner.address)
      yield* send(owner)
      yield* received(owner.address)
      expect(yield* drain).toBe(1)
      expect(seen).toEqual(["message.sent"])
    }),
  )

  rule(
    "shares its events among those who run it: each event goes to one of them",
    Effect.gen(function* () {
      const owner = yield* paying()
      const seen: Array<string> = []
      const handler = ({ event }: HandledEvent) =>
        Effect.zipRight(
          Effect.sleep(SECOND),
          Effect.sync(() => seen.push(subjectOf(event))),
        )
      yield* running(owner, handler)
      yield* running(owner, handler)
      for (let n = 1; n <= 6; n += 1) yield* received(owner.address, { subject: `${n}` })
      yield* passes(3 * SECOND)
      expect(seen.toSorted()).toEqual(["1", "2", "3", "4", "5", "6"])
    }),
  )

  rule(
    "handles as many events at a time as it may",
    Effect.gen(function* () {
      const owner = yield* paying()
      let at = 0
      let most = 0
      const handler = () =>
        Effect.gen(function* () {
          most = Math.max(most, (at += 1))
          yield* Effect.sleep(SECOND)
          at -= 1
        })
      yield* running(owner, handler, { concurrency: 3 })
      for (let n = 1; n <= 7; n += 1) yield* received(owner.address)
      yield* passes(SECOND)
      yield* passes(SECOND)
      yield* passes(SECOND)
      expect(most).toBe(3)
      expect(at).toBe(0)
      expect(yield* drained(owner)).toEqual([])
    }),
  )

  rule(
    "gets an event whose message was deleted meanwhile no more",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* drained(owner)
      yield* received(owner.address, { subject: "Gone" })
      const { id } = yield* newest(owner)
      yield* received(owner.address, { subject: "There" })
      const changes = yield* MessageChanges
      yield* changes.remove(yield* as(owner), owner.mailboxId, id)
      expect(yield* drained(owner)).toEqual(["There"])
    }),
  )

  rule(
    "has a name of 1 to 64 letters, digits, dots, dashes and underscores",
    Effect.gen(function* () {
      const owner = yield* paying()
      for (const name of ["", "a b", "x".repeat(65)])
        expect(yield* refused(drained(owner, { name }))).toMatchObject({
          _tag: "InvalidInput",
          issues: [{ path: "name" }],
        })
    }),
  )
})

describe("a handler that fails", () => {
  const failing =
    (times: number, seen: Array<number>) =>
    ({ attempt }: HandledEvent) =>
      Effect.suspend(() => {
        seen.push(attempt)
        return attempt <= times ? Effect.fail(new Error("The model is overloaded")) : Effect.void
      })

  rule(
    "gets its event again, after longer and longer pauses, and the others meanwhile",
    Effect.gen(function* () {
      const owner = yield* paying()
      const attempts: Array<number> = []
      const others: Array<string> = []
      yield* running(owner, (handled) =>
        subjectOf(handled.event) === "Bad"
          ? failing(3, attempts)(handled)
          : Effect.sync(() => others.push(subjectOf(handled.event))),
      )
      yield* received(owner.address, { subject: "Bad" })
      yield* received(owner.address, { subject: "Good" })
      yield* passes(1)
      expect([attempts, others]).toEqual([[1], ["Good"]])
      yield* passes(2 * SECOND)
      expect(attempts).toEqual([1, 2])
      yield* passes(4 * SECOND)
      expect(attempts).toEqual([1, 2])
      yield* passes(3 * SECOND)
      expect(attempts).toEqual([1, 2, 3])
      yield* passes(MINUTE)
      expect(attempts).toEqual([1, 2, 3, 4])
      yield* passes(HOUR)
      expect(attempts).toEqual([1, 2, 3, 4])
    }),
  )

  rule(
    "does not hold up new events, however many fail",
    Effect.gen(function* () {
      const owner = yield* paying()
      const handled: Array<string> = []
      yield* running(owner, ({ event, attempt }) =>
        Effect.gen(function* () {
          yield* Effect.sleep(SECOND)
          const subject = subjectOf(event)
          handled.push(`${subject} ${attempt}`)
          if (subject.startsWith("Bad")) yield* Effect.fail("no")
        }),
      )
      for (let n = 1; n <= 4; n += 1) yield* received(owner.address, { subject: `Bad ${n}` })
      yield* passes(5 * SECOND)
      for (let n = 1; n <= 3; n += 1) yield* received(owner.address, { subject: `Good ${n}` })
      handled.length = 0
      yield* passes(7 * SECOND)
      expect(handled.filter((what) => what.startsWith("Good"))).toEqual(["Good 1 1", "Good 2 1", "Good 3 1"])
      expect(handled.some((what) => what.startsWith("Bad"))).toBe(true)
    }),
  )

  rule(
    "leaves its event parked after ten attempts, with the error, until it is retried",
    Effect.gen(function* () {
      const owner = yield* paying()
      const consumers = yield* Consumers
      const principal = yield* as(owner)
      const attempts: Array<number> = []
      const due = consumers.drain(
        principal,
        { name: "worker", from: "now", filter: EVERYTHING },
        failing(CONSUMER_ATTEMPTS_MAX, attempts),
      )
      yield* due
      yield* received(owner.address)
      for (let hours = 0; hours < 24; hours += 1) yield* Effect.zipRight(passes(5 * HOUR), due)
      expect(attempts).toHaveLength(CONSUMER_ATTEMPTS_MAX)
      expect(yield* consumers.parked(principal, "worker")).toEqual([
        {
          seq: 1,
          attempts: CONSUMER_ATTEMPTS_MAX,
          error: expect.stringContaining("The model is overloaded"),
          parkedAt: expect.any(Number),
        },
      ])
      expect(yield* consumers.retryParked(principal, "worker")).toBe(1)
      yield* due
      expect(attempts.at(-1)).toBe(1)
      expect(yield* consumers.parked(principal, "worker")).toEqual([])
    }),
  )

  rule(
    "is one that dies, too",
    Effect.gen(function* () {
      const owner = yield* paying()
      const seen: Array<number> = []
      yield* running(owner, ({ attempt }) =>
        Effect.suspend(() => {
          seen.push(attempt)
          return attempt === 1 ? Effect.dieMessage("a fault in the handler") : Effect.void
        }),
      )
      yield* received(owner.address)
      yield* passes(1)
      yield* passes(2 * SECOND)
      expect(seen).toEqual([1, 2])
    }),
  )
})

describe("a handler that is interrupted", () => {
  rule(
    "gives its event back at once, and the attempt does not count",
    Effect.gen(function* () {
      const owner = yield* paying()
      const begun = yield* Deferred.make<void>()
      const consumer = yield* running(owner, () =>
        Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never),
      )
      yield* received(owner.address, { subject: "Half done" })
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(consumer)
      const consumers = yield* Consumers
      const attempts: Array<number> = []
      yield* consumers.drain(
        yield* as(owner),
        { name: "worker", from: "now", filter: EVERYTHING },
        ({ attempt }) => Effect.sync(() => attempts.push(attempt)),
      )
      expect(attempts).toEqual([1])
    }),
  )
})

describe("an event that an interrupted handler gives back", () => {
  rule(
    "wakes the other consumers of its name",
    Effect.gen(function* () {
      const owner = yield* paying()
      const handled = yield* Deferred.make<number>()
      const begun = yield* Deferred.make<void>()
      const first = yield* running(owner, () =>
        Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never),
      )
      yield* received(owner.address)
      yield* Deferred.await(begun)
      yield* running(owner, ({ attempt }) => Deferred.succeed(handled, attempt))
      yield* Fiber.interrupt(first)
      yield* passes(1)
      expect(yield* Deferred.poll(handled)).toEqual(Option.some(Effect.succeed(1)))
    }),
  )
})

describe("a handler that ends by an interruption of its own", () => {
  rule(
    "has failed: its event is handed out again after a pause, and the attempt counts",
    Effect.gen(function* () {
      const owner = yield* paying()
      const shut = yield* Queue.unbounded<number>()
      yield* Queue.shutdown(shut)
      const attempts: Array<number> = []
      yield* running(owner, ({ attempt }) =>
        Effect.zipRight(
          Effect.sync(() => attempts.push(attempt)),
          Queue.take(shut),
        ),
      )
      yield* received(owner.address)
      yield* passes(1)
      expect(attempts).toEqual([1])
      yield* passes(2 * SECOND)
      expect(attempts).toEqual([1, 2])
    }),
  )
})

describe("a handler whose process has lost the lease", () => {
  const losingLeases = Layer.effect(
    ConsumerStore,
    Effect.map(ConsumerStore, (store) => ({ ...store, renew: () => Effect.succeed(false) })),
  )

  ruleWith(losingLeases)(
    "ends, and leaves the event to the process that has it now",
    Effect.gen(function* () {
      const owner = yield* paying()
      const consumer = yield* running(owner, () => Effect.never)
      yield* received(owner.address, { subject: "One" })
      yield* passes(1)
      yield* passes(MINUTE)
      yield* Fiber.interrupt(consumer)
      yield* passes(2 * MINUTE)
      expect(yield* drained(owner)).toEqual(["One"])
    }),
  )
})

describe("a handler whose process ends with it", () => {
  rule(
    "leaves its event parked after ten attempts",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* drained(owner)
      yield* received(owner.address, { subject: "Deadly" })
      const store = yield* ConsumerStore
      const { run } = yield* Transactions
      const { account } = yield* as(owner)
      const key = { accountId: account.id, name: "worker" }
      const [now, seq] = [yield* Clock.currentTimeMillis, 1]
      // Each lease ends at once, as that of a process that was killed.
      yield* run(Effect.zipRight(store.setRead(key, seq), store.take(key, [seq], now)))
      for (let attempt = 2; attempt <= CONSUMER_ATTEMPTS_MAX; attempt++)
        expect(yield* run(store.takeDue(key, 1, now, now))).toEqual([{ seq, attempts: attempt }])
      expect(yield* drained(owner)).toEqual([])
      const consumers = yield* Consumers
      expect(yield* consumers.parked(yield* as(owner), "worker")).toMatchObject([
        { seq, error: "The process ended during each attempt" },
      ])
    }),
  )
})

describe("a handler that runs for an hour", () => {
  rule(
    "keeps its event: nobody else gets it",
    Effect.gen(function* () {
      const owner = yield* paying()
      const begun: Array<string> = []
      const handler = (who: string) => () =>
        Effect.zipRight(
          Effect.sync(() => begun.push(who)),
          Effect.sleep(HOUR),
        )
      yield* running(owner, handler("one"))
      yield* running(owner, handler("two"))
      yield* received(owner.address)
      for (let minutes = 0; minutes < 65; minutes += 1) yield* passes(MINUTE)
      expect(begun).toHaveLength(1)
      expect(yield* drained(owner)).toEqual([])
    }),
  )
})
