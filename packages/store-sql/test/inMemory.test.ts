/** In-memory databases: a process runs the migrations for the first one only, and uses a database again that was closed. */
import { describe, expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { SqliteStore } from "@mailroom/store-sql"
import { temporaryFolder } from "@mailroom/test-services"
import { Effect } from "effect"
import { join } from "node:path"

/** Runs `body` on a database that is closed afterwards. */
const on = <A, E>(filename: string, body: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.scoped(Effect.provide(body, SqliteStore.client({ filename })))

/** The schema, and the rows that migrations write. */
const contents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    schema: yield* sql`SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name`,
    migrations: yield* sql`SELECT migration_id, name FROM schema_migrations ORDER BY migration_id`,
    compatibility: yield* sql`SELECT * FROM schema_compatibility`,
    writer: yield* sql`SELECT * FROM search_writer`,
  }
})

it.scoped("an in-memory database equals one in a file, the first and the second in a process", () =>
  Effect.gen(function* () {
    const file = yield* on(join(yield* temporaryFolder, "mailroom.db"), contents)
    expect(file.schema.length).toBeGreaterThan(80)
    expect(file.compatibility).toHaveLength(1)
    expect(file.writer).toHaveLength(1)
    yield* on(
      ":memory:",
      Effect.gen(function* () {
        for (const _ of [1, 2]) expect(yield* on(":memory:", contents)).toEqual(file)
        expect(yield* contents).toEqual(file)
      }),
    )
  }),
)

/** Leaves a mark on the connection, which is no part of the database. */
const mark = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE TEMP TABLE mark (x)`)
const isMarked = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql`SELECT 1 FROM sqlite_temp_master WHERE name = 'mark'`, (rows) => rows.length === 1),
)
const rub = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DROP TABLE IF EXISTS temp.mark`)

/** Whether the database that `body` used is the next one. */
const isUsedAgain = <E>(body: Effect.Effect<unknown, E, SqlClient.SqlClient>) =>
  Effect.zipRight(on(":memory:", Effect.zipRight(mark, body)), on(":memory:", Effect.zipLeft(isMarked, rub)))

/** A document of the search index with its words, other rows, and a change of a row that the migrations wrote. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO search_documents
    (document, message_id, mailbox_id, segment_id, created_at, size_bytes, facts, incomplete)
    VALUES (7, 'm', 'b', 1, 0, 5, 0, 0)`
  yield* sql`INSERT INTO search_words (rowid, subject) VALUES (7, 'hello')`
  yield* sql`INSERT INTO rate_limits (counter, window_start, uses) VALUES ('c', 0, 1)`
  yield* sql`UPDATE search_writer SET locked_until = 9`
})

/** How many rows each table has, what the migrations wrote, and what the index finds. */
const state = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql`SELECT name FROM pragma_table_list
    WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`
  const counts = yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(sql`SELECT count(*) AS count FROM ${sql(String(name))}`, ([row]) => [name, row?.["count"]]),
  )
  const found = yield* sql`SELECT rowid FROM search_words WHERE search_words MATCH 'hello'`
  return { counts, found, ...(yield* contents) }
})

describe("an in-memory database that was closed", () => {
  it.scoped("is used again, as empty as a new one", () =>
    Effect.gen(function* () {
      const fresh = yield* on(":memory:", state)
      expect(yield* isUsedAgain(fill)).toBe(true)
      expect(yield* on(":memory:", state)).toEqual(fresh)
      expect(fresh.found).toEqual([])
    }),
  )

  it.scoped("is not used again when its schema was changed", () =>
    Effect.gen(function* () {
      const change = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE TABLE later_things (id TEXT)`)
      expect(yield* isUsedAgain(change)).toBe(false)
    }),
  )

  it.scoped("is not used again when it was large: it would keep its memory", () =>
    Effect.gen(function* () {
      const grow = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) =>
          sql`INSERT INTO rate_limits (counter, window_start, uses) VALUES (hex(zeroblob(8000000)), 0, 1)`,
      )
      expect(yield* isUsedAgain(grow)).toBe(false)
    }),
  )

  it.scoped("is not used again when a transaction is open, and its client works no more", () =>
    Effect.gen(function* () {
      const left = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const connection = yield* Effect.scoped(sql.reserve)
        yield* connection.execute("BEGIN", [], undefined)
      })
      expect(yield* isUsedAgain(left)).toBe(false)
      const client = yield* on(":memory:", SqlClient.SqlClient)
      expect(yield* Effect.flip(client`SELECT 1`)).toMatchObject({ message: "The database is closed" })
    }),
  )
})
