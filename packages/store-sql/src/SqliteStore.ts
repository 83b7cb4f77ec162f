/** The stores in one SQLite file. */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { Duration, Effect, Layer } from "effect"
import { LeaseHolder } from "./database/leases.js"
import { InMemory } from "./dialect.js"
import { migrate, MIGRATIONS_TABLE } from "./migrations/index.js"
import { LEASED, SLOTS } from "./migrations/leases.js"
import { checkCompatible, checkPrepared, ownerOf } from "./schemaVersion.js"
import { keepLogShort } from "./sqlite/checkpoints.js"
import { connectionTurns } from "./sqlite/connectionTurns.js"
import { createFile, holdFile, isThere } from "./sqlite/databaseFile.js"
import { inMemoryConnection } from "./sqlite/inMemory.js"
import * as SqlStore from "./SqlStore.js"
import { fileProblems, type StoreUnusable } from "./StoreUnusable.js"

export interface SqliteOptions {
  /** path of the database file, or `:memory:` */
  readonly filename: string
}

/** The `filename` of a database in memory. */
const IN_MEMORY = ":memory:"

/**
 * - `journal_mode`, `synchronous`: a write-ahead log, synced at every commit, so an answered request survives a power
 *   failure.
 * - `busy_timeout`: milliseconds to wait while another process, such as a backup, holds the file.
 * - `cache_size`: negative, so KiB: 64 MB.
 * - `wal_autocheckpoint`: a thread does the checkpoints (docs/decisions/0011); a commit does one only when the log is
 *   longer than 60,000 pages (240 MB), which the thread prevents.
 * - `journal_size_limit`: the log file keeps up to 256 MB. A shorter file grows again in every flood, and syncing a file
 *   that grows takes longer than syncing one that is written over.
 */
const PRAGMAS = [
  "journal_mode = WAL",
  "synchronous = FULL",
  "foreign_keys = ON",
  "busy_timeout = 5000",
  "cache_size = -65536",
  "temp_store = MEMORY",
  "wal_autocheckpoint = 60000",
  "journal_size_limit = 268435456",
]

/** Statements that stay prepared: more than the stores have. */
const PREPARED_STATEMENTS = 1000

const open = (filename: string) =>
  SqliteClient.make({
    filename,
    // `PRAGMAS` sets it, after the check that the file is a database of ours.
    disableWAL: true,
    prepareCacheSize: PREPARED_STATEMENTS,
    prepareCacheTTL: Duration.infinity,
  })

/**
 * A client that reserves the connection for the whole of each statement. `SqliteClient` itself releases the connection
 * before it runs a statement outside a transaction. Such a statement may then run inside the transaction of another
 * fiber, and be rolled back with it.
 */
const clientOn = ({
  statement,
  transaction,
}: Readonly<Record<"statement" | "transaction", SqlClient.SqlClient["reserve"]>>) =>
  SqlClient.make({
    acquirer: statement,
    transactionAcquirer: transaction,
    compiler: Statement.makeCompilerSqlite(),
    beginTransaction: "BEGIN IMMEDIATE",
    spanAttributes: [["db.system.name", "sqlite"]],
  })

const connect = (filename: string) =>
  open(filename).pipe(
    Effect.flatMap(({ reserve }) => Effect.scoped(reserve)),
    Effect.flatMap((connection) => clientOn(connectionTurns(connection))),
  )

const owner = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name = ${MIGRATIONS_TABLE} DESC LIMIT 1`,
    ([table]) => ownerOf(table?.["name"]),
  )

const setPragmas = (sql: SqlClient.SqlClient) =>
  Effect.forEach(PRAGMAS, (pragma) => sql.unsafe(`PRAGMA ${pragma}`), { discard: true })

const openFile = (filename: string) =>
  Effect.gen(function* () {
    yield* createFile(filename)
    yield* holdFile(filename)
    const sql = yield* connect(filename)
    if ((yield* owner(sql)) === "foreign") return yield* fileProblems(filename).foreign
    yield* setPragmas(sql)
    yield* Effect.provideService(migrate, SqlClient.SqlClient, sql)
    yield* checkCompatible(sql, fileProblems(filename).newerSchema)
    // This process has the file for itself, so no lease in it belongs to a running process.
    for (const leased of LEASED) yield* sql`UPDATE ${sql(leased)} SET locked_until = 0 WHERE locked_until > 0`
    for (const slots of SLOTS) yield* sql`DELETE FROM ${sql(slots)}`
    yield* keepLogShort(filename)
    return sql
  })

const openInMemory = inMemoryConnection(Effect.tap(open(IN_MEMORY), setPragmas)).pipe(
  Effect.flatMap((reserve) => clientOn({ statement: reserve, transaction: reserve })),
  Effect.map((sql) => Object.assign(sql, { [InMemory]: true })),
)

const openDatabase = (filename: string) =>
  Effect.catchAllCause(filename === IN_MEMORY ? openInMemory : openFile(filename), (cause) =>
    fileProblems(filename).failedToOpen(cause),
  )

/** The client of the database, which is created when absent and brought to this version's schema. */
export const client = ({
  filename,
}: SqliteOptions): Layer.Layer<SqlClient.SqlClient | LeaseHolder, StoreUnusable> =>
  Layer.scoped(SqlClient.SqlClient, openDatabase(filename)).pipe(
    Layer.provide(Reactivity.layer),
    Layer.merge(LeaseHolder.layer),
  )

/**
 * Every store in the SQLite database `filename`. Creates the file and its folder when absent. Only one layer at a time can
 * open a file, across all processes; a second one fails with `StoreUnusable`.
 */
export const layer = (options: SqliteOptions): Layer.Layer<SqlStore.Stores, StoreUnusable> =>
  Layer.provide(SqlStore.layer, client(options))

const openBeside = (filename: string) => {
  const problems = fileProblems(filename)
  return Effect.gen(function* () {
    // SQLite would create an absent file.
    if (!(yield* isThere(filename))) return yield* problems.empty
    const sql = yield* connect(filename)
    yield* checkPrepared(sql, yield* owner(sql), problems)
    yield* setPragmas(sql)
    return sql
  }).pipe(Effect.catchAllCause(problems.failedToOpen))
}

/**
 * The stores for a command that runs beside the service on the same file. It does not migrate and frees no lease. Fails
 * unless the service has brought the database to this version's schema. The service waits for the command's transactions,
 * so they must be short.
 */
export const besideService = ({ filename }: SqliteOptions): Layer.Layer<SqlStore.Stores, StoreUnusable> =>
  SqlStore.layer.pipe(
    Layer.provide(Layer.scoped(SqlClient.SqlClient, openBeside(filename))),
    Layer.provide([Reactivity.layer, LeaseHolder.layer]),
  )
