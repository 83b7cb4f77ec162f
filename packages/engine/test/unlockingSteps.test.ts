/** Unlocking more messages than one transaction counts in threads (docs/decisions/0044). */
import { describe, expect } from "@effect/vitest"
import type { MessageId } from "@mailroom/domain"
import {
  Authentication,
  DeliveryWorker,
  Engine,
  Jobs,
  MessageChanges,
  Messages,
  MessageStore,
  StorageFailure,
  ThreadStore,
} from "@mailroom/engine"
import { Context, Effect, Layer, Ref, TestClock } from "effect"
import { accepted, aMail, receivedMany } from "./support/arrivals.js"
import { changeAccount } from "./support/changes.js"
import { takingTurns } from "./support/concurrency.js"
import { correctedCounts } from "./support/integrity.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, pay, unverified } from "./support/owners.js"
import { accountOf, eventsOf, page } from "./support/reading.js"

const APRIL = Date.UTC(2026, 3, 1)
const GATED = 50
/** Messages that the unlocking transaction counts in threads, and each step after it. */
const STEP = 20

/** An account at its limit, with 50 messages above it. */
const overTheCap = Effect.gen(function* () {
  const owner = yield* unverified()
  yield* changeAccount(owner, { receivedMonth: { window: "2026-03", count: 100 } })
  yield* receivedMany(owner.address, GATED)
  return owner
})

/** The gated messages among the newest 100 events. The first steps do not show the last 30 of 50. */
const newestGated = (owner: Owner) =>
  Effect.map(eventsOf(owner), (events) =>
    events.flatMap(({ data }): ReadonlyArray<MessageId> => ("over_limit" in data ? [data.message_id] : [])),
  )

const shown = (owner: Owner) =>
  Effect.gen(function* () {
    let count = 0
    for (let offset = 0; ; offset += 100) {
      const { page: found } = yield* page(owner, { offset })
      count += found.items.length
      if (!found.hasMore) return count
    }
  })

/** The number of threads with a visible message. */
const threadsShown = (owner: Owner) =>
  Effect.flatMap(ThreadStore, (store) =>
    Effect.gen(function* () {
      const { account } = yield* as(owner)
      const { threads } = yield* store.recent({
        accountId: account.id,
        mailboxIds: [owner.mailboxId],
        after: null,
        limit: 1000,
      })
      return threads.length
    }),
  )

const counted = (owner: Owner) =>
  Effect.gen(function* () {
    const { overLimitMessageCount } = yield* accountOf(owner)
    const { overLimitCount } = (yield* page(owner)).limits
    return [overLimitMessageCount, overLimitCount]
  })

const drain = Effect.flatMap(Jobs, (jobs) => jobs.drain)
const deliver = Effect.flatMap(DeliveryWorker, (worker) => worker.drain)

/** A database that fails after this many steps, from some time on. */
class Failing extends Context.Tag("test/Failing")<
  Failing,
  { readonly after: (steps: number) => Effect.Effect<void> }
>() {}

const failing = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* MessageStore
    const left = yield* Ref.make(Infinity)
    const away = new StorageFailure({ reason: "unavailable", cause: new Error("the database is away") })
    const showUnlocked: MessageStore["Type"]["showUnlocked"] = (accountId, limit) =>
      Effect.tap(store.showUnlocked(accountId, limit), () =>
        Effect.flatMap(
          Ref.getAndUpdate(left, (steps) => steps - 1),
          (steps) => (steps > 0 ? Effect.void : Effect.die(away)),
        ),
      )
    return Context.make(MessageStore, { ...store, showUnlocked }).pipe(
      Context.add(Failing, { after: (steps) => Ref.set(left, steps) }),
    )
  }),
)

