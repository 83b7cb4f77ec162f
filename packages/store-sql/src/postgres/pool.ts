/** Connections to Postgres: few, shared, and none that is waited for without end. */
import type { Reactivity } from "@effect/experimental"
import { SqlClient, SqlError } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { acquireLight } from "@mailroom/engine"
import { Effect, type Scope } from "effect"
import { type ClientConfig, type CustomTypesConfig, Pool, types as pgTypes } from "pg"
import { connectionOf, statementNames, withCode } from "./connection.js"
import { type ConnectionSemaphore, makeConnectionSemaphore } from "./connectionSemaphore.js"

/** Milliseconds until a connection is given up that is being made. */
const CONNECT_TIMEOUT = 3_000
/** Milliseconds until Postgres itself ends a statement, and until an answer that never comes is not waited for. */
const STATEMENT_TIMEOUT = 5_000
const ANSWER_TIMEOUT = 6_000
/** Milliseconds that work waits for a connection which other work has, while there is no trouble. */
const PATIENCE = 8_000
/** SQLSTATE too_many_connections */
const TOO_MANY_CONNECTIONS = "53300"
/** Milliseconds a transaction may sit idle: longer than any work between two statements. */
const IDLE_TRANSACTION_TIMEOUT = 30_000
/** Milliseconds until a connection that nobody uses is closed. */
const IDLE_TIMEOUT = 30_000

/** Counts and sums come as text unless told otherwise; ours stay far below 2^53. */
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

/** What a connection is opened with that must not wait for ever. */
export const clientOptions = (url: string): ClientConfig => ({
  ...connectionOptions(url),
  statement_timeout: STATEMENT_TIMEOUT,
  query_timeout: ANSWER_TIMEOUT,
  idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT,
})

const failed = (cause: unknown) =>
  new SqlError.SqlError({ cause: withCode(cause), message: "No connection to the database" })

const overloaded = failed(
  Object.assign(new Error("All connections are busy"), { code: TOO_MANY_CONNECTIONS }),
)

/** A client of the pool, until the scope closes. */
const hold = (pool: Pool, gate: ConnectionSemaphore<SqlError.SqlError>) => {
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
    gate.enter,
    Effect.tapError(connecting, () => Effect.zipRight(gate.refuseWaiting, gate.leave)),
  )
  return acquireLight(acquire, ({ client, fail, problem }) =>
    Effect.suspend(() => {
      client.off("error", fail)
      client.release(problem())
      return Effect.zipRight(problem() === undefined ? Effect.void : gate.refuseWaiting, gate.leave)
    }),
  )
}

export interface PoolOptions {
  readonly maxConnections: number
  /** whether statements and transactions are given up after a while */
  readonly deadlines: boolean
}

/** A client over a pool of connections. */
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
        // Of a connection that nobody uses: it is gone, and the next one is made when it is needed.
        made.on("error", () => {})
        return made
      }),
      (made) => Effect.promise(() => made.end()),
    )
    const nameOf = statementNames()

    const gate = makeConnectionSemaphore(maxConnections, PATIENCE, overloaded)
    const reserve = Effect.map(hold(pool, gate), (held) => connectionOf(held, nameOf))

    return yield* SqlClient.make({
      acquirer: reserve,
      transactionAcquirer: reserve,
      compiler: PgClient.makeCompiler(),
      spanAttributes: [["db.system.name", "postgresql"]],
    })
  })
