/**
 * The schema of in-memory databases. The first one in a process runs the migrations; the others run the statements that recreate
 * its result, which takes a seventh of the time.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { migrate } from "../migrations/index.js"

const Statements = Schema.Array(Schema.Struct({ statement: Schema.NullOr(Schema.String) }))
const Tables = Schema.Array(Schema.Struct({ table: Schema.String, columns: Schema.String }))

export interface InMemorySchema {
  /** what makes an empty database equal to one that ran the migrations */
  readonly create: ReadonlyArray<string>
  /** a query of the names of its tables that have rows; the search index is not among them */
  readonly filled: string
  /** inserts the rows of the migrations; part of `create` */
  readonly rows: ReadonlyArray<string>
}

/** The schema of this database. The search index is empty, and makes its shadow tables itself. */
const schemaOf = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const definitions = yield* Schema.decodeUnknown(Statements)(
      yield* sql`SELECT sql AS statement FROM sqlite_master
        WHERE sql IS NOT NULL AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY rowid`,
    )
    const tables = yield* Schema.decodeUnknown(Tables)(
      yield* sql`SELECT "table", group_concat('quote("' || name || '")', ' || '','' || ') AS columns FROM (
        SELECT m.name AS "table", c.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
        WHERE m.type = 'table' AND m.name NOT IN (
          SELECT name FROM pragma_table_list WHERE type IN ('shadow', 'virtual'))
        ORDER BY m.name, c.cid) GROUP BY "table"`,
    )
    const inserts = yield* Effect.forEach(tables, ({ table, columns }) =>
      Effect.flatMap(
        sql.unsafe(
          `SELECT 'INSERT INTO "${table}" VALUES ' || group_concat('(' || ${columns} || ')') AS statement FROM "${table}"`,
        ),
        Schema.decodeUnknown(Statements),
      ),
    )
    const textsOf = (statements: typeof Statements.Type) =>
      statements.flatMap(({ statement }) => (statement === null ? [] : [statement]))
    const rows = textsOf(inserts.flat())
    const schema: InMemorySchema = {
      create: [...textsOf(definitions), ...rows],
      filled: tables
        .map(({ table }) => `SELECT '${table}' AS name WHERE EXISTS (SELECT 1 FROM "${table}")`)
        .join(" UNION ALL "),
      rows,
    }
    return schema
  })

/** The schema of this version, once a database of this process has been migrated. */
let known: InMemorySchema | null = null

/** Brings an empty in-memory database to this version's schema. */
export const migrateInMemory = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    if (known === null) {
      yield* Effect.provideService(migrate, SqlClient.SqlClient, sql)
      known = yield* schemaOf(sql)
      return known
    }
    const connection = yield* sql.reserve
    yield* Effect.forEach(
      ["BEGIN", ...known.create, "COMMIT"],
      (statement) => connection.executeUnprepared(statement, [], undefined),
      { discard: true },
    )
    return known
  }).pipe(Effect.scoped)
