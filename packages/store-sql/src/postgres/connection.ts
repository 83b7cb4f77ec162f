/**
 * A Postgres connection with prepared statements and deadlines. `@effect/sql-pg` has neither: docs/decisions/0022 says
 * what stands in the way of using it.
 */
import * as SqlError from "@effect/sql/SqlError"
import type * as SqlConnection from "@effect/sql/SqlConnection"
import { Effect, Stream } from "effect"
import type { ClientBase } from "pg"
import { codeOf } from "../database/failures.js"

/** SQLSTATE connection_failure, for driver errors that have a message and no code. */
class ConnectionLost extends Error {
  readonly code = "08006"
}

/** The driver's messages for a connection that was closed, refused or broken, and for an answer that did not come. */
const LOST_MESSAGE =
  /^(?:Connection terminated|Client (?:was closed|has encountered)|timeout |Query read timeout)/

/** Gives an error of the driver SQLSTATE 08006 when its message says that the connection is lost and it has no code. */
export const withCode = (error: unknown): unknown =>
  error instanceof Error && !("code" in error) && LOST_MESSAGE.test(error.message)
    ? new ConnectionLost(error.message, { cause: error })
    : error

/** Statements prepared on each connection: more than the stores have. Statements beyond that run unprepared. */
const PREPARED_MAX = 2000

/** Transaction control takes no parameters and gains nothing from being prepared. */
const isControl = (text: string): boolean => /^(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET)\b/.test(text)

/** Gives each statement text the name under which every connection prepares it; undefined: run it unprepared. */
export const statementNames = (): ((text: string) => string | undefined) => {
  const names = new Map<string, string>()
  return (text) => {
    const known = names.get(text)
    if (known !== undefined || names.size >= PREPARED_MAX || isControl(text)) return known
    const name = `s${names.size}`
    names.set(text, name)
    return name
  }
}

/** Postgres text cannot hold a NUL, and mail may contain one: U+FFFD replaces it. */
const withoutNul = (value: unknown): unknown =>
  typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\u{fffd}") : value

/** A client reserved for one user. */
export interface ReservedClient {
  readonly client: ClientBase
  /** Why the client cannot be used any more; undefined while it can. */
  readonly problem: () => Error | undefined
  readonly fail: (problem: Error) => void
}

/** SQLSTATE read_only_sql_transaction */
const READ_ONLY = "25006"

/**
 * Whether a connection must not be used again after this error: the driver stopped waiting for an answer, which may still arrive,
 * or the server takes no writes any more, as after a failover.
 */
const endsConnection = (error: unknown): error is Error =>
  error instanceof Error && (error.message === "Query read timeout" || codeOf(error) === READ_ONLY)

/**
 * A connection on a reserved client. A statement that has begun is uninterruptible and takes at most the client's
 * `query_timeout`. Once the client is lost, every further statement fails at once.
 */
export const connectionOf = (
  reserved: ReservedClient,
  nameOf: (text: string) => string | undefined,
): SqlConnection.Connection => {
  const query = (text: string, values: ReadonlyArray<unknown>, name?: string) =>
    Effect.async<ReadonlyArray<object>, SqlError.SqlError>((resume) => {
      const fail = (cause: unknown) =>
        resume(
          Effect.fail(new SqlError.SqlError({ cause: withCode(cause), message: "The statement failed" })),
        )
      const problem = reserved.problem()
      if (problem !== undefined) return fail(problem)
      const parameters = values.map(withoutNul)
      reserved.client.query<object>({ text, values: parameters, ...(name !== undefined && { name }) }).then(
        ({ rows }) => resume(Effect.succeed(rows)),
        (error: unknown) => {
          if (endsConnection(error)) reserved.fail(error)
          fail(error)
        },
      )
    }).pipe(Effect.uninterruptible)

  const run = (text: string, values: ReadonlyArray<unknown>) => query(text, values, nameOf(text))
  return {
    execute: (text, values, transform) =>
      transform === undefined ? run(text, values) : Effect.map(run(text, values), transform),
    executeRaw: run,
    executeUnprepared: (text, values) => query(text, values),
    executeValues: (text, values) => Effect.map(run(text, values), (rows) => rows.map(Object.values)),
    executeStream: (text, values) => Stream.fromIterableEffect(run(text, values)),
  }
}
