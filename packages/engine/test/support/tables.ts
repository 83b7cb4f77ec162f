/** Reads the whole database as text, for tests of what no table may hold. */
import { SqlClient } from "@effect/sql"
import { SqliteStore, SqlStore } from "@mailroom/store-sql"
import { Effect, Layer, Schema } from "effect"

/** Stores on a database that the test can read. */
export const readableStores = Layer.fresh(SqlStore.layer).pipe(
  Layer.provideMerge(SqliteStore.client({ filename: ":memory:" })),
  Layer.orDie,
)

const decodeNames = Schema.decodeUnknown(Schema.Array(Schema.Struct({ name: Schema.String })))

const textOf = (value: unknown): string =>
  value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)

/** All tables, with one line of text for each row. */
const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const names = yield* decodeNames(yield* sql`SELECT name FROM sqlite_master WHERE type = 'table'`)
  return yield* Effect.forEach(names, ({ name }) =>
    Effect.map(sql`SELECT * FROM ${sql(name)}`, (rows) => ({
      name,
      rows: rows.map((row) => Object.values(row).map(textOf).join(" ")),
    })),
  )
}).pipe(Effect.orDie)

/** The names of the tables that contain any of these texts. */
export const tablesWith = (texts: ReadonlyArray<string>) =>
  Effect.map(tables, (all) =>
    all
      .filter(({ rows }) => rows.some((row) => texts.some((text) => row.includes(text))))
      .map(({ name }) => name)
      .sort(),
  )
