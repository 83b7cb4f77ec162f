/** Sessions in SQL. */
import { SqlClient } from "@effect/sql"
import { AccountId, Instant } from "@mailroom/domain"
import { SessionStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { insertInto, isAmong } from "../database/batches.js"
import { removeExpired } from "../database/removeSome.js"
import { all, first, rowsOf, run, table } from "../database/Table.js"

const sessions = table(
  "sessions",
  Schema.Struct({ hash: Schema.String, accountId: AccountId, expiresAt: Instant }),
)

const found = rowsOf(Schema.Struct({ hash: Schema.String }))

const make = (sql: SqlClient.SqlClient): SessionStore["Type"] => {
  const insert = insertInto(sql, sessions)
  return {
    insert: (session) => insert([session]),
    byHash: (hash) =>
      first(sessions, sql`SELECT ${sql.literal(sessions.selection)} FROM sessions WHERE hash = ${hash}`),
    validAmong: (hashes, now) =>
      hashes.length === 0
        ? Effect.succeed([])
        : Effect.map(
            all(
              found,
              sql`SELECT hash FROM sessions WHERE hash ${isAmong(sql, hashes)} AND expires_at > ${now}`,
            ),
            (valid) => valid.map(({ hash }) => hash),
          ),
    remove: (hash) => run(sql`DELETE FROM sessions WHERE hash = ${hash}`),
    removeAll: (accountId) => run(sql`DELETE FROM sessions WHERE account_id = ${accountId}`),
    removeExpired: removeExpired(sql, "sessions", "hash"),
  }
}

export const SessionStoreSql: Layer.Layer<SessionStore, never, SqlClient.SqlClient> = Layer.effect(
  SessionStore,
  Effect.map(SqlClient.SqlClient, make),
)