describe("unlocking many messages", () => {
  for (const [by, unlock] of [
    ["the month's turn", () => TestClock.setTime(APRIL)],
    ["a purchase", pay],
  ] as const)
    rule(
      `by ${by} lists each at once, lets it be read and counts none as gated; a job goes on counting them in threads`,
      Effect.gen(function* () {
        const owner = yield* overTheCap
        const ids = (yield* newestGated(owner)).slice(-30)
        const before = yield* eventsOf(owner)
        yield* unlock(owner)
        expect(yield* counted(owner)).toEqual([0, 0])
        const [messages, changes] = [yield* Messages, yield* MessageChanges]
        const principal = yield* as(owner)
        for (const id of ids) {
          expect((yield* messages.get(principal, owner.mailboxId, id)).gate).toBeNull()
          yield* changes.source(principal, owner.mailboxId, id)
        }
        expect(yield* shown(owner)).toBe(GATED)
        expect(yield* threadsShown(owner)).toBe(STEP)
        expect(yield* correctedCounts).toEqual([])
        yield* drain
        expect(yield* shown(owner)).toBe(GATED)
        expect(yield* threadsShown(owner)).toBe(GATED)
        expect((yield* as(owner)).account.unlocking).toBe(false)
        expect(yield* counted(owner)).toEqual([0, 0])
        expect(yield* eventsOf(owner)).toEqual(before)
        expect(yield* correctedCounts).toEqual([])
      }),
    )

  rule(
    "keeps messages of the new month hidden while those of the old month are counted",
    Effect.gen(function* () {
      const owner = yield* overTheCap
      yield* TestClock.setTime(APRIL)
      yield* as(owner)
      yield* changeAccount(owner, { receivedMonth: { window: "2026-04", count: 100 } })
      for (const subject of ["April 1", "April 2"]) yield* accepted(owner.address, aMail({ subject }))
      yield* deliver
      expect(yield* counted(owner)).toEqual([2, 2])
      expect(yield* shown(owner)).toBe(GATED)
      yield* drain
      expect(yield* shown(owner)).toBe(GATED)
      expect(yield* counted(owner)).toEqual([2, 2])
      expect(yield* correctedCounts).toEqual([])
      yield* TestClock.setTime(Date.UTC(2026, 4, 1))
      expect(yield* counted(owner)).toEqual([0, 0])
      expect(yield* shown(owner)).toBe(GATED + 2)
    }),
  )

  rule(
    "allows deletion of a message that is not counted yet",
    Effect.gen(function* () {
      const owner = yield* overTheCap
      const [id] = (yield* newestGated(owner)).slice(-1)
      yield* pay(owner)
      const changes = yield* MessageChanges
      if (id !== undefined) yield* changes.remove(yield* as(owner), owner.mailboxId, id)
      yield* drain
      expect(yield* shown(owner)).toBe(GATED - 1)
      expect(yield* correctedCounts).toEqual([])
    }),
  )

  ruleWith(takingTurns)(
    "counts each message once beside concurrent workers, readers and deliveries",
    Effect.gen(function* () {
      const owner = yield* overTheCap
      yield* TestClock.setTime(APRIL)
      const look = Effect.flatMap(Authentication, ({ byKey }) => byKey(owner.key))
      yield* accepted(owner.address, aMail({ subject: "In April" }))
      yield* Effect.all([drain, look, deliver, drain, look, drain], { concurrency: "unbounded" })
      yield* Engine.settle
      expect(yield* shown(owner)).toBe(GATED + 1)
      expect(yield* counted(owner)).toEqual([0, 0])
      expect(yield* correctedCounts).toEqual([])
    }),
  )

  ruleWith(failing)(
    "continues after a crash",
    Effect.gen(function* () {
      const owner = yield* overTheCap
      yield* pay(owner)
      const { after } = yield* Failing
      yield* after(1)
      yield* drain
      yield* after(Infinity)
      expect(yield* threadsShown(owner)).toBe(2 * STEP)
      expect(yield* counted(owner)).toEqual([0, 0])
      expect(yield* correctedCounts).toEqual([])
      yield* TestClock.adjust("1 minute")
      yield* drain
      expect(yield* threadsShown(owner)).toBe(GATED)
      expect(yield* correctedCounts).toEqual([])
    }),
  )
})
