/** Removing rows a few at a time, so that nobody waits for a large table. */
import type { SqlClient, Statement } from "@effect/sql"
import { Effect } from "effect"
import { orStorageFailure } from "./failures.js"

/** Removes up to `limit` rows of a table that meet a condition, and returns how many; `key` tells those apart. */
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

/** The same for rows whose time is over. */
export const removeExpired =
  (sql: SqlClient.SqlClient, table: string, key: string) =>
  (now: number, limit: number): Effect.Effect<number> =>
    removeSome(sql, table, key, sql`expires_at <= ${now}`, limit)
