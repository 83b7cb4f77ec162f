/**
 * Transactions over a SQL client. `sql.withTransaction` is not used, for two reasons. After a failed COMMIT it leaves
 * SQLite's transaction open, and all later work would become part of it. And when SQLite has already rolled back by
 * itself (full disk), its ROLLBACK fails and hides the first error.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlConnection from "@effect/sql/SqlConnection"
import { Context, Effect, Option, Scope } from "effect"
import { dialectOf } from "../dialect.js"
import { isConflict, orStorageFailure } from "./failures.js"

/** How often a transaction that the database aborted in favour of another one is run again. */
const RETRIES = 5

/** Runs an aborted transaction again. The database has rolled back everything, so this is safe. */
const retryOnConflict = <A, E, R>(effect: Effect.Effect<A, E, R>, left = RETRIES): Effect.Effect<A, E, R> =>
  Effect.catchSomeDefect(effect, (defect) =>
    left > 0 && isConflict(defect) ? Option.some(retryOnConflict(effect, left - 1)) : Option.none(),
  )

export interface Transaction {
  /**
   * All or nothing. Inside another transaction it is a savepoint and can fail alone. When the database aborts the
   * outermost transaction in favour of another one, `effect` runs again: everything it does besides its statements must
   * be safe to repeat.
   */
  readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * All or nothing for effects that fail only with defects. Inside another transaction it is part of that one, without
   * a savepoint: a defect ends both.
   */
  readonly join: <A, R>(effect: Effect.Effect<A, never, R>) => Effect.Effect<A, never, R>
  /**
   * `join` for changes that a power failure may undo, such as leases and counts of requests: the commit does not wait for
   * the disk.
   */
  readonly joinUnsynced: <A, R>(effect: Effect.Effect<A, never, R>) => Effect.Effect<A, never, R>
}

const execute = (connection: SqlConnection.Connection, text: string) =>
  Effect.asVoid(connection.execute(text, [], undefined))

/** The statements around the statements of a transaction or savepoint. */
interface Steps {
  /** null for most, which need nothing before and after */
  readonly before: string | null
  readonly after: string | null
  readonly begin: string
  readonly commit: string
  readonly rollback: ReadonlyArray<string>
}

/** Runs `effect` between `begin` and `commit`; rolls back when either fails. */
const bracket = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  connection: SqlConnection.Connection,
  steps: Steps,
): Effect.Effect<A, E, R> => {
  const { before, after } = steps
  // A ROLLBACK fails only when there is nothing left to roll back.
  const rollback = Effect.forEach(steps.rollback, (text) => Effect.ignore(execute(connection, text)))
  const begin = execute(connection, steps.begin)
  const enter = before === null ? begin : Effect.zipRight(execute(connection, before), begin)
  return Effect.zipRight(
    orStorageFailure(enter),
    Effect.matchCauseEffect(effect, {
      onFailure: (cause) => Effect.zipRight(rollback, Effect.failCause(cause)),
      onSuccess: (value) =>
        execute(connection, steps.commit).pipe(
          Effect.tapError(() => rollback),
          orStorageFailure,
          Effect.as(value),
        ),
    }),
  ).pipe((whole) =>
    after === null ? whole : Effect.ensuring(whole, Effect.ignore(execute(connection, after))),
  )
}

/** Transactions on the connections of `sql`. */
export const transactionOf = (sql: SqlClient.SqlClient): Transaction => {
  const { begin, unsynced: unsyncedSteps } = dialectOf(sql)
  const outermost: Steps = { before: null, after: null, begin, commit: "COMMIT", rollback: ["ROLLBACK"] }
  const unsynced: Steps = { ...outermost, ...unsyncedSteps }

  const part = (depth: number): Steps => ({
    before: null,
    after: null,
    begin: `SAVEPOINT part_${depth}`,
    commit: `RELEASE SAVEPOINT part_${depth}`,
    rollback: [`ROLLBACK TO SAVEPOINT part_${depth}`, `RELEASE SAVEPOINT part_${depth}`],
  })

  // `Scope.extend` would copy all services of the fiber, of which the client needs none.
  const reserveIn = (scope: Scope.Scope) =>
    sql.reserve.pipe(Effect.mapInputContext<never, Scope.Scope>(() => Context.make(Scope.Scope, scope)))

  const current = Effect.serviceOption(SqlClient.TransactionConnection)

  const runAs = <A, E, R>(steps: Steps, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        current,
        Option.match({
          onSome: ([connection, depth]) =>
            bracket(
              Effect.provideService(restore(effect), SqlClient.TransactionConnection, [
                connection,
                depth + 1,
              ]),
              connection,
              part(depth + 1),
            ),
          onNone: () =>
            retryOnConflict(
              Effect.scopedWith((scope) =>
                Effect.flatMap(restore(orStorageFailure(reserveIn(scope))), (connection) =>
                  bracket(
                    Effect.provideService(restore(effect), SqlClient.TransactionConnection, [connection, 0]),
                    connection,
                    steps,
                  ),
                ),
              ),
            ),
        }),
      ),
    )

  const within =
    (steps: Steps): Transaction["join"] =>
    (effect) =>
      Effect.flatMap(current, (open) => (Option.isSome(open) ? effect : runAs(steps, effect)))

  return {
    run: (effect) => runAs(outermost, effect),
    join: within(outermost),
    joinUnsynced: within(unsynced),
  }
}
