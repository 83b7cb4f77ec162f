/** Waiting for a message (docs/specification/sharing.md). */
import { describe, expect } from "@effect/vitest"
import { type MessageId, MINUTE, parseAddressPattern, SECOND, WAITS_MAX_PER_ACCOUNT } from "@mailroom/domain"
import { ApiKeys, Mailboxes, MessageChanges, MessageStore, type WaitResult } from "@mailroom/engine"
import { Context, Effect, Exit, Fiber, Layer, Option, Ref, TestClock } from "effect"
import { received, receivedMany } from "./support/arrivals.js"
import { changeAccount } from "./support/changes.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { as, type Owner, paying } from "./support/owners.js"
import { arrival } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { send } from "./support/sends.js"
import { wait } from "./support/sharing.js"

/** What a read of a whole message waits for. */
class SlowMessages extends Context.Tag("test/SlowMessages")<SlowMessages, Ref.Ref<Effect.Effect<void>>>() {}

const slowMessages = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* MessageStore
    const reading = yield* Ref.make<Effect.Effect<void>>(Effect.void)
    const byId: typeof store.byId = (...message) =>
      Effect.zipRight(Effect.flatten(Ref.get(reading)), store.byId(...message))
    return Context.make(MessageStore, { ...store, byId }).pipe(Context.add(SlowMessages, reading))
  }),
)

const subjectOf = ({ message }: WaitResult) => message?.content.subject ?? null

/** A wait in the background, after it has begun to wait. */
const waiting = (...parameters: Parameters<typeof wait>) =>
  Effect.zipLeft(Effect.fork(wait(...parameters)), TestClock.adjust(0))

/** The subjects of chained waits, until a wait times out. */
const chain = (owner: Owner, first: number, timeoutSeconds: number) =>
  Effect.gen(function* () {
    const subjects: Array<string | null> = []
    let after = first
    for (;;) {
      const result = yield* wait(owner, { from: { after }, timeoutSeconds })
      if (result.message === null) return subjects
      subjects.push(subjectOf(result))
      after = result.after
    }
  })

const subjects = (count: number) => Array.from({ length: count }, (_, index) => `Mail ${index + 1}`)

