/**
 * The schema of in-memory databases. Tests open thousands of them. The first one in a process runs the migrations; the
 * others run the statements that recreate its result, which takes a seventh of the time.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { migrate } from "../migrations/index.js"

const Statements = Schema.Array(Schema.Struct({ statement: Schema.String }))
const Columns = Schema.Array(Schema.Struct({ table: Schema.String, columns: Schema.String }))

/**
 * Statements that make an empty database equal to this one: its tables, its indexes, and the rows of the migrations. The
 * search index is empty, and makes its shadow tables itself.
 */
const statementsOf = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const schema = yield* Schema.decodeUnknown(Statements)(
      yield* sql`SELECT sql AS statement FROM sqlite_master
        WHERE sql IS NOT NULL AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY rowid`,
    )
    const tables = yield* Schema.decodeUnknown(Columns)(
      yield* sql`SELECT "table", group_concat('quote("' || name || '")', ' || '','' || ') AS columns FROM (
        SELECT m.name AS "table", c.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
        WHERE m.type = 'table' AND m.name NOT IN (
          SELECT name FROM pragma_table_list WHERE type IN ('shadow', 'virtual'))
        ORDER BY m.name, c.cid) GROUP BY "table"`,
    )
    const rows = yield* Effect.forEach(tables, ({ table, columns }) =>
      Effect.flatMap(
        sql.unsafe(
          `SELECT 'INSERT INTO "${table}" VALUES (' || ${columns} || ')' AS statement FROM "${table}"`,
        ),
        Schema.decodeUnknown(Statements),
      ),
    )
    return [...schema, ...rows.flat()].map(({ statement }) => statement)
  })

/** The statements of this version's schema, once a database of this process has been migrated. */
let schemaStatements: ReadonlyArray<string> | null = null

/** Brings an empty in-memory database to this version's schema. */
export const migrateInMemory = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    if (schemaStatements === null) {
      yield* Effect.provideService(migrate, SqlClient.SqlClient, sql)
      schemaStatements = yield* statementsOf(sql)
      return
    }
    const connection = yield* sql.reserve
    yield* Effect.forEach(
      ["BEGIN", ...schemaStatements, "COMMIT"],
      (statement) => connection.executeUnprepared(statement, [], undefined),
      { discard: true },
    )
  }).pipe(Effect.scoped)
