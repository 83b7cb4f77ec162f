/** What a mailbox remembers of the addresses that it exchanges mail with (docs/decisions/0067). */
import { describe, expect } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { CorrespondentStore, Jobs, Retention } from "@mailroom/engine"
import { Effect, Layer, TestClock } from "effect"
import { proveSender, received } from "./support/arrivals.js"
import { NOON, ruleWith } from "./support/mailroom.js"
import { type Owner, paying } from "./support/owners.js"
import { send } from "./support/sends.js"
import { readableStores } from "./support/tables.js"

/** Counts the addresses that are written. */
const writes = { count: 0 }

const countedWrites = Layer.effect(
  CorrespondentStore,
  Effect.map(CorrespondentStore, (store) => ({
    ...store,
    remember: (records: Parameters<typeof store.remember>[0]) => {
      writes.count += records.length
      return store.remember(records)
    },
  })),
)

const rule = ruleWith(readableStores)
const ruleCounted = ruleWith(Layer.provideMerge(countedWrites, readableStores))

const times = ({ mailboxId }: Owner, address: string) =>
  Effect.gen(function* () {
    const store = yield* CorrespondentStore
    const { correspondents } = yield* store.find([{ mailboxId, address, skeletons: [] }])
    return correspondents.map(({ heardAt, writtenAt }) => ({ heardAt, writtenAt }))
  })

describe("a correspondent", () => {
  ruleCounted(
    "is remembered with the first proven mail that arrives and the first that is sent, and not written again",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* proveSender
      yield* received(owner.address, { from: "eve@forged.org" })
      for (const address of ["ada@elsewhere.org", "eve@forged.org"])
        expect(yield* times(owner, address)).toEqual([])
      yield* received(owner.address, { from: "Ada <Ada@Elsewhere.org>" })
      yield* TestClock.adjust("1 minute")
      yield* send(owner, { to: ["ada@elsewhere.org"], bcc: ["Bob <bob@elsewhere.org>"] })
      const known = [{ heardAt: NOON, writtenAt: NOON + 60_000 }]
      expect(yield* times(owner, "ada@elsewhere.org")).toEqual(known)
      expect(yield* times(owner, "bob@elsewhere.org")).toEqual([{ heardAt: null, writtenAt: NOON + 60_000 }])
      const before = writes.count
      yield* TestClock.adjust("1 minute")
      yield* received(owner.address, { from: "ada@elsewhere.org" })
      yield* send(owner, { to: ["ada@elsewhere.org"] })
      expect(yield* times(owner, "ada@elsewhere.org")).toEqual(known)
      expect(writes.count).toBe(before)
    }),
  )

  rule(
    "of an earlier version is found by a job",
    Effect.gen(function* () {
      const owner = yield* paying()
      const sql = yield* SqlClient.SqlClient
      yield* proveSender
      yield* received(owner.address, { from: "eve@forged.org" })
      yield* received(owner.address, { from: "ada@elsewhere.org" })
      yield* send(owner, { to: ["bob@elsewhere.org"] })
      yield* sql`DELETE FROM correspondents`
      yield* sql`INSERT INTO unread_correspondents (mailbox_id, created_at, message_id)
        VALUES (${owner.mailboxId}, 0, '')`
      yield* Effect.flatMap(Retention, ({ scheduleCorrespondents }) => scheduleCorrespondents)
      yield* Effect.flatMap(Jobs, ({ drain }) => drain)
      expect(yield* times(owner, "ada@elsewhere.org")).toEqual([{ heardAt: NOON, writtenAt: null }])
      expect(yield* times(owner, "bob@elsewhere.org")).toEqual([{ heardAt: null, writtenAt: NOON }])
      expect(yield* times(owner, "eve@forged.org")).toEqual([])
      expect(yield* sql`SELECT mailbox_id FROM unread_correspondents`).toEqual([])
    }).pipe(Effect.orDie),
  )
})
