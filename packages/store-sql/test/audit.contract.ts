/** Contract of `AuditStore`. */
import { describe, expect, layer } from "@effect/vitest"
import { type AccountId, AuditEntryId, type AuditRecord, DAY } from "@mailroom/domain"
import { AuditStore } from "@mailroom/engine"
import { Effect } from "effect"
import type { Database } from "./support/databases.js"
import { newId, NOON, storedAccount } from "./support/records.js"

const anEntry = (accountId: AccountId | null, createdAt = NOON): AuditRecord => ({
  id: AuditEntryId.make(newId()),
  accountId,
  action: "key.created",
  actorKind: "key",
  actorId: newId(),
  target: newId(),
  detail: { name: "agent ✉", mailboxIds: null, permissions: ["read"], scoped: false },
  createdAt,
})

const positionOf = ({ createdAt, id }: AuditRecord) => ({ createdAt, id })

export const auditContract = (name: string, database: Database) =>
  describe(`${name}: the audit trail`, () => {
    layer(database)((it) => {
      it.effect("has the entries of one account newest first, page by page", () =>
        Effect.gen(function* () {
          const store = yield* AuditStore
          const [one, two] = [(yield* storedAccount).id, (yield* storedAccount).id]
          const entries = [anEntry(one), anEntry(one), anEntry(one, NOON + 1)] as const
          for (const entry of [...entries, anEntry(two)]) yield* store.insert(entry)
          const [first, second, last] = entries
          expect(yield* store.page(one, null, 2)).toEqual([last, second])
          expect(yield* store.page(one, positionOf(second), 2)).toEqual([first])
          expect(yield* store.page(one, positionOf(first), 2)).toEqual([])
        }),
      )

      it.effect("of the operator has no account", () =>
        Effect.gen(function* () {
          const store = yield* AuditStore
          const [first, last] = [anEntry(null), { ...anEntry(null, NOON + 1), actorId: null, target: null }]
          yield* store.insert(anEntry((yield* storedAccount).id))
          for (const entry of [first, last]) yield* store.insert(entry)
          expect(yield* store.page(null, null, 2)).toEqual([last, first])
          expect(yield* store.page(null, positionOf(last), 2)).toEqual([first])
        }),
      )

      it.effect("loses what is older than a time, a few entries at once", () =>
        Effect.gen(function* () {
          const store = yield* AuditStore
          const { id } = yield* storedAccount
          const early = NOON - 500 * DAY
          for (const createdAt of [early, early + 1, early + 2]) yield* store.insert(anEntry(id, createdAt))
          expect(yield* store.removeBefore(early + 2, 1)).toBe(1)
          expect(yield* store.removeBefore(early + 2, 10)).toBe(1)
          expect((yield* store.page(id, null, 10)).map(({ createdAt }) => createdAt)).toEqual([early + 2])
        }),
      )
    })
  })
