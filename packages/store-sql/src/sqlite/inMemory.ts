/**
 * Databases in memory. Tests open thousands of them. One that is no longer used is emptied and used again: creating the schema and
 * preparing the statements took about half of the time that a small test spends in SQLite (docs/decisions/0080).
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlConnection from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Exit, Schema, Scope } from "effect"
import { type InMemorySchema, migrateInMemory } from "./inMemorySchema.js"

/** A larger database is not used again: one in memory keeps the pages that it once had. 8 MB. */
const MAX_PAGES = 2048

interface Database {
  readonly sql: SqlClient.SqlClient
  readonly connection: SqlConnection.Connection
  readonly schema: InMemorySchema
  /** SQLite's number of the schema, which every change of it increases */
  readonly schemaVersion: unknown
  readonly close: Effect.Effect<void>
}

/** The databases that nobody uses: empty, with the statements that were prepared on them. */
const idle: Array<Database> = []

const Names = Schema.Array(Schema.Struct({ name: Schema.String }))

/**
 * Empties a database; false when it cannot be used again: it is large, its schema was changed, or a fiber that outlived its layer
 * has a transaction open.
 */
const empty = ({ connection, schema, schemaVersion }: Database): Effect.Effect<boolean> => {
  const execute = (text: string, parameters: ReadonlyArray<unknown> = []) =>
    connection.execute(text, parameters, undefined)
  return Effect.gen(function* () {
    const fit = yield* execute(
      `SELECT 1 FROM pragma_schema_version, pragma_page_count WHERE schema_version = ? AND page_count <= ${MAX_PAGES}`,
      [schemaVersion],
    )
    if (fit.length === 0) return false
    yield* execute("BEGIN IMMEDIATE")
    yield* execute("PRAGMA defer_foreign_keys = ON")
    const filled = yield* Schema.decodeUnknown(Names)(yield* execute(schema.filled))
    for (const { name } of filled) yield* execute(`DELETE FROM "${name}"`)
    for (const insert of schema.rows) yield* execute(insert)
    yield* execute("INSERT INTO search_words (search_words) VALUES ('delete-all')")
    yield* execute("COMMIT")
    return true
  }).pipe(Effect.orElseSucceed(() => false))
}

const create = <E, R>(open: Effect.Effect<SqlClient.SqlClient, E, R>) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    return yield* Effect.gen(function* () {
      const sql = yield* open
      const schema = yield* migrateInMemory(sql)
      const [version] = yield* sql`SELECT schema_version AS version FROM pragma_schema_version`
      const connection = yield* Effect.scoped(sql.reserve)
      const close = Scope.close(scope, Exit.void)
      const database: Database = { sql, connection, schema, schemaVersion: version?.["version"], close }
      return database
    }).pipe(
      Scope.extend(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
    )
  })

const closed = new SqlError({ message: "The database is closed", cause: new Error("Its layer was closed") })

/** Reserves the connection of a database of this version's schema, which is the caller's until the scope closes. `open` opens an empty one. */
export const inMemoryConnection = <E, R>(open: Effect.Effect<SqlClient.SqlClient, E, R>) =>
  Effect.gen(function* () {
    const database = idle.pop() ?? (yield* create(open))
    let isOpen = true
    yield* Effect.addFinalizer(() => {
      isOpen = false
      return Effect.flatMap(empty(database), (isEmpty) =>
        isEmpty ? Effect.sync(() => idle.push(database)) : database.close,
      )
    })
    return Effect.suspend(() => (isOpen ? database.sql.reserve : Effect.fail(closed)))
  }).pipe(Effect.uninterruptible)