describe("a wait", () => {
  rule(
    "ends with the commit of a message, and without one when its time is over",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, { subject: "Before" })
      const fiber = yield* waiting(owner)
      yield* received(owner.address, { subject: "After" })
      expect(subjectOf(yield* Fiber.join(fiber))).toBe("After")

      const late = yield* waiting(owner, { timeoutSeconds: 5 })
      yield* TestClock.adjust(5 * SECOND)
      expect(yield* Fiber.join(late)).toEqual({ message: null, after: 2 })
      expect(yield* wait(owner, { timeoutSeconds: 0 })).toEqual({ message: null, after: 2 })
      expect(yield* wait(owner, { stopped: Effect.void })).toEqual({ message: null, after: 2 })
    }),
  )

  ruleWith(slowMessages)(
    "whose time is over while it reads its message has not read it: the next wait finds it",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, { subject: "Here" })
      const reading = yield* SlowMessages
      yield* Ref.set(reading, Effect.never)
      const ended = yield* Effect.fork(wait(owner, { from: { after: 0 }, timeoutSeconds: 1 }))
      yield* TestClock.adjust(5 * SECOND)
      const { message, after } = yield* Fiber.join(ended)
      expect(message).toBeNull()
      yield* Ref.set(reading, Effect.void)
      expect(subjectOf(yield* wait(owner, { from: { after } }))).toBe("Here")
    }),
  )

  ruleWith(slowMessages)(
    "ends when its time is over, that of its first read included",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id } = yield* arrival(owner, { subject: "Removed while it is read" })
      const reading = yield* SlowMessages
      yield* Ref.set(reading, Effect.sleep(3 * SECOND))
      const fiber = yield* waiting(owner, { from: { after: 0 }, timeoutSeconds: 5 })
      yield* Ref.set(reading, Effect.void)
      const changes = yield* MessageChanges
      yield* changes.remove(yield* as(owner), owner.mailboxId, id)
      yield* TestClock.adjust(4 * SECOND)
      expect(yield* Fiber.poll(fiber)).toEqual(Option.none())
      yield* TestClock.adjust(1 * SECOND)
      const ended = yield* Fiber.poll(fiber)
      expect(ended).toEqual(Option.some(Exit.succeed({ message: null, after: 1 })))
    }),
  )

  rule(
    "finds the oldest message since a time, and goes on after it",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, { subject: "Long ago" })
      yield* TestClock.adjust(10 * MINUTE)
      yield* received(owner.address, { subject: "One" })
      yield* received(owner.address, { subject: "Two" })
      const one = yield* wait(owner, { from: { since: NOON + 10 * MINUTE } })
      const two = yield* wait(owner, { from: { after: one.after } })
      expect([subjectOf(one), subjectOf(two)]).toEqual(["One", "Two"])
      const none = yield* wait(owner, { from: { after: two.after }, timeoutSeconds: 0 })
      expect(none).toEqual({ message: null, after: two.after })
      expect(subjectOf(yield* wait(owner, { from: { since: NOON - MINUTE } }))).toBe("Long ago")
    }),
  )

  rule(
    "sees only what its filter and its mailbox are for",
    Effect.gen(function* () {
      const owner = yield* paying()
      const mailboxes = yield* Mailboxes
      const second = yield* mailboxes.create(yield* as(owner), {
        localPart: "second",
        displayName: null,
        domainId: null,
      })
      const fibers = yield* Effect.all({
        code: waiting(owner, { filter: { hasCode: true } }),
        from: waiting(owner, { filter: { from: parseAddressPattern("@elsewhere.net") } }),
        sent: waiting(owner, { filter: { direction: "OUTBOUND" } }),
        anywhere: waiting(owner, { mailboxId: null, filter: { subject: "second" } }),
      })
      yield* received(owner.address, { subject: "Your code", text: "Your verification code is 482913." })
      yield* received(owner.address, { subject: "From Bob", from: "bob@elsewhere.net" })
      yield* received(second.fullAddress, { subject: "To the SECOND" })
      yield* send(owner, { subject: "Sent" })
      const results = yield* Effect.all({
        code: Fiber.join(fibers.code),
        from: Fiber.join(fibers.from),
        sent: Fiber.join(fibers.sent),
        anywhere: Fiber.join(fibers.anywhere),
      })
      expect([results.code, results.from, results.sent, results.anywhere].map(subjectOf)).toEqual([
        "Your code",
        "From Bob",
        "Sent",
        "To the SECOND",
      ])
    }),
  )

  rule(
    "for a thread goes on when the thread is merged into another",
    Effect.gen(function* () {
      const owner = yield* paying()
      const older = yield* arrival(owner, { subject: "Older", id: "<older@elsewhere.org>" })
      const younger = yield* arrival(owner, { subject: "Younger", id: "<younger@elsewhere.org>" })
      const fiber = yield* waiting(owner, { filter: { threadId: younger.threadId } })
      yield* received(owner.address, {
        subject: "Both",
        references: ["<older@elsewhere.org>", "<younger@elsewhere.org>"],
      })
      const { message } = yield* Fiber.join(fiber)
      expect(message?.content.subject).toBe("Both")
      expect(message?.threadId).toBe(older.threadId)
    }),
  )

  rule(
    "does not see gated messages",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* changeAccount(owner, { receivedMonth: { window: "2026-03", count: 2000 } })
      const fiber = yield* waiting(owner, { timeoutSeconds: 1 })
      yield* received(owner.address, { subject: "Gated" })
      yield* TestClock.adjust(SECOND)
      expect(yield* Fiber.join(fiber)).toEqual({ message: null, after: 1 })
    }),
  )

  rule(
    "goes on with the next message when its own is removed before it is read",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id } = yield* arrival(owner, { subject: "Removed" })
      yield* received(owner.address, { subject: "Kept" })
      const changes = yield* MessageChanges
      const remove = (message: MessageId) =>
        Effect.flatMap(as(owner), (principal) => changes.remove(principal, owner.mailboxId, message))
      yield* remove(id)
      expect(subjectOf(yield* wait(owner, { from: { after: 0 } }))).toBe("Kept")
    }),
  )

  rule(
    "ends when its key is revoked",
    Effect.gen(function* () {
      const owner = yield* paying()
      const keys = yield* ApiKeys
      const { key, record } = yield* keys.create(yield* as(owner), { name: "worker", mailboxIds: null })
      const fiber = yield* waiting({ ...owner, key })
      yield* keys.revoke(yield* as(owner), record.id)
      expect(yield* Fiber.join(fiber)).toEqual({ message: null, after: 0 })
    }),
  )

  rule(
    "with a position that the account has not reached is refused",
    Effect.gen(function* () {
      const owner = yield* paying()
      expect(yield* refused(wait(owner, { from: { after: 1 } }))).toMatchObject({ _tag: "InvalidInput" })
    }),
  )

  rule(
    "is one of at most 20 of an account, and frees its slot when its client hangs up",
    Effect.gen(function* () {
      const owner = yield* paying()
      const fibers = yield* Effect.forEach(subjects(WAITS_MAX_PER_ACCOUNT), () => waiting(owner))
      expect(yield* refused(wait(owner))).toMatchObject({ _tag: "TooManyWaits" })
      const [first, ...others] = fibers
      if (first !== undefined) yield* Fiber.interrupt(first)
      const next = yield* waiting(owner)
      yield* received(owner.address, { subject: "For all" })
      const results = yield* Effect.forEach([...others, next], (fiber) => Fiber.join(fiber))
      expect(new Set(results.map(subjectOf))).toEqual(new Set(["For all"]))
    }),
  )
})

describe("chained waits", () => {
  rule(
    "see each message once and in one order, while they arrive",
    Effect.gen(function* () {
      const owner = yield* paying()
      const chains = yield* Effect.forEach([1, 2, 3], () => Effect.fork(chain(owner, 0, 5)))
      for (let batch = 0; batch < 5; batch++) {
        yield* receivedMany(owner.address, 30, `Batch-${batch}`)
        yield* TestClock.adjust(SECOND)
      }
      yield* TestClock.adjust(5 * SECOND)
      const seen = yield* Effect.forEach(chains, (fiber) => Fiber.join(fiber))
      expect(seen[0]).toHaveLength(150)
      expect(new Set(seen[0]).size).toBe(150)
      for (const one of seen) expect(one).toEqual(seen[0])
    }),
  )
})
