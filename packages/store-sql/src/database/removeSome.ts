/** Removing rows a few at a time, so that no transaction holds its locks for long. */
import type { SqlClient, Statement } from "@effect/sql"
import { Effect } from "effect"
import { orStorageFailure } from "./failures.js"

/** Removes up to `limit` rows that meet a condition, and returns how many. `key` is a column that identifies them. */
export const removeSome = (
  sql: SqlClient.SqlClient,
  table: string,
  key: string,
  condition: Statement.Fragment,
  limit: number,
): Effect.Effect<number> =>
  Effect.map(
    orStorageFailure(
      sql`DELETE FROM ${sql(table)} WHERE ${condition} AND ${sql(key)} IN (
          SELECT ${sql(key)} FROM ${sql(table)} WHERE ${condition} LIMIT ${limit})
        RETURNING ${sql(key)}`,
    ),
    (removed) => removed.length,
  )

/** Removes up to `limit` rows whose `expires_at` is not after `now`. */
export const removeExpired =
  (sql: SqlClient.SqlClient, table: string, key: string) =>
  (now: number, limit: number): Effect.Effect<number> =>
    removeSome(sql, table, key, sql`expires_at <= ${now}`, limit)
