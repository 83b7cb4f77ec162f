/** Reserved names in SQL. */
import { SqlClient } from "@effect/sql"
import { Instant } from "@mailroom/domain"
import { ReservedNameStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { insertInto } from "../database/batches.js"
import { orStorageFailure } from "../database/failures.js"
import { removeExpired } from "../database/removeSome.js"
import { table } from "../database/Table.js"

const reserved = table("reserved_names", Schema.Struct({ name: Schema.String, expiresAt: Instant }))

const make = (sql: SqlClient.SqlClient): ReservedNameStore["Type"] => {
  const insert = insertInto(
    sql,
    reserved,
    "ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at",
  )
  return {
    reserve: (names, until) => insert(names.map((name) => ({ name, expiresAt: until }))),
    isReserved: (name, now) =>
      Effect.map(
        orStorageFailure(
          sql`SELECT 1 AS taken FROM reserved_names WHERE name = ${name} AND expires_at > ${now}`,
        ),
        (rows) => rows.length > 0,
      ),
    removeExpired: removeExpired(sql, "reserved_names", "name"),
  }
}

export const ReservedNameStoreSql: Layer.Layer<ReservedNameStore, never, SqlClient.SqlClient> = Layer.effect(
  ReservedNameStore,
  Effect.map(SqlClient.SqlClient, make),
)
