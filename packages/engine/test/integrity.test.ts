/** Counts and the rows they count, compared every night (docs/decisions/0044). */
import { describe, expect } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { HOUR } from "@mailroom/domain"
import { Engine, Integrity, IntegrityStore, Jobs, JobStore, StorageFailure } from "@mailroom/engine"
import { Effect, Layer, Schema, TestClock } from "effect"
import { received, receivedMany } from "./support/arrivals.js"
import { changeAccount } from "./support/changes.js"
import { correctedCounts } from "./support/integrity.js"
import { NOON, ruleWith } from "./support/mailroom.js"
import { as, pay, paying, unverified } from "./support/owners.js"
import { accountOf, listed } from "./support/reading.js"
import { readableStores } from "./support/tables.js"

const schedule = Effect.flatMap(Integrity, (integrity) => integrity.schedule)
const drain = Effect.flatMap(Jobs, (jobs) => jobs.drain)

const decodeDue = Schema.decodeUnknown(Schema.Array(Schema.Struct({ due: Schema.Int })))

/** When jobs are due, in ascending order. */
const dueTimes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* decodeDue(yield* sql`SELECT due_at AS due FROM jobs ORDER BY due_at`)
  return rows.map(({ due }) => due)
}).pipe(Effect.orDie)

/** Comparing more than `MOST_AT_ONCE` values takes the database too long. */
const MOST_AT_ONCE = 3
const slowStore = Layer.effect(
  IntegrityStore,
  Effect.map(IntegrityStore, (store) => ({
    ...store,
    compare: (check, after, limit) =>
      limit > MOST_AT_ONCE
        ? Effect.die(new StorageFailure({ reason: "exceeded", cause: new Error("statement timeout") }))
        : store.compare(check, after, limit),
  })),
)

describe("comparing counts that take the database long", () => {
  ruleWith(Layer.provideMerge(slowStore, readableStores))(
    "compares fewer at a time, and all of them",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owner = yield* paying()
      yield* receivedMany(owner.address, 2 * MOST_AT_ONCE + 1)
      yield* Effect.orDie(sql`UPDATE threads SET message_count = 4`)
      const wrong = (yield* correctedCounts).filter(({ check }) => check === "thread-messages")
      expect(wrong).toHaveLength(2 * MOST_AT_ONCE + 1)
      expect(yield* correctedCounts).toEqual([])
    }),
  )
})

describe("comparing counts with their rows", () => {
  ruleWith(readableStores)(
    "finds no wrong count after mail, files, sends, gates and deletions",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address, { files: [{ name: "menu.bin", bytes: Buffer.from("soup") }] })
      const capped = yield* unverified("capped")
      yield* changeAccount(capped, { receivedMonth: { window: "2026-03", count: 98 } })
      yield* receivedMany(capped.address, 5)
      expect((yield* accountOf(capped)).overLimitMessageCount).toBe(3)
      expect(yield* correctedCounts).toEqual([])
      yield* pay(capped)
      yield* Engine.settle
      expect(yield* correctedCounts).toEqual([])
    }),
  )

  ruleWith(readableStores)(
    "corrects each wrong count, and removes the blob of a file without a message",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owner = yield* paying()
      const { account } = yield* as(owner)
      yield* received(owner.address, { files: [{ name: "menu.bin", bytes: Buffer.from("soup") }] })
      const [message] = yield* listed(owner)
      yield* Effect.orDie(
        Effect.all([
          sql`UPDATE threads SET message_count = 4`,
          sql`UPDATE attachments SET message_id = 'gone'`,
          sql`UPDATE mailboxes SET over_limit_count = 3`,
        ]),
      )
      const { id: accountId } = account
      const found = yield* correctedCounts
      expect(found).toEqual([
        { check: "thread-messages", accountId, id: message?.threadId, stored: 4, counted: 1 },
        { check: "attachment-message", accountId, id: message?.attachments[0]?.id, stored: 1, counted: 0 },
        { check: "mailbox-gated", accountId, id: owner.mailboxId, stored: 3, counted: 0 },
        { check: "account-storage", accountId, id: accountId, stored: 4, counted: 0 },
      ])
      expect((yield* accountOf(owner)).storageUsedBytes).toBe(0)
      expect(yield* dueTimes).toHaveLength(1)
      yield* drain
      expect(yield* correctedCounts).toEqual([])
    }),
  )

  ruleWith(readableStores)(
    "is scheduled once for the next night, between 2:00 and 4:00, for any number of processes",
    Effect.gen(function* () {
      yield* unverified()
      const midnight = NOON + 12 * HOUR
      yield* Effect.all([schedule, schedule, schedule])
      const [due = 0, ...others] = yield* dueTimes
      expect(others).toEqual([])
      expect(due).toBeGreaterThanOrEqual(midnight + 2 * HOUR)
      expect(due).toBeLessThan(midnight + 4 * HOUR)
      yield* TestClock.setTime(midnight + 2 * HOUR - 1)
      yield* schedule
      expect(yield* dueTimes).toEqual([due])
      yield* TestClock.setTime(due)
      yield* drain
      expect(yield* dueTimes).toEqual([])
      yield* schedule
      const [next = 0] = yield* dueTimes
      expect(next).toBeGreaterThanOrEqual(midnight + 26 * HOUR)
    }),
  )

  ruleWith(readableStores)(
    "runs all checks in several jobs, with a pause before each",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owner = yield* paying()
      const { account } = yield* as(owner)
      // So many threads that their check takes several jobs. The last one is wrong.
      yield* Effect.orDie(
        sql`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2500)
          INSERT INTO threads (id, account_id, mailbox_id, subject, base_subject, participants, message_count,
            last_message_at, created_at)
          SELECT 'z' || printf('%05d', n), ${account.id}, ${owner.mailboxId}, '', '', '[]', n / 2500, 0, 0 FROM numbers`,
      )
      const jobs = yield* JobStore
      const spec = { kind: "check-integrity", check: "thread-messages", after: "" } as const
      yield* jobs.addOnce({ id: "tonight", spec, dueAt: NOON })
      yield* jobs.addOnce({ id: "tonight", spec, dueAt: NOON })
      let turns = 0
      for (; (yield* dueTimes).length > 0; turns++) {
        yield* drain
        yield* TestClock.adjust("1 second")
      }
      expect(turns).toBeGreaterThan(4)
      const counts = yield* Effect.orDie(sql`SELECT message_count FROM threads WHERE id = 'z02500'`)
      expect(counts).toEqual([{ message_count: 0 }])
      expect(yield* correctedCounts).toEqual([])
    }),
  )
})
