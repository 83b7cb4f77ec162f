/** Suppression lists in SQL. */
import { SqlClient } from "@effect/sql"
import { SuppressionRecord } from "@mailroom/domain"
import { SuppressionStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { inLists, insertInto } from "../database/batches.js"
import { all, rowsOf, table } from "../database/Table.js"

const suppressions = table("suppressions", SuppressionRecord)

const listed = rowsOf(Schema.Struct({ email: Schema.String }))

const make = (sql: SqlClient.SqlClient): SuppressionStore["Type"] => {
  const insert = insertInto(sql, suppressions, "ON CONFLICT (account_id, email) DO NOTHING")
  return {
    insert: (suppression) => insert([suppression]),
    among: (accountId, emails) =>
      Effect.map(
        inLists(emails, (list) =>
          all(
            listed,
            sql`SELECT email FROM suppressions WHERE account_id = ${accountId} AND email IN ${sql.in(list)}`,
          ),
        ),
        (found) => found.map(({ email }) => email),
      ),
  }
}

export const SuppressionStoreSql: Layer.Layer<SuppressionStore, never, SqlClient.SqlClient> = Layer.effect(
  SuppressionStore,
  Effect.map(SqlClient.SqlClient, make),
)
