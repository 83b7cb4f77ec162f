/** Contract of `IdempotencyStore`. */
import { describe, expect, layer } from "@effect/vitest"
import { AccountId, DAY, MailboxId, MessageId, MINUTE } from "@mailroom/domain"
import { IdempotencyStore, type KeyLease, type KeySlot } from "@mailroom/engine"
import { Effect, Option } from "effect"
import type { Database } from "./support/databases.js"
import { newId, NOON } from "./support/records.js"

const aSlot = (): KeySlot => ({ accountId: AccountId.make(newId()), id: newId() })

/** Claims for five minutes, starting at `now`. */
const claim = (slot: KeySlot, now = NOON, fingerprint = "body") =>
  Effect.flatMap(IdempotencyStore, (store) =>
    store.claim({ ...slot, leaseUntil: now + 5 * MINUTE }, { fingerprint, expiresAt: now + DAY, now }),
  )

/** A slot that was claimed at noon. */
const claimed = Effect.gen(function* () {
  const slot = aSlot()
  expect(yield* claim(slot)).toBe(true)
  return { ...slot, leaseUntil: NOON + 5 * MINUTE } satisfies KeyLease
})

const recordOf = ({ accountId, id }: KeySlot) =>
  Effect.flatMap(IdempotencyStore, (store) => store.find({ accountId, id }))

const sending = () =>
  ({ kind: "sending", mailboxId: MailboxId.make(newId()), messageId: MessageId.make(newId()) }) as const

