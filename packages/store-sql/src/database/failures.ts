/** Maps errors of SQLite, Postgres and the system to `StorageFailure`. */
import type { SqlError } from "@effect/sql"
import { StorageFailure } from "@mailroom/engine"
import { Effect, type ParseResult } from "effect"

type Reason = StorageFailure["reason"]

/** An error, its cause, the cause of that, and so on: five errors at most. */
const chainOf = (error: unknown): ReadonlyArray<Error> => {
  const chain: Array<Error> = []
  for (let current = error; chain.length < 5 && current instanceof Error; current = current.cause)
    chain.push(current)
  return chain
}

/** The first code in a chain of causes: a SQLite extended result code, a SQLSTATE, or the code of a system error. */
export const codeOf = (error: unknown): string | null => {
  for (const one of chainOf(error)) if ("code" in one && typeof one.code === "string") return one.code
  return null
}

/** What the innermost error of a chain of causes says, in one line. */
export const reasonOf = (error: unknown): string =>
  chainOf(error).at(-1)?.message.split("\n")[0] || "unknown error"

/** The first match counts. A code without a match is a bug of ours: `unexpected`. */
const reasons: ReadonlyArray<readonly [pattern: RegExp, reason: Reason]> = [
  // SQLite reports a full disk as either, depending on which of its files could not grow.
  [/^(?:SQLITE_FULL|SQLITE_IOERR_WRITE|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/, "full"],
  // SQLSTATE disk_full
  [/^53100$/, "full"],
  [/^SQLITE_(?:BUSY|LOCKED|IOERR|CANTOPEN|READONLY|PROTOCOL|INTERRUPT)(?:_|$)/, "unavailable"],
  // SQLSTATE query_canceled (the statement timeout), out_of_memory, program_limit_exceeded
  [/^(?:57014|53200|54...)$/, "exceeded"],
  [/^SQLITE_(?:NOMEM|TOOBIG)$/, "exceeded"],
  // SQLSTATE classes: connection exceptions, read_only_sql_transaction, transaction rollback, resources, lock not available,
  // shutdown, system errors
  [/^(?:08...|25006|40...|53...|55P03|57...|58...)$/, "unavailable"],
  [/^(?:ECONN[A-Z]+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/, "unavailable"],
]

/** The storage failure for an error of the database or of decoding its rows. */
export const storageFailure = (cause: unknown): StorageFailure => {
  const code = codeOf(cause) ?? ""
  const reason = reasons.find(([pattern]) => pattern.test(code))?.[1] ?? "unexpected"
  return new StorageFailure({ reason, cause })
}

/** Whether a statement died because it violated a unique index. */
export const isUniqueViolation = (defect: unknown): boolean =>
  defect instanceof StorageFailure && /^(?:SQLITE_CONSTRAINT_UNIQUE|23505)$/.test(codeOf(defect.cause) ?? "")

/** Whether the database aborted a transaction in favour of another one (deadlock or serialisation failure). */
export const isConflict = (defect: unknown): boolean =>
  defect instanceof StorageFailure && /^40(?:001|P01)$/.test(codeOf(defect.cause) ?? "")

/** Turns a failing statement, or a row that does not decode, into the defect `StorageFailure`. */
export const orStorageFailure = <A, R>(
  effect: Effect.Effect<A, SqlError.SqlError | ParseResult.ParseError, R>,
): Effect.Effect<A, never, R> => Effect.catchAll(effect, (error) => Effect.die(storageFailure(error)))
