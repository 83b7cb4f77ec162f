/** The stores in a Postgres database, which any number of processes may share. */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import { Signals, type Topic } from "@mailroom/engine"
import { Clock, Context, Effect, Layer, Queue, Redacted, Schema, type Scope } from "effect"
import { orStorageFailure } from "./database/failures.js"
import { LeaseHolder } from "./database/leases.js"
import { all, rowsOf } from "./database/Table.js"
import { transactionOf } from "./database/transaction.js"
import { migrate, MIGRATIONS_TABLE, SCHEMA_VERSION } from "./migrations/index.js"
import { keepHeartbeat } from "./postgres/heartbeat.js"
import { keepListenConnection } from "./postgres/listenConnection.js"
import { connect } from "./postgres/pool.js"
import * as PostgresSignals from "./postgres/PostgresSignals.js"
import { checkCompatible, checkPrepared, ownerOf, schemaVersion } from "./schemaVersion.js"
import * as SqlStore from "./SqlStore.js"
import { serverProblems, type StoreUnusable } from "./StoreUnusable.js"

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database?sslmode=…` */
  readonly url: Redacted.Redacted
  /** size of the pool; the process has one more connection, to listen and to send heartbeats */
  readonly maxConnections: number
}

/** The address of the database without user and password. */
const addressOf = (url: string): string => {
  const { hostname, port, pathname } = new URL(url)
  return `postgres://${hostname}${port === "" ? "" : `:${port}`}${pathname}`
}

/** Key of the advisory lock that the migrating process holds. The number is arbitrary. */
const MIGRATION_LOCK = 7_245_110_903

/** The queues whose work a dead process may have leased. */
const WORK: ReadonlyArray<Topic> = ["mail", "mail-backlog", "mail-slow", "jobs", "webhooks"]

const owner = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql`SELECT tablename FROM pg_tables WHERE schemaname = current_schema()
      ORDER BY tablename = ${MIGRATIONS_TABLE} DESC LIMIT 1`,
    ([table]) => ownerOf(table?.["tablename"]),
  )

const tables = rowsOf(Schema.Struct({ name: Schema.String }))

/**
 * Locks the tables until the transaction ends, in the order in which transactions of the service lock their rows. A migration
 * that locked one table after the other would deadlock with a busy process of the older version, and lose its work. Not the
 * heartbeats of `processes`: without them, other processes would take this work for that of a dead process.
 */
const lockTables = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const found = yield* all(
      tables,
      sql`SELECT quote_ident(tablename) AS name FROM pg_tables
        WHERE schemaname = current_schema() AND tableowner = current_user AND tablename <> 'processes'
        ORDER BY array_position(ARRAY['accounts', 'mailboxes', 'threads', 'messages'], tablename::text) NULLS LAST, tablename`,
    )
    const names = found.map(({ name }) => name).join(", ")
    if (names !== "") yield* orStorageFailure(sql.unsafe(`LOCK TABLE ${names} IN ACCESS EXCLUSIVE MODE`))
  })

/** Migrates a database that has tables, beside processes of older versions. Begins again after a deadlock. */
const migrateBeside = (sql: SqlClient.SqlClient) =>
  transactionOf(sql).run(Effect.zipRight(lockTables(sql), migrate))

/** Brings the database to this version's schema. When several processes start at once, one migrates and the others wait. */
const prepare = (url: string) =>
  Effect.gen(function* () {
    // One connection, because the lock belongs to the session.
    const sql = yield* connect(url, { maxConnections: 1, deadlines: false })
    // A migration may take long, also where the role of the service has deadlines.
    yield* sql`SET statement_timeout = 0`
    yield* sql`SET lock_timeout = 0`
    yield* sql`SET idle_in_transaction_session_timeout = 0`
    yield* sql`SELECT pg_advisory_lock(${MIGRATION_LOCK})`
    const found = yield* owner(sql)
    if (found === "foreign") return yield* serverProblems(addressOf(url)).foreign
    const migration = found === "empty" ? migrate : migrateBeside(sql)
    if (found === "empty" || (yield* schemaVersion(sql)) < SCHEMA_VERSION)
      yield* Effect.provideService(migration, SqlClient.SqlClient, sql)
    return yield* checkCompatible(sql, serverProblems(addressOf(url)).newerSchema)
  }).pipe(Effect.scoped)

type Services = SqlClient.SqlClient | LeaseHolder | Signals

const open = ({ url: secret, maxConnections }: PostgresOptions) => {
  const url = Redacted.value(secret)
  return Effect.gen(function* () {
    const holder = yield* LeaseHolder
    yield* prepare(url)
    const sql = yield* connect(url, { maxConnections, deadlines: true })
    const { signals, wake, onNotification, onConnected, run } = yield* PostgresSignals.make(holder)
    const reconnected = yield* Queue.sliding<void>(1)
    const connection = yield* keepListenConnection(url, {
      onNotification,
      onConnected: (made) => Effect.zipLeft(onConnected(made), Queue.offer(reconnected, undefined)),
    })
    yield* run(connection)
    yield* keepHeartbeat(connection, holder, reconnected, {
      onFreed: (accountIds) => signals.publish([...WORK, ...accountIds.map((id): Topic => `events:${id}`)]),
      onTakenForDead: Effect.sync(() => wake(["stream-slots"])),
    })
    return Context.make(SqlClient.SqlClient, sql).pipe(
      Context.add(LeaseHolder, holder),
      Context.add(Signals, signals),
    )
  }).pipe(
    // Connections and heartbeats use the real clock even under `TestClock`.
    Effect.withClock(Clock.make()),
    Effect.catchAllCause((cause) => serverProblems(addressOf(url)).failedToOpen(cause)),
  )
}

/** The client of the database, brought to this version's schema, and the signals between its processes. */
export const client = (options: PostgresOptions): Layer.Layer<Services, StoreUnusable> =>
  Layer.scopedContext<Services, StoreUnusable, Scope.Scope | LeaseHolder | Reactivity.Reactivity>(
    open(options),
  ).pipe(Layer.provide([Reactivity.layer, LeaseHolder.layer]))

/**
 * Every store in the database at `url`, and the signals between the processes that use it. While the database is away,
 * every operation dies as `StorageFailure` within ten seconds. The stores recover by themselves.
 */
export const layer = (options: PostgresOptions): Layer.Layer<SqlStore.Stores | Signals, StoreUnusable> =>
  Layer.provideMerge(SqlStore.layer, client(options))

const openBeside = ({ url: secret, maxConnections }: PostgresOptions) => {
  const url = Redacted.value(secret)
  const problems = serverProblems(addressOf(url))
  return Effect.gen(function* () {
    const sql = yield* connect(url, { maxConnections, deadlines: true })
    yield* checkPrepared(sql, yield* owner(sql), problems)
    return sql
  }).pipe(Effect.catchAllCause(problems.failedToOpen))
}

/**
 * The stores for a command that runs beside the service. It does not migrate, sends no heartbeats and receives no
 * signals. Fails unless the service has brought the database to this version's schema.
 */
export const besideService = (options: PostgresOptions): Layer.Layer<SqlStore.Stores, StoreUnusable> =>
  SqlStore.layer.pipe(
    Layer.provide(Layer.scoped(SqlClient.SqlClient, openBeside(options))),
    Layer.provide([Reactivity.layer, LeaseHolder.layer]),
  )
