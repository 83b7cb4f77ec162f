/** The stores in one SQLite file. */
import { Reactivity } from "@effect/experimental"
import { SqlClient, Statement } from "@effect/sql"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { Duration, Effect, Layer } from "effect"
import { LeaseHolder } from "./database/leases.js"
import { migrate, MIGRATIONS_TABLE } from "./migrations/index.js"
import { LEASED } from "./migrations/leases.js"
import { checkCompatible, checkPrepared, ownerOf } from "./schemaVersion.js"
import { keepLogShort } from "./sqlite/checkpoints.js"
import { createFile, holdFile, isThere } from "./sqlite/databaseFile.js"
import { migrateInMemory } from "./sqlite/inMemory.js"
import * as SqlStore from "./SqlStore.js"
import { fileProblems, type StoreUnusable } from "./StoreUnusable.js"

export interface SqliteOptions {
  /** of the database, or `:memory:` */
  readonly filename: string
}

/**
 * With a write-ahead log readers never wait for the disk. `FULL` syncs the log at every commit: what was answered
 * survives a power failure. Another process may hold the file for a moment (a backup): wait for it, milliseconds.
 * A negative size is KiB. A thread folds the log back (docs/decisions/0011), a commit only beyond 32,000 pages (128 MB);
 * the log keeps no more than 64 MB of disk.
 */
const PRAGMAS = [
  "journal_mode = WAL",
  "synchronous = FULL",
  "foreign_keys = ON",
  "busy_timeout = 5000",
  "cache_size = -65536",
  "temp_store = MEMORY",
  "wal_autocheckpoint = 32000",
  "journal_size_limit = 67108864",
]

/** Every statement the stores run fits, in all its lengths. */
const PREPARED_STATEMENTS = 1000

/**
 * A client whose statements hold the connection until they have run. The client as it comes gives the connection back
 * before it runs a statement outside a transaction, so that the statement can slip into a transaction of another
 * fiber, and be rolled back with it.
 */
const connect = (filename: string) =>
  Effect.gen(function* () {
    const sqlite = yield* SqliteClient.make({
      filename,
      // Set with the others, once the file is known to be ours.
      disableWAL: true,
      prepareCacheSize: PREPARED_STATEMENTS,
      prepareCacheTTL: Duration.infinity,
    })
    return yield* SqlClient.make({
      acquirer: sqlite.reserve,
      transactionAcquirer: sqlite.reserve,
      compiler: Statement.makeCompilerSqlite(),
      beginTransaction: "BEGIN IMMEDIATE",
      spanAttributes: [["db.system.name", "sqlite"]],
    })
  })

const owner = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name = ${MIGRATIONS_TABLE} DESC LIMIT 1`,
    ([table]) => ownerOf(table?.["name"]),
  )

const openDatabase = (filename: string) =>
  Effect.gen(function* () {
    yield* createFile(filename)
    if (filename !== ":memory:") yield* holdFile(filename)
    const sql = yield* connect(filename)
    if ((yield* owner(sql)) === "foreign") return yield* fileProblems(filename).foreign
    for (const pragma of PRAGMAS) yield* sql.unsafe(`PRAGMA ${pragma}`)
    yield* filename === ":memory:"
      ? migrateInMemory(sql)
      : Effect.provideService(migrate, SqlClient.SqlClient, sql)
    yield* checkCompatible(sql, fileProblems(filename).newerSchema)
    // The file is this process's alone: whoever held a lease has gone.
    for (const leased of LEASED) yield* sql`UPDATE ${sql(leased)} SET locked_until = 0 WHERE locked_until > 0`
    yield* sql`DELETE FROM stream_places`
    if (filename !== ":memory:") yield* keepLogShort(filename)
    return sql
  }).pipe(Effect.catchAllCause((cause) => fileProblems(filename).failedToOpen(cause)))

/** The database alone: created, opened, and brought to this version's schema. */
export const client = ({
  filename,
}: SqliteOptions): Layer.Layer<SqlClient.SqlClient | LeaseHolder, StoreUnusable> =>
  Layer.scoped(SqlClient.SqlClient, openDatabase(filename)).pipe(
    Layer.provide(Reactivity.layer),
    Layer.merge(LeaseHolder.layer),
  )

/**
 * Every store in the SQLite database `filename`, which is created with its folder when it is not there. One layer at a time
 * has the file, in whatever process: another fails with `StoreUnusable`.
 */
export const layer = (options: SqliteOptions): Layer.Layer<SqlStore.Stores, StoreUnusable> =>
  Layer.provide(SqlStore.layer, client(options))

const openBeside = (filename: string) => {
  const problems = fileProblems(filename)
  return Effect.gen(function* () {
    // Opening creates a file that is absent.
    if (!(yield* isThere(filename))) return yield* problems.empty
    const sql = yield* connect(filename)
    yield* checkPrepared(sql, yield* owner(sql), problems)
    for (const pragma of PRAGMAS) yield* sql.unsafe(`PRAGMA ${pragma}`)
    return sql
  }).pipe(Effect.catchAllCause(problems.failedToOpen))
}

/**
 * The stores for a command beside the service that runs on the file: creates nothing and frees no lease. Fails when the
 * service has not prepared the database for this version. Its transactions make the service wait, so they have to be short.
 */
export const besideService = ({ filename }: SqliteOptions): Layer.Layer<SqlStore.Stores, StoreUnusable> =>
  SqlStore.layer.pipe(
    Layer.provide(Layer.scoped(SqlClient.SqlClient, openBeside(filename))),
    Layer.provide([Reactivity.layer, LeaseHolder.layer]),
  )