export const idempotencyContract = (name: string, database: Database) =>
  describe(`${name}: idempotency keys`, () => {
    layer(database)((it) => {
      it.effect("gives a slot to one of several concurrent claims", () =>
        Effect.gen(function* () {
          const slot = aSlot()
          const tries = yield* Effect.all(
            Array.from({ length: 50 }, () => claim(slot)),
            { concurrency: "unbounded" },
          )
          expect(tries.filter((won) => won)).toHaveLength(1)
          expect(yield* recordOf(slot)).toEqual(
            Option.some({
              ...slot,
              fingerprint: "body",
              state: "started",
              mailboxId: null,
              messageId: null,
              answer: null,
              hasLargeAnswer: false,
              lockedUntil: NOON + 5 * MINUTE,
              expiresAt: NOON + DAY,
            }),
          )
        }),
      )

      it.effect("distinguishes slots of other accounts and of other ids", () =>
        Effect.gen(function* () {
          const slot = yield* claimed
          expect(yield* recordOf(aSlot())).toEqual(Option.none())
          expect(yield* claim({ ...slot, accountId: aSlot().accountId })).toBe(true)
          expect(yield* claim({ ...slot, id: newId() })).toBe(true)
          expect(yield* claim(slot)).toBe(false)
        }),
      )

      it.effect("gives a started slot to the same body when its lease is over, and not before", () =>
        Effect.gen(function* () {
          const slot = yield* claimed
          expect(yield* claim(slot, slot.leaseUntil - 1)).toBe(false)
          expect(yield* claim(slot, slot.leaseUntil, "another body")).toBe(false)
          expect(yield* claim(slot, slot.leaseUntil)).toBe(true)
          expect(Option.getOrThrow(yield* recordOf(slot))).toMatchObject({
            state: "started",
            lockedUntil: slot.leaseUntil + 5 * MINUTE,
          })
        }),
      )

      it.effect("keeps a committed slot when its lease is over, with the message of a send", () =>
        Effect.gen(function* () {
          const store = yield* IdempotencyStore
          const slot = yield* claimed
          const message = sending()
          expect(yield* store.mark(slot, message)).toBe(true)
          expect(yield* store.mark(slot, { kind: "done" })).toBe(true)
          expect(yield* claim(slot, slot.leaseUntil)).toBe(false)
          const { mailboxId, messageId } = message
          expect(Option.getOrThrow(yield* recordOf(slot))).toMatchObject({
            state: "committed",
            mailboxId,
            messageId,
          })
        }),
      )

      it.effect("frees an undone slot when its lease is over", () =>
        Effect.gen(function* () {
          const store = yield* IdempotencyStore
          const slot = yield* claimed
          yield* store.mark(slot, sending())
          expect(yield* store.mark(slot, { kind: "undone" })).toBe(true)
          expect(Option.getOrThrow(yield* recordOf(slot))).toMatchObject({
            state: "started",
            messageId: null,
          })
          expect(yield* claim(slot, slot.leaseUntil)).toBe(true)
        }),
      )

      it.effect("frees the slot of a withdrawn message after its lease ended, and no other", () =>
        Effect.gen(function* () {
          const store = yield* IdempotencyStore
          const slot = yield* claimed
          const message = sending()
          yield* store.mark(slot, message)
          yield* store.release(slot)
          const withdrawn = (messageId: typeof message.messageId) =>
            store.mark(slot, { kind: "withdrawn", messageId })
          expect(yield* withdrawn(sending().messageId)).toBe(true)
          expect(yield* claim(slot, slot.leaseUntil)).toBe(false)
          expect(yield* withdrawn(message.messageId)).toBe(true)
          expect(yield* claim(slot, slot.leaseUntil)).toBe(true)
        }),
      )

      it.effect("keeps large answers apart, and sums those of an account that are not expired", () =>
        Effect.gen(function* () {
          const store = yield* IdempotencyStore
          const slot = yield* claimed
          const { accountId } = slot
          expect(yield* store.largeAnswerBytes(accountId, 0)).toBe(0)
          yield* store.answer(slot, "sealed", true)
          const record = Option.getOrThrow(yield* recordOf(slot))
          expect(record).toMatchObject({ state: "answered", answer: null, hasLargeAnswer: true })
          expect(yield* store.largeAnswer(slot)).toEqual(Option.some("sealed"))
          expect(yield* store.largeAnswerBytes(accountId, record.expiresAt - 1)).toBe(6)
          expect(yield* store.largeAnswerBytes(accountId, record.expiresAt)).toBe(0)
          yield* claim(slot, record.expiresAt)
          expect(Option.getOrThrow(yield* recordOf(slot)).hasLargeAnswer).toBe(false)
          expect(yield* store.largeAnswer(slot)).toEqual(Option.none())
        }),
      )

      it.effect("keeps the stored answer of a request whose message is withdrawn", () =>
        Effect.gen(function* () {
          const store = yield* IdempotencyStore
          const slot = yield* claimed
          const message = sending()
          yield* store.mark(slot, message)
          yield* store.answer(slot, "sealed", false)
          yield* store.mark(slot, { kind: "withdrawn", messageId: message.messageId })
          expect(Option.getOrThrow(yield* recordOf(slot))).toMatchObject({
            state: "answered",
            answer: "sealed",
          })
        }),
      )

      it.effect("marks, answers and releases nothing for a lost lease", () =>
        Effect.gen(function* () {
          const store = yield* IdempotencyStore
          const lost = yield* claimed
          yield* claim(lost, lost.leaseUntil)
          const before = yield* recordOf(lost)
          expect(yield* store.mark(lost, { kind: "done" })).toBe(false)
          yield* store.answer(lost, "sealed", false)
          yield* store.release(lost)
          expect(yield* recordOf(lost)).toEqual(before)
        }),
      )

      it.effect("keeps the first answer, and ends the lease", () =>
        Effect.gen(function* () {
          const store = yield* IdempotencyStore
          const slot = yield* claimed
          yield* store.answer(slot, "sealed", false)
          yield* store.answer({ ...slot, leaseUntil: 0 }, "another", false)
          expect(Option.getOrThrow(yield* recordOf(slot))).toMatchObject({
            state: "answered",
            answer: "sealed",
            lockedUntil: 0,
          })
          expect(yield* claim(slot, slot.leaseUntil)).toBe(false)
        }),
      )

      it.effect("stores the answer of a request that a dead process committed", () =>
        Effect.gen(function* () {
          const store = yield* IdempotencyStore
          const slot = yield* claimed
          yield* store.mark(slot, sending())
          yield* store.release(slot)
          yield* store.answer({ ...slot, leaseUntil: 0 }, "sealed", false)
          expect(Option.getOrThrow(yield* recordOf(slot))).toMatchObject({ state: "answered" })
        }),
      )

      it.effect("removes a released slot only when nothing was done under it", () =>
        Effect.gen(function* () {
          const store = yield* IdempotencyStore
          const [nothing, something] = [yield* claimed, yield* claimed]
          yield* store.mark(something, { kind: "done" })
          yield* store.release(nothing)
          yield* store.release(something)
          expect(yield* recordOf(nothing)).toEqual(Option.none())
          expect(Option.getOrThrow(yield* recordOf(something))).toMatchObject({
            state: "committed",
            lockedUntil: 0,
          })
        }),
      )

      it.effect("gives an expired slot to any body, whatever its state", () =>
        Effect.gen(function* () {
          const store = yield* IdempotencyStore
          const slot = yield* claimed
          yield* store.mark(slot, sending())
          yield* store.answer(slot, "sealed", false)
          expect(yield* claim(slot, NOON + DAY - 1, "another body")).toBe(false)
          expect(yield* claim(slot, NOON + DAY, "another body")).toBe(true)
          expect(Option.getOrThrow(yield* recordOf(slot))).toMatchObject({
            fingerprint: "another body",
            state: "started",
            messageId: null,
            answer: null,
            expiresAt: NOON + 2 * DAY,
          })
        }),
      )

      it.effect("removes expired slots, so many at a time", () =>
        Effect.gen(function* () {
          const store = yield* IdempotencyStore
          const early = NOON - 30 * DAY
          for (let n = 0; n < 5; n++) yield* claim(aSlot(), early)
          const last = aSlot()
          yield* claim(last, early + 1)
          expect(yield* store.removeExpired(early + DAY - 1, 3)).toBe(0)
          expect(yield* store.removeExpired(early + DAY, 3)).toBe(3)
          expect(yield* store.removeExpired(early + DAY, 3)).toBe(2)
          expect(Option.isSome(yield* recordOf(last))).toBe(true)
        }),
      )
    })
  })
