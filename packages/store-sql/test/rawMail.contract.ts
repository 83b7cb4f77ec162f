/** Contract of `RawMailStore`. */
import { describe, expect, layer } from "@effect/vitest"
import { type Instant, RawMailId } from "@mailroom/domain"
import { RawMailStore } from "@mailroom/engine"
import { Effect, Option } from "effect"
import type { Database } from "./support/databases.js"
import { accept, claim, emptyQueue, idsOf, LATER } from "./support/inboundQueue.js"
import { aQueueEntry, aRawMail, newId, NOON } from "./support/records.js"

export const rawMailContract = (name: string, database: Database) =>
  describe(`${name}: raw mail`, () => {
    layer(database)((it) => {
      it.effect("returns inline bytes, also none, and the blob of a large mail", () =>
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
          yield* emptyQueue
          const late = yield* accept(NOON + 2)
          const early = yield* accept(NOON + 1)
          const notYet = yield* accept(LATER)
          expect(idsOf(yield* claim(1, NOON + 5, LATER))).toEqual([early.entry.id])
          const [claimed] = yield* claim(10, NOON + 5, LATER)
          expect(claimed).toMatchObject({
            id: late.entry.id,
            envelope: late.entry.envelope,
            attempts: 1,
            raw: { id: late.raw.id, createdAt: NOON + 2 },
          })
          expect(yield* claim(10, NOON + 5, LATER)).toEqual([])
          expect(idsOf(yield* claim(10, LATER, LATER + 1))).toContain(notYet.entry.id)
        }),
      )

      it.effect("frees an entry when its lease expires; then only the next holder can finish it", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          yield* emptyQueue
          const { entry } = yield* accept()
          yield* claim(10, NOON, NOON + 10)
          expect(yield* claim(10, NOON + 9, NOON + 20)).toEqual([])
          const [again] = yield* claim(10, NOON + 10, NOON + 20)
          expect(again).toMatchObject({ id: entry.id, attempts: 2 })
          expect(yield* store.finish([entry.id], NOON + 10)).toEqual([])
          expect(yield* store.finish([entry.id, newId()], NOON + 20)).toEqual([entry.id])
          expect(yield* store.finish([entry.id], NOON + 20)).toEqual([])
          expect(yield* claim(10, LATER, LATER + 1)).toEqual([])
        }),
      )

      it.effect("claims no entry with more failed claims than it is asked for, and those behind it", () =>
        Effect.gen(function* () {
          yield* emptyQueue
          const suspect = yield* accept(NOON)
          yield* claim(1, NOON, NOON + 10)
          yield* claim(1, NOON + 10, NOON + 20)
          const next = yield* accept(NOON + 1)
          const atMost = (attemptsMax: number, now: Instant) =>
            Effect.map(claim(1, now, LATER, { attemptsMax }), idsOf)
          expect(yield* atMost(1, NOON + 20)).toEqual([next.entry.id])
          expect(yield* atMost(1, NOON + 20)).toEqual([])
          expect(yield* atMost(2, NOON + 20)).toEqual([suspect.entry.id])
        }),
      )

      it.effect("releases entries until a given time", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          yield* emptyQueue
          const { entry } = yield* accept()
          yield* claim(10, NOON, LATER)
          yield* store.release([entry.id], LATER, NOON + 5)
          expect(yield* claim(10, NOON + 4, LATER)).toEqual([])
          const [again] = yield* claim(10, NOON + 5, LATER)
          // A released claim counts no attempt.
          expect(again).toMatchObject({ id: entry.id, attempts: 1 })
        }),
      )

      it.effect("frees the leases of an abandoned claim without counting an attempt, and no others", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          yield* emptyQueue
          const one = yield* accept()
          yield* claim(10, NOON, LATER)
          yield* accept()
          yield* claim(10, NOON, LATER + 1)
          yield* store.abandonClaim(LATER)
          expect(yield* claim(10, NOON, LATER + 2)).toMatchObject([{ id: one.entry.id, attempts: 1 }])
          yield* store.abandonClaim(0)
          expect(yield* claim(10, NOON, LATER)).toEqual([])
        }),
      )

      it.effect("claims entries whose delivery failed in groups that shrink to one", () =>
        Effect.gen(function* () {
          yield* emptyQueue
          const accepted = yield* Effect.forEach(Array.from({ length: 40 }), (_, index) =>
            accept(NOON + index),
          )
          const fresh = accept(NOON + 100)
          const first = (count: number) => accepted.slice(0, count).map(({ entry }) => entry.id)
          const claimAt = (second: number) =>
            Effect.map(claim(64, NOON + 1_000 * second, NOON + 1_000 * second + 999), idsOf)
          expect(yield* claimAt(1)).toEqual(first(40))
          expect(yield* claimAt(2)).toEqual(first(40))
          const newest = yield* fresh
          expect(yield* claimAt(3)).toEqual(first(16))
          expect(yield* claimAt(4)).toEqual(first(4))
          expect(yield* claimAt(5)).toEqual(first(1))
          expect(yield* claimAt(6)).toEqual(first(1))
          // The others were not claimed meanwhile, and are still suspect.
          yield* (yield* RawMailStore).finish(first(1), NOON + 6_999)
          const all = [...accepted, newest].map(({ entry }) => entry.id)
          const groups = [2, 3, 4, 8, 12, 16, 32, 41].map((end, at, ends) =>
            all.slice(ends[at - 1] ?? 1, end),
          )
          for (const group of groups) expect(yield* claimAt(7)).toEqual(group)
        }),
      )

      it.effect("claims by turn, up to the requested turn", () =>
        Effect.gen(function* () {
          yield* emptyQueue
          const ahead = yield* accept(NOON, { turn: NOON + 10 })
          const own = yield* accept(NOON, { turn: NOON })
          expect(idsOf(yield* claim(10, NOON, LATER, { through: NOON }))).toEqual([own.entry.id])
          expect(idsOf(yield* claim(10, NOON, LATER, { through: NOON + 10 }))).toEqual([ahead.entry.id])
        }),
      )

      it.effect("claims up to the requested bytes, and at least one entry", () =>
        Effect.gen(function* () {
          yield* emptyQueue
          const sizes = [30, 70, 1, 500, 1]
          const ids = yield* Effect.forEach(sizes, (workBytes, index) =>
            Effect.map(accept(NOON + index, { workBytes }), ({ entry }) => entry.id),
          )
          const next = Effect.map(
            claim(10, LATER, LATER + 10, { limits: { mails: 10, bytes: 100 } }),
            (claimed) => claimed.map(({ id }) => ids.indexOf(id)),
          )
          expect([yield* next, yield* next, yield* next, yield* next]).toEqual([[0, 1], [2], [3], [4]])
        }),
      )

      it.effect("claims nothing of excepted tenants and of the other lane", () =>
        Effect.gen(function* () {
          yield* emptyQueue
          yield* accept(NOON, { tenant: "acme.example" })
          const other = yield* accept(NOON, { tenant: "other.example" })
          yield* accept(NOON, { tenant: "other.example", lane: "slow" })
          const except = ["acme.example", "more.example", "most.example"]
          expect(idsOf(yield* claim(10, NOON, LATER, { except }))).toEqual([other.entry.id])
        }),
      )

      it.effect("moves entries to the slow lane, behind others there, and counts no attempt", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          yield* emptyQueue
          const { entry } = yield* accept(NOON)
          yield* claim(10, NOON, LATER)
          yield* store.slowDown([entry.id], LATER, NOON + 50)
          const slow = yield* accept(NOON, { lane: "slow", turn: NOON + 49 })
          expect(yield* claim(10, LATER, LATER + 1)).toEqual([])
          const claimed = yield* claim(10, NOON, LATER, { lane: "slow" })
          expect(idsOf(claimed)).toEqual([slow.entry.id, entry.id])
          expect(claimed[1]).toMatchObject({ attempts: 1 })
        }),
      )

      it.effect("counts an attempt that failed, and keeps the recipients that are left", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          yield* emptyQueue
          const { entry } = yield* accept(NOON)
          const later = ["later@acme.example"]
          const envelope = { ...entry.envelope, to: later }
          yield* claim(10, NOON, LATER)
          expect(yield* store.keepRecipients(entry.id, entry.envelope, later, LATER)).toBe(true)
          expect(yield* store.keepRecipients(entry.id, entry.envelope, later, LATER)).toBe(false)
          yield* store.retry(entry.id, LATER, NOON + 5)
          expect(yield* claim(10, NOON + 4, LATER)).toEqual([])
          expect(yield* claim(10, NOON + 5, LATER)).toMatchObject([{ attempts: 2, envelope }])
        }),
      )

      it.effect("changes nothing of an entry whose lease is lost", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          yield* emptyQueue
          const { entry } = yield* accept(NOON)
          yield* claim(10, NOON, NOON + 10)
          yield* claim(10, NOON + 10, LATER)
          yield* store.release([entry.id], NOON + 10, NOON)
          yield* store.retry(entry.id, NOON + 10, NOON)
          yield* store.slowDown([entry.id], NOON + 10, NOON)
          expect(yield* store.keepRecipients(entry.id, entry.envelope, [], NOON + 10)).toBe(false)
          expect(yield* claim(10, NOON + 20, LATER + 1)).toEqual([])
          expect(yield* store.finish([entry.id], LATER)).toEqual([entry.id])
        }),
      )

      it.effect("gives every entry to one of several concurrent claims", () =>
        Effect.gen(function* () {
          yield* emptyQueue
          const accepted = yield* Effect.forEach(Array.from({ length: 60 }), () => accept())
          const claims = yield* Effect.all(
            Array.from({ length: 10 }, () => claim(10, NOON, LATER)),
            { concurrency: "unbounded" },
          )
          expect(claims.flatMap(idsOf).sort()).toEqual(accepted.map(({ entry }) => entry.id).sort())
        }),
      )

      it.effect("counts waiting entries, up to a maximum", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          yield* emptyQueue
          expect(yield* store.backlog(10)).toBe(0)
          yield* Effect.forEach(Array.from({ length: 7 }), () => accept())
          expect(yield* store.backlog(10)).toBe(7)
          expect(yield* store.backlog(5)).toBe(5)
        }),
      )

      it.effect("returns the time of acceptance of the oldest entry", () =>
        Effect.gen(function* () {
          const store = yield* RawMailStore
          yield* emptyQueue
          expect(yield* store.oldest).toEqual(Option.none())
          for (const at of [NOON, NOON + 1000]) yield* accept(at)
          expect(yield* store.oldest).toEqual(Option.some(NOON))
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
            yield* store.enqueue(mails.map(({ id }) => aQueueEntry(id)))
          }
          expect(yield* store.backlog(1000)).toBe(sizes.reduce((sum, size) => sum + size, 0))
        }),
      )
    })
  })
