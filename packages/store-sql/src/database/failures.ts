/** Errors of the database in the words of the ports. */
import type { SqlError } from "@effect/sql"
import { StorageFailure } from "@mailroom/engine"
import { Effect, type ParseResult } from "effect"

type Reason = StorageFailure["reason"]

/** The first code in a chain of causes: SQLite's extended result code, a SQLSTATE, or a system error's. */
export const codeOf = (error: unknown): string | null => {
  let current = error
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if ("code" in current && typeof current.code === "string") return current.code
    current = current.cause
  }
  return null
}

/** Tried in this order; a code that none matches is a fault of ours. */
const reasons: ReadonlyArray<readonly [pattern: RegExp, reason: Reason]> = [
  // SQLite reports a full disk as either, depending on which of its files could not grow.
  [/^(?:SQLITE_FULL|SQLITE_IOERR_WRITE|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/, "full"],
  // SQLSTATE disk_full
  [/^53100$/, "full"],
  [/^SQLITE_(?:BUSY|LOCKED|IOERR|CANTOPEN|READONLY|PROTOCOL|INTERRUPT)(?:_|$)/, "unavailable"],
  // SQLSTATE query_canceled (a statement's time is up), out_of_memory, program_limit_exceeded
  [/^(?:57014|53200|54...)$/, "exceeded"],
  [/^SQLITE_(?:NOMEM|TOOBIG)$/, "exceeded"],
  // SQLSTATE: connection exceptions, serialisation, resources, locks not to be had, shutdown, system errors
  [/^(?:08...|40...|53...|55P03|57...|58...)$/, "unavailable"],
  [/^(?:ECONN[A-Z]+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/, "unavailable"],
]

/** The storage failure that an error of the database, or of reading its rows, is. */
export const storageFailure = (cause: unknown): StorageFailure => {
  const code = codeOf(cause) ?? ""
  const reason = reasons.find(([pattern]) => pattern.test(code))?.[1] ?? "unexpected"
  return new StorageFailure({ reason, cause })
}

/** Whether a statement failed, and so died, because another row has what must be unique. */
export const isUniqueViolation = (defect: unknown): boolean =>
  defect instanceof StorageFailure && /^(?:SQLITE_CONSTRAINT_UNIQUE|23505)$/.test(codeOf(defect.cause) ?? "")

/** Whether a transaction only lost against another, by deadlock or serialisation, and would do the same thing again. */
export const isConflict = (defect: unknown): boolean =>
  defect instanceof StorageFailure && /^40(?:001|P01)$/.test(codeOf(defect.cause) ?? "")

/** Lets a failing database, or a row we cannot read, die as `StorageFailure`. */
export const orStorageFailure = <A, R>(
  effect: Effect.Effect<A, SqlError.SqlError | ParseResult.ParseError, R>,
): Effect.Effect<A, never, R> => Effect.catchAll(effect, (error) => Effect.die(storageFailure(error)))
