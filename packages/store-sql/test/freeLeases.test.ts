/** Freeing the leases of dead processes reads no other rows (docs/decisions/0023). */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { LEASED } from "../src/migrations/leases.js"
import { FREE } from "../src/postgres/heartbeat.js"
import { postgres } from "./support/databases.js"
import { NOON, storedAccount } from "./support/records.js"

const ROWS = 20_000

/** Fills each table with leases. Every thousandth row is leased, half of those by a dead process. */
const filled = (accountId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const fill = (table: string, columns: string, values: string) =>
      sql.unsafe(
        `INSERT INTO ${table} (${columns}, locked_until, locked_by)
          SELECT ${values}, CASE WHEN n % 1000 = 0 THEN ${NOON} ELSE 0 END,
            CASE WHEN n % 2000 = 0 THEN 'dead' ELSE 'alive' END
          FROM generate_series(1, ${ROWS}) AS rows (n)`,
      ).unprepared
    const id = "lpad(n::text, 32, '0')"
    const account = `'${accountId}'`
    yield* sql.unsafe(`INSERT INTO raw_mails (id, size_bytes, created_at, bytes) VALUES ('raw', 1, 0, '')`)
      .unprepared
    yield* fill("inbound_queue", "id, raw_id, envelope, due_at, created_at", `${id}, 'raw', '{}', ${NOON}, 0`)
    yield* fill("jobs", "id, spec, due_at, since", `${id}, '{}', ${NOON}, 0`)
    yield* fill(
      "webhooks",
      "id, account_id, url, events, header_names, sealed_secret, status, failure_count, created_at, updated_at",
      `${id}, ${account}, '', '[]', '[]', '', 'ACTIVE', 0, 0, 0`,
    )
    yield* fill(
      "domains",
      "id, account_id, domain, status, created_at, updated_at",
      `${id}, ${account}, ${id}, 'PENDING', 0, 0`,
    )
    yield* fill(
      "idempotency_keys",
      "account_id, id, fingerprint, state, expires_at",
      `${account}, ${id}, '', 'started', ${NOON}`,
    )
    yield* fill(
      "drafts",
      "id, account_id, mailbox_id, status, content, digest, attempts, size_bytes, created_at, updated_at",
      `${id}, ${account}, ${id}, 'DRAFT', '{}', '', 0, 0, 0, 0`,
    )
    yield* sql`INSERT INTO consumers (account_id, name, read_seq, created_at) VALUES (${accountId}, 'worker', 0, 0)`
    yield* fill("consumer_events", "account_id, consumer, seq, attempts", `${account}, 'worker', n, 1`)
    yield* sql`ANALYZE`.unprepared
  })

const Explained = Schema.Array(Schema.Struct({ "QUERY PLAN": Schema.String }))
const Counted = Schema.Tuple(Schema.Struct({ count: Schema.Int }))

describe("the leases of a dead process", () => {
  it.scoped("are found by an index and freed; those of living processes stay", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* filled((yield* storedAccount).id)
      yield* sql`INSERT INTO processes (id, alive_until) VALUES ('dead', 0), ('alive', 9000000000000)`
      const free = FREE.replace("$1", "ARRAY['dead', 'alive']").replace("$2", "'another'")
      const plan = (yield* Effect.flatMap(
        sql.unsafe(`EXPLAIN ${free}`).unprepared,
        Schema.decodeUnknown(Explained),
      )).map((line) => line["QUERY PLAN"])
      for (const table of LEASED) {
        expect(plan.join("\n")).toContain(`${table}_held`)
        expect(plan.filter((line) => line.includes(`Seq Scan on ${table} `))).toEqual([])
      }
      yield* sql.unsafe(free).unprepared
      for (const table of LEASED) {
        const [{ count }] = yield* Effect.flatMap(
          sql.unsafe(`SELECT count(*) AS count FROM ${table} WHERE locked_until > 0`).unprepared,
          Schema.decodeUnknown(Counted),
        )
        expect(count).toBe(ROWS / 2000)
      }
    }).pipe(Effect.provide(postgres)),
  )
})
