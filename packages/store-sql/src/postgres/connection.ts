/**
 * A connection to Postgres as the stores use it. Written out rather than taken from `@effect/sql-pg`: that one prepares
 * no statement, so that Postgres parses and plans each anew; and it waits for ever for a server that says nothing.
 */
import { SqlError, type SqlConnection } from "@effect/sql"
import { Effect, Stream } from "effect"
import type { ClientBase } from "pg"

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

/** Every statement the stores run fits, in all its lengths. What comes beyond is run unprepared. */
const PREPARED_MAX = 2000

/** A transaction's own words take no parameters, and go as they are. */
const isControl = (text: string): boolean => /^(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET)\b/.test(text)

/** Names for statements, the same on every connection. */
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

/** Postgres has no NUL in text, and mail may have any character: it becomes the one that says so. */
const withoutNul = (value: unknown): unknown =>
  typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\u{fffd}") : value

/** A client that nobody else uses meanwhile, and what became of it. */
export interface Held {
  readonly client: ClientBase
  /** why it cannot be used any more */
  readonly problem: () => Error | undefined
  readonly fail: (problem: Error) => void
}

/** Not waited for any longer. The answer may still come, so nobody may use that connection again. */
const isGivenUp = (error: unknown): error is Error =>
  error instanceof Error && error.message === "Query read timeout"

/**
 * Statements on a held client. One that has begun is waited for, as long as the client's `query_timeout` at most; what
 * comes after a lost connection fails at once.
 */
export const connectionOf = (
  held: Held,
  nameOf: (text: string) => string | undefined,
): SqlConnection.Connection => {
  const query = (text: string, values: ReadonlyArray<unknown>, name?: string) =>
    Effect.async<ReadonlyArray<object>, SqlError.SqlError>((resume) => {
      const fail = (cause: unknown) =>
        resume(
          Effect.fail(new SqlError.SqlError({ cause: withCode(cause), message: "The statement failed" })),
        )
      const problem = held.problem()
      if (problem !== undefined) return fail(problem)
      const parameters = values.map(withoutNul)
      held.client.query<object>({ text, values: parameters, ...(name !== undefined && { name }) }).then(
        ({ rows }) => resume(Effect.succeed(rows)),
        (error: unknown) => {
          if (isGivenUp(error)) held.fail(error)
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
