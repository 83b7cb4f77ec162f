/** What a `RawMailStore` does. */
import { describe, expect, layer } from "@effect/vitest"
import { type Instant, RawMailId } from "@mailroom/domain"
import { RawMailStore } from "@mailroom/engine"
import { Effect, Option } from "effect"
import type { Database } from "./support/databases.js"
import { anEnvelope, aRawMail, newId, NOON } from "./support/records.js"

const LATER = NOON + 60_000

/** An accepted mail, and its entry in the queue. */
const accept = (receivedAt: Instant = NOON) =>
  Effect.gen(function* () {
    const store = yield* RawMailStore
    const raw = aRawMail({ createdAt: receivedAt })
    const entry = { id: newId(), rawId: raw.id, envelope: anEnvelope({ receivedAt }) }
    yield* store.insert([raw])
    yield* store.enqueue([entry])
    return { raw, entry }
  })

/** Takes out whatever other tests left. */
const emptyQueue = Effect.gen(function* () {
  const store = yield* RawMailStore
  const left = yield* store.claim(1000, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER)
  yield* store.finish(
    left.map(({ id }) => id),
    Number.MAX_SAFE_INTEGER,
  )
  return left.length
}).pipe(Effect.repeat({ until: (count) => count === 0 }))

const idsOf = (claimed: ReadonlyArray<{ readonly id: string }>) => claimed.map(({ id }) => id)

export const rawMailContract = (name: string, database: Database) =>
  describe(`${name}: raw mail`, () => {
    layer(database)((it) => {
      it.effect("gives back bytes, none too, and where large ones are", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256)
          const mails = [
            aRawMail({ content: { kind: "inline", bytes } }),
            aRawMail({ content: { kind: "inline", bytes: new Uint8Array(0) } }),
            aRawMail({ content: { kind: "blob", key: "raw/large", sizeBytes: 70_000 } }),
          ]
          yield* store.insert(mails)
          for (const mail of mails) {
            const found = Option.getOrThrow(yield* store.byId(mail.id))
            expect({ ...found, content: found.content.kind }).toEqual({ ...mail, content: mail.content.kind })
            if (found.content.kind === "inline" && mail.content.kind === "inline")
              expect(Buffer.compare(found.content.bytes, mail.content.bytes)).toBe(0)
            else expect(found.content).toEqual(mail.content)
          }
          expect(yield* store.byId(RawMailId.make(newId()))).toEqual(Option.none())
        }),
      )

      it.effect("claims the oldest entries that are due, and counts the claim", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          yield* emptyQueue
          const late = yield* accept(NOON + 2)
          const early = yield* accept(NOON + 1)
          const notYet = yield* accept(LATER)
          expect(idsOf(yield* store.claim(1, NOON + 5, LATER))).toEqual([early.entry.id])
          const [claimed] = yield* store.claim(10, NOON + 5, LATER)
          expect(claimed).toMatchObject({
            id: late.entry.id,
            envelope: late.entry.envelope,
            attempts: 1,
            raw: { id: late.raw.id, createdAt: NOON + 2 },
          })
          expect(yield* store.claim(10, NOON + 5, LATER)).toEqual([])
          expect(idsOf(yield* store.claim(10, LATER, LATER + 1))).toContain(notYet.entry.id)
        }),
      )

      it.effect("frees an entry when its lease runs out, and then it is another's to finish", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          yield* emptyQueue
          const { entry } = yield* accept()
          yield* store.claim(10, NOON, NOON + 10)
          expect(yield* store.claim(10, NOON + 9, NOON + 20)).toEqual([])
          const [again] = yield* store.claim(10, NOON + 10, NOON + 20)
          expect(again).toMatchObject({ id: entry.id, attempts: 2 })
          expect(yield* store.finish([entry.id], NOON + 10)).toEqual([])
          expect(yield* store.finish([entry.id, newId()], NOON + 20)).toEqual([entry.id])
          expect(yield* store.finish([entry.id], NOON + 20)).toEqual([])
          expect(yield* store.claim(10, LATER, LATER + 1)).toEqual([])
        }),
      )

      it.effect("gives entries back, to be claimed from a time on", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          yield* emptyQueue
          const { entry } = yield* accept()
          yield* store.claim(10, NOON, LATER)
          yield* store.release([entry.id], NOON + 5)
          expect(yield* store.claim(10, NOON + 4, LATER)).toEqual([])
          const [again] = yield* store.claim(10, NOON + 5, LATER)
          // What was given back was no attempt.
          expect(again).toMatchObject({ id: entry.id, attempts: 1 })
        }),
      )

      it.effect("claims what was claimed twice in vain alone, and after all others", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          yield* emptyQueue
          const suspects = [yield* accept(NOON), yield* accept(NOON + 1)]
          yield* store.claim(10, NOON + 1, NOON + 10)
          yield* store.claim(10, NOON + 10, NOON + 20)
          const healthy = yield* accept(NOON + 2)
          expect(idsOf(yield* store.claim(10, NOON + 20, LATER))).toEqual([healthy.entry.id])
          expect(idsOf(yield* store.claim(10, NOON + 20, LATER))).toEqual([suspects[0]?.entry.id])
          expect(idsOf(yield* store.claim(10, NOON + 20, LATER))).toEqual([suspects[1]?.entry.id])
        }),
      )

      it.effect("gives every entry to one of those who claim at the same time", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          yield* emptyQueue
          const accepted = yield* Effect.forEach(Array.from({ length: 60 }), () => accept())
          const claims = yield* Effect.all(
            Array.from({ length: 10 }, () => store.claim(10, NOON, LATER)),
            { concurrency: "unbounded" },
          )
          expect(claims.flatMap(idsOf).sort()).toEqual(accepted.map(({ entry }) => entry.id).sort())
        }),
      )

      it.effect("counts what waits, up to a maximum", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          yield* emptyQueue
          expect(yield* store.backlog(10)).toBe(0)
          yield* Effect.forEach(Array.from({ length: 7 }), () => accept())
          expect(yield* store.backlog(10)).toBe(7)
          expect(yield* store.backlog(5)).toBe(5)
        }),
      )

      it.effect("takes groups of every size", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          yield* emptyQueue
          const sizes = [0, 1, 2, 3, 63, 64, 65, 200]
          for (const size of sizes) {
            const mails = Array.from({ length: size }, () => aRawMail())
            yield* store.insert(mails)
            yield* store.enqueue(mails.map(({ id }) => ({ id: newId(), rawId: id, envelope: anEnvelope() })))
          }
          expect(yield* store.backlog(1000)).toBe(sizes.reduce((sum, size) => sum + size, 0))
        }),
      )
    })
  })
