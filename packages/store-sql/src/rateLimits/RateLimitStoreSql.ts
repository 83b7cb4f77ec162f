/** Rate limits in SQL: a row counts the uses of a key in one window. */
import * as SqlClient from "@effect/sql/SqlClient"
import { RateLimitStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { all, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"

const counts = rowsOf(Schema.Struct({ uses: Schema.Int }))

const usesIn = (rows: ReadonlyArray<{ readonly uses: number }>): number =>
  rows.reduce((sum, { uses }) => sum + uses, 0)

const make = (sql: SqlClient.SqlClient): RateLimitStore["Type"] => {
  // Each statement has a transaction, so that it is retried when Postgres aborts it in favour of another. Counting does
  // not wait for the disk: a power failure may undo the counts of its last moment.
  const { join, joinUnsynced } = transactionOf(sql)
  return {
    count: (key, windowStart) =>
      joinUnsynced(
        Effect.map(
          all(
            counts,
            sql`INSERT INTO rate_limits (counter, window_start, uses) VALUES (${key}, ${windowStart}, 1)
              ON CONFLICT (counter, window_start) DO UPDATE SET uses = rate_limits.uses + 1 RETURNING uses`,
          ),
          usesIn,
        ),
      ),
    used: (key, windowStart) =>
      Effect.map(
        all(
          counts,
          sql`SELECT uses FROM rate_limits WHERE counter = ${key} AND window_start = ${windowStart}`,
        ),
        usesIn,
      ),
    refund: (key, windowStart) =>
      joinUnsynced(
        run(
          sql`UPDATE rate_limits SET uses = uses - 1
            WHERE counter = ${key} AND window_start = ${windowStart} AND uses > 0`,
        ),
      ),
    reset: (key) => joinUnsynced(run(sql`DELETE FROM rate_limits WHERE counter = ${key}`)),
    removeBefore: (start, limit) =>
      join(
        Effect.map(
          all(
            counts,
            sql`DELETE FROM rate_limits WHERE (counter, window_start) IN (
                SELECT counter, window_start FROM rate_limits WHERE window_start < ${start}
                ORDER BY window_start LIMIT ${limit})
              RETURNING uses`,
          ),
          (removed) => removed.length,
        ),
      ),
  }
}

export const RateLimitStoreSql: Layer.Layer<RateLimitStore, never, SqlClient.SqlClient> = Layer.effect(
  RateLimitStore,
  Effect.map(SqlClient.SqlClient, make),
)
