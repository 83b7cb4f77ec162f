/** The pool of connections to Postgres. Every wait has a deadline: for a connection, for a statement, for an answer. */
import type { Reactivity } from "@effect/experimental"
import * as SqlClient from "@effect/sql/SqlClient"
import * as SqlError from "@effect/sql/SqlError"
import * as PgClient from "@effect/sql-pg/PgClient"
import { acquireLight } from "@mailroom/engine"
import { Effect, type Scope } from "effect"
import { type ClientConfig, type CustomTypesConfig, Pool, types as pgTypes } from "pg"
import { connectionOf, statementNames, withCode } from "./connection.js"
import { type ConnectionSemaphore, makeConnectionSemaphore } from "./connectionSemaphore.js"

/** Milliseconds to open a connection. */
const CONNECT_TIMEOUT = 3_000
/** Milliseconds after which Postgres cancels a statement, and after which we give up a server that does not answer. */
const STATEMENT_TIMEOUT = 5_000
const ANSWER_TIMEOUT = 6_000
/** Milliseconds to wait for one of the connections while all are in use. */
const MAX_WAIT = 8_000
/** SQLSTATE too_many_connections */
const TOO_MANY_CONNECTIONS = "53300"
/** Milliseconds after which Postgres ends an idle transaction: more than any use case needs between two statements. */
const IDLE_TRANSACTION_TIMEOUT = 30_000
/** Milliseconds after which an unused connection is closed. */
const IDLE_TIMEOUT = 30_000

/** `pg` returns counts and sums as text by default. Ours stay far below 2^53, so they are read as numbers. */
const NUMBERS: ReadonlySet<number> = new Set([pgTypes.builtins.INT8, pgTypes.builtins.NUMERIC])

const types: CustomTypesConfig = {
  getTypeParser: (oid, format) => (NUMBERS.has(oid) ? Number : pgTypes.getTypeParser(oid, format)),
}

const connectionOptions = (url: string): ClientConfig => ({
  connectionString: url,
  application_name: "mailroom",
  connectionTimeoutMillis: CONNECT_TIMEOUT,
  keepAlive: true,
  types,
})

/**
 * Options of a connection with deadlines. Postgres does not compile statements (JIT): it takes a search among a million messages
 * for costly, and compiling it takes longer than running it. `options` in the URL are used in place of these.
 */
export const clientOptions = (url: string): ClientConfig => ({
  ...connectionOptions(url),
  options: "-c jit=off",
  statement_timeout: STATEMENT_TIMEOUT,
  query_timeout: ANSWER_TIMEOUT,
  idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT,
})

const failed = (cause: unknown) =>
  new SqlError.SqlError({ cause: withCode(cause), message: "No connection to the database" })

const overloaded = failed(
  Object.assign(new Error("All connections are busy"), { code: TOO_MANY_CONNECTIONS }),
)

/** Reserves a client of the pool until the scope closes. A client with a problem is closed instead of reused. */
const reserveClient = (pool: Pool, connections: ConnectionSemaphore<SqlError.SqlError>) => {
  const connecting = Effect.tryPromise({
    try: async () => {
      const client = await pool.connect()
      let problem: Error | undefined
      const fail = (error: Error) => {
        problem = error
      }
      client.on("error", fail)
      return { client, fail, problem: () => problem }
    },
    catch: failed,
  })
  const acquire = Effect.zipRight(
    connections.acquire,
    Effect.tapError(connecting, () => Effect.zipRight(connections.failWaiters, connections.release)),
  )
  return acquireLight(acquire, ({ client, fail, problem }) =>
    Effect.suspend(() => {
      client.off("error", fail)
      client.release(problem())
      return Effect.zipRight(
        problem() === undefined ? Effect.void : connections.failWaiters,
        connections.release,
      )
    }),
  )
}

export interface PoolOptions {
  readonly maxConnections: number
  /** whether statements and idle transactions have deadlines; a migration has none */
  readonly deadlines: boolean
}

/** A SQL client over a pool of connections. Why not `PgClient.fromPool`: docs/decisions/0022. */
export const connect = (
  url: string,
  { maxConnections, deadlines }: PoolOptions,
): Effect.Effect<SqlClient.SqlClient, SqlError.SqlError, Scope.Scope | Reactivity.Reactivity> =>
  Effect.gen(function* () {
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const made = new Pool({
          ...(deadlines ? clientOptions(url) : connectionOptions(url)),
          max: maxConnections,
          idleTimeoutMillis: IDLE_TIMEOUT,
        })
        // An idle connection broke. The pool drops it and opens another when one is needed.
        made.on("error", () => {})
        return made
      }),
      (made) => Effect.promise(() => made.end()),
    )
    const nameOf = statementNames()

    const connections = makeConnectionSemaphore(maxConnections, MAX_WAIT, overloaded)
    const reserve = Effect.map(reserveClient(pool, connections), (client) => connectionOf(client, nameOf))

    return yield* SqlClient.make({
      acquirer: reserve,
      transactionAcquirer: reserve,
      compiler: PgClient.makeCompiler(),
      spanAttributes: [["db.system.name", "postgresql"]],
    })
  })
