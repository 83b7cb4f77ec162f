/** Databases for tests, with their SQL client. */
import { SqlClient, Statement } from "@effect/sql"
import { SqliteStore, SqlStore } from "@mailroom/store-sql"
import * as PostgresStore from "@mailroom/store-sql/postgres"
import { freshDatabase, temporaryFolder } from "@mailroom/test-services"
import { Effect, Layer, Redacted } from "effect"
import { join } from "node:path"

/** The stores of a database and its client. */
export type Database = Layer.Layer<SqlStore.Stores | SqlClient.SqlClient, unknown>

export const sqliteAt = (filename: string) =>
  SqlStore.layer.pipe(Layer.provideMerge(SqliteStore.client({ filename })))

export const sqliteFile: Database = Layer.unwrapScoped(
  Effect.map(temporaryFolder, (folder) => sqliteAt(join(folder, "data", "mailroom.db"))),
)

export const sqliteMemory: Database = sqliteAt(":memory:")

/** Adds a column to every table except the index of words, and a table: what a later version may do to the schema while this one runs. */
const extend = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql`SELECT name FROM pragma_table_list
    WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`
  for (const { name } of tables)
    yield* sql.unsafe(`ALTER TABLE ${String(name)} ADD COLUMN of_a_later_version TEXT`)
  yield* sql`CREATE TABLE later_things (id TEXT PRIMARY KEY)`
})

/** A database whose schema a later version has extended (docs/decisions/0025). */
export const sqliteExtended: Database = Layer.tap(sqliteMemory, (context) => Effect.provide(extend, context))

/** Enough for the concurrent transactions of the tests. */
const MAX_CONNECTIONS = 10

export const postgresAt = (url: string) =>
  SqlStore.layer.pipe(
    Layer.provideMerge(PostgresStore.client({ url: Redacted.make(url), maxConnections: MAX_CONNECTIONS })),
  )

export const postgres: Database = Layer.unwrapScoped(Effect.map(freshDatabase(), postgresAt))

/** The statements that ran, by text, with the parameters of the first run. */
export type Recorded = Map<string, ReadonlyArray<unknown>>

/** The same database; records the statements that it runs. */
export const recording = (database: Database, recorded: Recorded): Database =>
  Layer.merge(
    database,
    Statement.setTransformer((statement) =>
      Effect.sync(() => {
        const [text, parameters] = statement.compile()
        if (!recorded.has(text)) recorded.set(text, parameters)
        return statement
      }),
    ),
  )

/** Whether a statement comes from a store, and not from the client (transactions, settings, migrations) or from a test. */
export const isFromStore = (text: string): boolean =>
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text) &&
  !/schema_|^UPDATE jobs SET since = due_at$|sqlite_master|pg_tables|information_schema|pg_advisory_(?:un)?lock/.test(
    text,
  )
