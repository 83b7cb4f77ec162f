/** The SQLite file of a server, opened by the test. */
import Database from "better-sqlite3"
import { Effect, Schema } from "effect"
import { join } from "node:path"

const Rows = Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
type Rows = typeof Rows.Type

const query = (database: Database.Database, sql: string): Rows =>
  Schema.decodeUnknownSync(Rows)(database.prepare(sql).all())

const withDatabase = <A>(folder: string, use: (database: Database.Database) => A): Effect.Effect<A> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Database(join(folder, "data", "mailroom.db"), { fileMustExist: true })),
    (database) => Effect.sync(() => use(database)),
    (database) => Effect.sync(() => database.close()),
  )

export const rows = (folder: string, sql: string): Effect.Effect<Rows> =>
  withDatabase(folder, (database) => query(database, sql))

/** Runs statements that change rows. */
export const change = (folder: string, ...statements: ReadonlyArray<string>): Effect.Effect<void> =>
  withDatabase(folder, (database) => {
    for (const statement of statements) database.prepare(statement).run()
  })

/** Ends the leases of a killed process, which would last for minutes. */
export const endLeases = (folder: string): Effect.Effect<void> =>
  withDatabase(folder, (database) => {
    for (const table of ["inbound_queue", "jobs", "webhooks"])
      database.prepare(`UPDATE ${table} SET locked_until = 0`).run()
  })

const text = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value)

/** Every value of every table, as one text. */
export const dump = (folder: string): Effect.Effect<string> =>
  withDatabase(folder, (database) =>
    query(database, "SELECT name FROM sqlite_master WHERE type = 'table'")
      .flatMap(({ name }) => query(database, `SELECT * FROM "${text(name)}"`))
      .map((row) => Object.values(row).map(text).join("\t"))
      .join("\n"),
  )
