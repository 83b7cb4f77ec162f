/**
 * Transactions over any SQL client. Written out rather than taken from the client: after a COMMIT that failed the
 * client leaves SQLite's transaction open, and every later "commit" would be part of it; and a ROLLBACK of what
 * SQLite has rolled back by itself (a full disk) would hide the failure that led there.
 */
import { SqlClient, type SqlConnection } from "@effect/sql"
import { Effect, Option, Scope } from "effect"
import { dialectOf } from "../dialect.js"
import { orStorageFailure } from "./failures.js"

export interface Transaction {
  /** All or nothing. Inside another transaction it is a part that can fail alone. */
  readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * All or nothing for effects that only fail by dying: inside another transaction no part of its own, since that
   * dies with it.
   */
  readonly join: <A, R>(effect: Effect.Effect<A, never, R>) => Effect.Effect<A, never, R>
}

const execute = (connection: SqlConnection.Connection, text: string) =>
  Effect.asVoid(connection.execute(text, [], undefined))

interface Steps {
  readonly begin: string
  readonly commit: string
  readonly rollback: ReadonlyArray<string>
}

const enclose = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  connection: SqlConnection.Connection,
  steps: Steps,
): Effect.Effect<A, E, R> => {
  // Fails only where there is nothing left to roll back.
  const rollback = Effect.forEach(steps.rollback, (text) => Effect.ignore(execute(connection, text)))
  return Effect.zipRight(
    orStorageFailure(execute(connection, steps.begin)),
    Effect.matchCauseEffect(effect, {
      onFailure: (cause) => Effect.zipRight(rollback, Effect.failCause(cause)),
      onSuccess: (value) =>
        execute(connection, steps.commit).pipe(
          Effect.tapError(() => rollback),
          orStorageFailure,
          Effect.as(value),
        ),
    }),
  )
}

/** Transactions on the connections of `sql`. */
export const transactionOf = (sql: SqlClient.SqlClient): Transaction => {
  const outermost: Steps = { begin: dialectOf(sql).begin, commit: "COMMIT", rollback: ["ROLLBACK"] }

  const part = (depth: number): Steps => ({
    begin: `SAVEPOINT part_${depth}`,
    commit: `RELEASE SAVEPOINT part_${depth}`,
    rollback: [`ROLLBACK TO SAVEPOINT part_${depth}`, `RELEASE SAVEPOINT part_${depth}`],
  })

  const current = Effect.serviceOption(SqlClient.TransactionConnection)

  const run: Transaction["run"] = (effect) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        current,
        Option.match({
          onSome: ([connection, depth]) =>
            enclose(
              Effect.provideService(restore(effect), SqlClient.TransactionConnection, [
                connection,
                depth + 1,
              ]),
              connection,
              part(depth + 1),
            ),
          onNone: () =>
            Effect.scopedWith((scope) =>
              Effect.flatMap(restore(orStorageFailure(Scope.extend(sql.reserve, scope))), (connection) =>
                enclose(
                  Effect.provideService(restore(effect), SqlClient.TransactionConnection, [connection, 0]),
                  connection,
                  outermost,
                ),
              ),
            ),
        }),
      ),
    )

  return {
    run,
    join: (effect) => Effect.flatMap(current, (open) => (Option.isSome(open) ? effect : run(effect))),
  }
}
