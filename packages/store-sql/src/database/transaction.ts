/**
 * Transactions over any SQL client. Written out rather than taken from the client: after a COMMIT that failed the
 * client leaves SQLite's transaction open, and every later "commit" would be part of it; and a ROLLBACK of what
 * SQLite has rolled back by itself (a full disk) would hide the failure that led there.
 */
import { SqlClient, type SqlConnection } from "@effect/sql"
import { Effect, Option, Scope } from "effect"
import { dialectOf } from "../dialect.js"
import { isConflict, orStorageFailure } from "./failures.js"

/** How often what lost against another transaction is tried again. */
const AGAIN_MAX = 5

/** Nothing it did has happened, so it can be done anew. */
const untilWon = <A, E, R>(effect: Effect.Effect<A, E, R>, left = AGAIN_MAX): Effect.Effect<A, E, R> =>
  Effect.catchSomeDefect(effect, (defect) =>
    left > 0 && isConflict(defect) ? Option.some(untilWon(effect, left - 1)) : Option.none(),
  )

export interface Transaction {
  /**
   * All or nothing. Inside another transaction it is a part that can fail alone. Where the database ends it in favour
   * of another, it runs anew: what it does besides must bear that.
   */
  readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * All or nothing for effects that only fail by dying: inside another transaction no part of its own, since that
   * dies with it.
   */
  readonly join: <A, R>(effect: Effect.Effect<A, never, R>) => Effect.Effect<A, never, R>
  /** As `join`, for what takes or extends a lease: done when others see it, not when it would survive a power failure. */
  readonly lease: <A, R>(effect: Effect.Effect<A, never, R>) => Effect.Effect<A, never, R>
}

const execute = (connection: SqlConnection.Connection, text: string) =>
  Effect.asVoid(connection.execute(text, [], undefined))

interface Steps {
  readonly before: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
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
  const enter = Effect.forEach([...steps.before, steps.begin], (text) => execute(connection, text))
  const leave = Effect.forEach(steps.after, (text) => Effect.ignore(execute(connection, text)))
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
  ).pipe(steps.after.length === 0 ? (whole) => whole : Effect.ensuring(leave))
}

/** Transactions on the connections of `sql`. */
export const transactionOf = (sql: SqlClient.SqlClient): Transaction => {
  const { begin, lease } = dialectOf(sql)
  const outermost: Steps = { before: [], after: [], begin, commit: "COMMIT", rollback: ["ROLLBACK"] }
  const leasing: Steps = { ...outermost, ...lease }

  const part = (depth: number): Steps => ({
    before: [],
    after: [],
    begin: `SAVEPOINT part_${depth}`,
    commit: `RELEASE SAVEPOINT part_${depth}`,
    rollback: [`ROLLBACK TO SAVEPOINT part_${depth}`, `RELEASE SAVEPOINT part_${depth}`],
  })

  const current = Effect.serviceOption(SqlClient.TransactionConnection)

  const runAs = <A, E, R>(steps: Steps, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
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
            untilWon(
              Effect.scopedWith((scope) =>
                Effect.flatMap(restore(orStorageFailure(Scope.extend(sql.reserve, scope))), (connection) =>
                  enclose(
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

  return { run: (effect) => runAs(outermost, effect), join: within(outermost), lease: within(leasing) }
}
