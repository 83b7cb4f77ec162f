/** Contract of `InvitationStore`. */
import { describe, expect, layer } from "@effect/vitest"
import { InvitationId, type InvitationRecord } from "@mailroom/domain"
import { InvitationStore } from "@mailroom/engine"
import { Effect } from "effect"
import type { Database } from "./support/databases.js"
import { newId, NOON } from "./support/records.js"

const EXPIRY = NOON + 1000

const anInvitation = (hash: string): InvitationRecord => ({
  id: InvitationId.make(newId()),
  hash,
  createdAt: NOON,
  expiresAt: EXPIRY,
  usedAt: null,
})

export const invitationsContract = (name: string, database: Database) =>
  describe(`${name}: invitations`, () => {
    layer(database)((it) => {
      it.effect("a token is redeemed by one of several concurrent calls", () =>
        Effect.gen(function* () {
          const store = yield* InvitationStore
          yield* store.insert(anInvitation("one"))
          expect(yield* store.isGood("one", NOON)).toBe(true)
          const tries = yield* Effect.all([store.redeem("one", NOON), store.redeem("one", NOON)], {
            concurrency: 2,
          })
          expect(tries.filter(Boolean)).toHaveLength(1)
          expect(yield* store.isGood("one", NOON)).toBe(false)
          expect(yield* store.redeem("unknown", NOON)).toBe(false)
        }),
      )

      it.effect("an expired or removed token is refused", () =>
        Effect.gen(function* () {
          const store = yield* InvitationStore
          const [late, gone] = [anInvitation("late"), anInvitation("gone")]
          yield* store.insert(late)
          yield* store.insert(gone)
          expect(yield* store.remove(gone.id)).toBe(true)
          expect(yield* store.remove(gone.id)).toBe(false)
          expect(yield* store.redeem("gone", NOON)).toBe(false)
          expect(yield* store.redeem("late", EXPIRY)).toBe(false)
          expect((yield* store.newest(1)).map(({ id }) => id)).toEqual([late.id])
          expect(yield* store.removeExpired(EXPIRY - 1, 10)).toBe(0)
          expect(yield* store.removeExpired(EXPIRY, 10)).toBeGreaterThan(0)
          expect(yield* store.newest(10)).toEqual([])
        }),
      )
    })
  })
